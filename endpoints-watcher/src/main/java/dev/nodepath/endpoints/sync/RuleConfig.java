package dev.nodepath.endpoints.sync;

import dev.nodepath.endpoints.DetectLocal;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.NodePortAddresses;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The options that shape the rules of each mode with rules. They have the names of kube-proxy's options.
 *
 * @param nodeName the Node that the rules are for: which endpoints are local, its zone, its addresses
 * @param detectLocal how the node's pods are recognised. Other traffic to a cluster IP is masqueraded.
 * @param masqueradeAll whether all traffic to cluster IPs is masqueraded
 * @param masqueradeBit the bit of the packet mark that stands for "to be masqueraded", 0 to 31
 * @param nodePortAddresses on which addresses node ports are served
 * @param hostAddresses all addresses of the host's links. If empty, the Node's addresses and loopback count.
 */
public record RuleConfig(
        String nodeName,
        DetectLocal detectLocal,
        boolean masqueradeAll,
        int masqueradeBit,
        NodePortAddresses nodePortAddresses,
        List<IpAddress> hostAddresses) {
    private static final List<IpAddress> LOOPBACK = List.of(IpAddress.parse("127.0.0.1"), IpAddress.parse("::1"));

    /** Checks the limits. */
    public RuleConfig {
        hostAddresses = List.copyOf(hostAddresses);
        if (masqueradeBit < 0 || masqueradeBit > 31) {
            throw new IllegalArgumentException("masqueradeBit: " + masqueradeBit + " (expected: 0 to 31)");
        }
    }

    /** The defaults of kube-proxy with node ports on these addresses. */
    public static RuleConfig defaults(NodePortAddresses nodePorts) {
        return new RuleConfig("", DetectLocal.NONE, false, 14, nodePorts, List.of());
    }

    /** The mark of packets that are to be masqueraded. */
    public int masqueradeMark() {
        return 1 << masqueradeBit;
    }

    /** The host's addresses that serve node ports, sorted; empty if all addresses do. */
    public List<IpAddress> nodePortIps(IpFamily family, @Nullable NodeInfo node) {
        if (nodePortAddresses.isAll(family, node)) {
            return List.of();
        }
        List<IpAddress> host = new ArrayList<>(hostAddresses);
        if (host.isEmpty()) {
            host.addAll(LOOPBACK);
            if (node != null) {
                host.addAll(node.addresses());
            }
        }
        return nodePortAddresses.among(host, family, node);
    }

    /** A configuration that is changed. That of a mode adds its own values. */
    public static class Draft {
        public String nodeName;
        public DetectLocal detectLocal;
        public boolean masqueradeAll;
        public int masqueradeBit;
        public NodePortAddresses nodePortAddresses;
        public List<IpAddress> hostAddresses;

        /** Begins with these values. */
        protected Draft(RuleConfig config) {
            nodeName = config.nodeName;
            detectLocal = config.detectLocal;
            masqueradeAll = config.masqueradeAll;
            masqueradeBit = config.masqueradeBit;
            nodePortAddresses = config.nodePortAddresses;
            hostAddresses = config.hostAddresses;
        }

        /** The values that all modes share. */
        protected RuleConfig common() {
            return new RuleConfig(
                    nodeName, detectLocal, masqueradeAll, masqueradeBit, nodePortAddresses, hostAddresses);
        }
    }
}
