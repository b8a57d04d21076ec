package dev.nodepath.proxy.iptables.rules;

import dev.nodepath.linux.iptables.rule.OwnedChains;
import java.util.Set;

/** The chains whose names never change, and which chains belong to this mode: the names are kube-proxy's. */
public final class Chains {
    /** In nat: cluster IPs, external IPs, and the way to the node ports. In filter: cluster IPs without endpoints. */
    public static final String SERVICES = "KUBE-SERVICES";

    /** In nat: node ports. In filter: ports of health checks. */
    static final String NODE_PORTS = "KUBE-NODEPORTS";

    /** In filter: addresses and ports that are reached from outside and have no endpoints. */
    static final String EXTERNAL_SERVICES = "KUBE-EXTERNAL-SERVICES";

    /** In filter: what load balancers' source ranges keep out. */
    static final String PROXY_FIREWALL = "KUBE-PROXY-FIREWALL";

    /** In filter: what may be forwarded. */
    static final String FORWARD = "KUBE-FORWARD";

    /** In nat: marks packets to be masqueraded. */
    public static final String MARK_MASQ = "KUBE-MARK-MASQ";

    /** In nat: masquerades marked packets. */
    static final String POSTROUTING = "KUBE-POSTROUTING";

    /** In filter: shared with the kubelet, so it is written but not removed. */
    static final String FIREWALL = "KUBE-FIREWALL";

    /** What kube-proxy puts into each table to notice a flush; we have none, and remove it. */
    private static final String CANARY = "KUBE-PROXY-CANARY";

    /** The prefixes that {@code kube-proxy --cleanup} knows, whether or not our rules use them yet. */
    public static final OwnedChains OWNED = new OwnedChains(
            Set.of(SERVICES, NODE_PORTS, EXTERNAL_SERVICES, PROXY_FIREWALL, FORWARD, MARK_MASQ, POSTROUTING, CANARY),
            Set.of("KUBE-SVC-", "KUBE-SVL-", "KUBE-EXT-", "KUBE-FW-", "KUBE-SEP-"));

    private Chains() {}
}
