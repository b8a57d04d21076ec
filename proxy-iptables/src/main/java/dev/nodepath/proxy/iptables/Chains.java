package dev.nodepath.proxy.iptables;

import dev.nodepath.linux.iptables.OwnedChains;
import java.util.Set;

/** The fixed chains, and the chains that this mode owns. The names are those of kube-proxy. */
final class Chains {
    /** In nat: cluster IPs, external IPs, and the jump to the node ports. In filter: cluster IPs without endpoints. */
    static final String SERVICES = "KUBE-SERVICES";

    /** In nat: node ports. In filter: ports of health checks. */
    static final String NODE_PORTS = "KUBE-NODEPORTS";

    /** In filter: external addresses and ports without endpoints. */
    static final String EXTERNAL_SERVICES = "KUBE-EXTERNAL-SERVICES";

    /** In filter: packets that the source ranges of load balancers exclude. */
    static final String PROXY_FIREWALL = "KUBE-PROXY-FIREWALL";

    /** In filter: packets that may be forwarded. */
    static final String FORWARD = "KUBE-FORWARD";

    /** In nat: marks packets to be masqueraded. */
    static final String MARK_MASQ = "KUBE-MARK-MASQ";

    /** In nat: masquerades marked packets. */
    static final String POSTROUTING = "KUBE-POSTROUTING";

    /** In filter: shared with the kubelet, so it is written but not removed. */
    static final String FIREWALL = "KUBE-FIREWALL";

    /** kube-proxy puts this chain into each table to notice a flush. We do not need it and remove it. */
    private static final String CANARY = "KUBE-PROXY-CANARY";

    /** The prefixes that {@code kube-proxy --cleanup} removes. Our rules do not use all of them. */
    static final OwnedChains OWNED = new OwnedChains(
            Set.of(SERVICES, NODE_PORTS, EXTERNAL_SERVICES, PROXY_FIREWALL, FORWARD, MARK_MASQ, POSTROUTING, CANARY),
            Set.of("KUBE-SVC-", "KUBE-SVL-", "KUBE-EXT-", "KUBE-FW-", "KUBE-SEP-"));

    private Chains() {}
}
