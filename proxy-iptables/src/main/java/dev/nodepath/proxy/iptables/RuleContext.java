package dev.nodepath.proxy.iptables;

import dev.nodepath.endpoints.DetectLocal;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.Match;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Values that all rules of one family share, computed once.
 *
 * @param node the Node that the rules are for; null if the snapshot does not hold it
 * @param fromPod matches packets of the node's pods. Empty if these cannot be recognised.
 * @param notFromPod matches all other packets
 * @param largeCluster whether the rules of endpoints go without comments
 * @param nodePortAddresses the addresses that serve node ports, sorted, if not all do. The host addresses of the
 *     configuration are cleared, because a pod's link must not change the shared values.
 */
record RuleContext(
        IptablesConfig config,
        IpFamily family,
        @Nullable NodeInfo node,
        Optional<Match> fromPod,
        Optional<Match> notFromPod,
        boolean largeCluster,
        List<IpAddress> nodePortAddresses) {

    /**
     * Above this number of endpoints rules have no comments, as with kube-proxy. Comments are two fifths of the text.
     */
    static final int LARGE_CLUSTER_ENDPOINTS = 1000;

    private static final IpAddress LOOPBACK_IPV4 = IpAddress.parse("127.0.0.1");
    private static final IpAddress LOOPBACK_IPV6 = IpAddress.parse("::1");

    static RuleContext of(ServiceSnapshot snapshot, IptablesConfig config, IpFamily family) {
        return of(snapshot, config, family, isLarge(snapshot, family));
    }

    static RuleContext of(ServiceSnapshot snapshot, IptablesConfig config, IpFamily family, boolean largeCluster) {
        NodeInfo node = snapshot.nodes().get(config.nodeName());
        return new RuleContext(
                config.withHostAddresses(List.of()),
                family,
                node,
                config.detectLocal().traffic(family, node).map(traffic -> match(traffic, false)),
                config.detectLocal().traffic(family, node).map(traffic -> match(traffic, true)),
                largeCluster,
                nodePortAddresses(config, family, node));
    }

    private static Match match(DetectLocal.Traffic traffic, boolean negated) {
        if (traffic instanceof DetectLocal.FromNetwork from) {
            return new Match.Source(from.network(), negated);
        }
        DetectLocal.FromLink from = (DetectLocal.FromLink) traffic;
        return new Match.InputInterface(from.name() + (from.prefix() ? "+" : ""), negated);
    }

    /** Whether node ports are served on every address. */
    boolean nodePortsEverywhere() {
        return config.nodePortAddresses().isAll(family, node);
    }

    /** Whether node ports are served on 127.0.0.0/8 and connections to them are counted. */
    boolean countsLocalhostNodePorts() {
        return config.counters() && localhostNodePorts(config, family, node);
    }

    private static boolean localhostNodePorts(IptablesConfig config, IpFamily family, @Nullable NodeInfo node) {
        return family == IpFamily.IPV4
                && config.localhostNodePorts()
                && config.nodePortAddresses().includeLocalhost(node);
    }

    private static List<IpAddress> nodePortAddresses(IptablesConfig config, IpFamily family, @Nullable NodeInfo node) {
        if (config.nodePortAddresses().isAll(family, node)) {
            return List.of();
        }
        List<IpAddress> host = new ArrayList<>(config.hostAddresses());
        if (host.isEmpty()) {
            host.add(LOOPBACK_IPV4);
            host.add(LOOPBACK_IPV6);
            if (node != null) {
                host.addAll(node.addresses());
            }
        }
        return config.nodePortAddresses().among(host, family, node).stream()
                .filter(address -> !address.isLoopback() || localhostNodePorts(config, family, node))
                .toList();
    }

    private static boolean isLarge(ServiceSnapshot snapshot, IpFamily family) {
        int endpoints = 0;
        for (ServicePort service : snapshot.services().values()) {
            if (!service.clusterIps(family).isEmpty()) {
                endpoints += snapshot.endpoints(service.name(), family).size();
            }
            if (endpoints > LARGE_CLUSTER_ENDPOINTS) {
                return true;
            }
        }
        return false;
    }
}
