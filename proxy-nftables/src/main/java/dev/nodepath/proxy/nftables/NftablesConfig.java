package dev.nodepath.proxy.nftables;

import dev.nodepath.endpoints.DetectLocal;
import dev.nodepath.endpoints.NodePortAddresses;
import dev.nodepath.linux.address.IpAddress;
import java.util.List;

/**
 * The options that shape the rules. They have the names of kube-proxy's options.
 *
 * @param nodeName the Node that the rules are for: which endpoints are local, its zone, its addresses
 * @param detectLocal how the node's pods are recognised. Other traffic to a cluster IP is masqueraded.
 * @param masqueradeAll whether all traffic to cluster IPs is masqueraded
 * @param masqueradeBit the bit of the packet mark that stands for "to be masqueraded", 0 to 31
 * @param nodePortAddresses on which addresses node ports are served; kube-proxy's default in this mode is
 *     {@code primary}
 * @param hostAddresses all addresses of the host's links. If empty, the Node's addresses count.
 * @param singleEndpoint the rule of a service port with one endpoint
 * @param countsConnections whether each endpoint has a chain that counts its connections, which kube-proxy's rules do
 *     not
 */
public record NftablesConfig(
        String nodeName,
        DetectLocal detectLocal,
        boolean masqueradeAll,
        int masqueradeBit,
        NodePortAddresses nodePortAddresses,
        List<IpAddress> hostAddresses,
        SingleEndpoint singleEndpoint,
        boolean countsConnections) {

    /** The defaults of kube-proxy 1.36. */
    public static final NftablesConfig DEFAULTS = new NftablesConfig(
            "", DetectLocal.NONE, false, 14, NodePortAddresses.PRIMARY, List.of(), SingleEndpoint.AUTO, false);

    /** Checks the limits. */
    public NftablesConfig {
        hostAddresses = List.copyOf(hostAddresses);
        if (masqueradeBit < 0 || masqueradeBit > 31) {
            throw new IllegalArgumentException("masqueradeBit: " + masqueradeBit + " (expected: 0 to 31)");
        }
    }

    /** The same on a host with these addresses. */
    public NftablesConfig withHostAddresses(List<IpAddress> addresses) {
        return new NftablesConfig(
                nodeName,
                detectLocal,
                masqueradeAll,
                masqueradeBit,
                nodePortAddresses,
                addresses,
                singleEndpoint,
                countsConnections);
    }

    /** The mark of packets that are to be masqueraded. */
    int masqueradeMark() {
        return 1 << masqueradeBit;
    }
}
