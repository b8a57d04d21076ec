package dev.nodepath.proxy.iptables;

import dev.nodepath.endpoints.DetectLocal;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.Match;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Values that all rules of one family share, computed once.
 *
 * @param node the Node that the rules are for; null if the snapshot does not hold it
 * @param fromPod matches packets of the node's pods. Empty if these cannot be recognised.
 * @param notFromPod matches all other packets
 * @param largeCluster whether the rules of endpoints go without comments, which are two fifths of the text
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

    static RuleContext of(ServiceSnapshot snapshot, IptablesConfig config, IpFamily family, boolean largeCluster) {
        NodeInfo node = snapshot.nodes().get(config.common().nodeName());
        return new RuleContext(
                config.with(draft -> draft.hostAddresses = List.of()),
                family,
                node,
                config.common().detectLocal().traffic(family, node).map(traffic -> match(traffic, false)),
                config.common().detectLocal().traffic(family, node).map(traffic -> match(traffic, true)),
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
        return config.common().nodePortAddresses().isAll(family, node);
    }

    /** Whether node ports are served on 127.0.0.0/8 and connections to them are counted. */
    boolean countsLocalhostNodePorts() {
        return config.counters() && localhostNodePorts(config, family, node);
    }

    private static boolean localhostNodePorts(IptablesConfig config, IpFamily family, @Nullable NodeInfo node) {
        return family == IpFamily.IPV4
                && config.localhostNodePorts()
                && config.common().nodePortAddresses().includeLocalhost(node);
    }

    private static List<IpAddress> nodePortAddresses(IptablesConfig config, IpFamily family, @Nullable NodeInfo node) {
        return config.common().nodePortIps(family, node).stream()
                .filter(address -> !address.isLoopback() || localhostNodePorts(config, family, node))
                .toList();
    }
}
