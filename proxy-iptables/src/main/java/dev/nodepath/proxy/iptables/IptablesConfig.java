package dev.nodepath.proxy.iptables;

import dev.nodepath.endpoints.DetectLocal;
import dev.nodepath.endpoints.NodePortAddresses;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.util.List;
import java.util.function.Consumer;

/**
 * The options that shape the rules. They have the names of kube-proxy's options.
 *
 * @param nodeName the Node that the rules are for: which endpoints are local, its zone, its addresses
 * @param detectLocal how the node's pods are recognised. Other traffic to a cluster IP is masqueraded.
 * @param masqueradeAll whether all traffic to cluster IPs is masqueraded
 * @param masqueradeBit the bit of the packet mark that stands for "to be masqueraded", 0 to 31
 * @param localhostNodePorts whether node ports are served on 127.0.0.0/8 too
 * @param nodePortAddresses on which addresses node ports are served
 * @param hostAddresses all addresses of the host's links. If empty, the Node's addresses and loopback count.
 * @param randomFully whether masquerading picks source ports at random ({@code --random-fully}, iptables 1.6.2)
 * @param dropInvalid whether forwarded packets that conntrack finds invalid are dropped; kube-proxy does unless {@code
 *     nf_conntrack_tcp_be_liberal} is set
 * @param counters whether rules use the counters of {@link CountedPackets}. They must exist in the namespace then.
 */
public record IptablesConfig(
        String nodeName,
        DetectLocal detectLocal,
        boolean masqueradeAll,
        int masqueradeBit,
        boolean localhostNodePorts,
        NodePortAddresses nodePortAddresses,
        List<IpAddress> hostAddresses,
        boolean randomFully,
        boolean dropInvalid,
        boolean counters) {

    /** The defaults of kube-proxy. */
    public static final IptablesConfig DEFAULTS = new IptablesConfig(
            "", DetectLocal.NONE, false, 14, true, NodePortAddresses.ALL, List.of(), true, true, false);

    /** Checks the limits. */
    public IptablesConfig {
        hostAddresses = List.copyOf(hostAddresses);
        if (masqueradeBit < 0 || masqueradeBit > 31) {
            throw new IllegalArgumentException("masqueradeBit: " + masqueradeBit + " (expected: 0 to 31)");
        }
    }

    /** The same for this node. */
    public IptablesConfig withNodeName(String name) {
        return with(draft -> draft.nodeName = name);
    }

    /** The same with pods recognised by these networks. */
    public IptablesConfig withClusterCidrs(List<Cidr> cidrs) {
        return withDetectLocal(new DetectLocal.ClusterCidr(cidrs));
    }

    /** The same with this detection of pods. */
    public IptablesConfig withDetectLocal(DetectLocal mode) {
        return with(draft -> draft.detectLocal = mode);
    }

    /** The same with {@link #masqueradeAll} set as given. */
    public IptablesConfig withMasqueradeAll(boolean all) {
        return with(draft -> draft.masqueradeAll = all);
    }

    /** The same with {@link #masqueradeBit} set as given. */
    public IptablesConfig withMasqueradeBit(int bit) {
        return with(draft -> draft.masqueradeBit = bit);
    }

    /** The same with {@link #localhostNodePorts} set as given. */
    public IptablesConfig withLocalhostNodePorts(boolean served) {
        return with(draft -> draft.localhostNodePorts = served);
    }

    /** The same with node ports on these addresses. */
    public IptablesConfig withNodePortAddresses(NodePortAddresses addresses) {
        return with(draft -> draft.nodePortAddresses = addresses);
    }

    /** The same on a host with these addresses. */
    public IptablesConfig withHostAddresses(List<IpAddress> addresses) {
        return with(draft -> draft.hostAddresses = addresses);
    }

    /** The same with {@link #dropInvalid} set as given. */
    IptablesConfig withDropInvalid(boolean drop) {
        return with(draft -> draft.dropInvalid = drop);
    }

    /** The same with {@link #randomFully} set as given. */
    IptablesConfig withRandomFully(boolean random) {
        return with(draft -> draft.randomFully = random);
    }

    /** The same with {@link #counters} set as given. */
    IptablesConfig withCounters(boolean named) {
        return with(draft -> draft.counters = named);
    }

    /** The mark of packets that are to be masqueraded. */
    int masqueradeMark() {
        return 1 << masqueradeBit;
    }

    private IptablesConfig with(Consumer<Draft> edit) {
        Draft draft = new Draft(this);
        edit.accept(draft);
        return new IptablesConfig(
                draft.nodeName,
                draft.detectLocal,
                draft.masqueradeAll,
                draft.masqueradeBit,
                draft.localhostNodePorts,
                draft.nodePortAddresses,
                draft.hostAddresses,
                draft.randomFully,
                draft.dropInvalid,
                draft.counters);
    }

    /** A mutable copy of the values. */
    private static final class Draft {
        private String nodeName;
        private DetectLocal detectLocal;
        private boolean masqueradeAll;
        private int masqueradeBit;
        private boolean localhostNodePorts;
        private NodePortAddresses nodePortAddresses;
        private List<IpAddress> hostAddresses;
        private boolean randomFully;
        private boolean dropInvalid;
        private boolean counters;

        Draft(IptablesConfig config) {
            nodeName = config.nodeName;
            detectLocal = config.detectLocal;
            masqueradeAll = config.masqueradeAll;
            masqueradeBit = config.masqueradeBit;
            localhostNodePorts = config.localhostNodePorts;
            nodePortAddresses = config.nodePortAddresses;
            hostAddresses = config.hostAddresses;
            randomFully = config.randomFully;
            dropInvalid = config.dropInvalid;
            counters = config.counters;
        }
    }
}
