package dev.nodepath.proxy.nftables;

import dev.nodepath.endpoints.DetectLocal;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftField;
import dev.nodepath.linux.nftables.NftStatement;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Values that all rules of one family share, computed once. A change of one value changes all rules.
 *
 * @param config the options without the host's addresses: the link of a new pod must not change all rules
 * @param node the Node that the rules are for; null if the snapshot does not hold it
 * @param sharedMaps whether plain service ports share maps, see {@link SharedMaps}
 * @param nodePortsEverywhere whether node ports are served on every address
 * @param nodePortIps the addresses that serve node ports otherwise, sorted
 * @param serviceCidrs the networks that cluster IPs are taken from. Packets to one of these addresses that belongs to
 *     no Service are dropped. Empty if they are unknown
 */
record NftablesContext(
        NftablesConfig config,
        IpFamily family,
        @Nullable NodeInfo node,
        boolean sharedMaps,
        boolean nodePortsEverywhere,
        List<IpAddress> nodePortIps,
        List<Cidr> serviceCidrs) {

    /** The context of a snapshot's rules. */
    static NftablesContext of(ServiceSnapshot snapshot, NftablesConfig config, IpFamily family, boolean sharedMaps) {
        NodeInfo node = snapshot.nodes().get(config.common().nodeName());
        boolean everywhere = config.common().nodePortAddresses().isAll(family, node);
        return new NftablesContext(
                config.with(draft -> draft.hostAddresses = List.of()),
                family,
                node,
                sharedMaps,
                everywhere,
                nodePortIps(config, family, node),
                serviceCidrs(snapshot, family));
    }

    private static List<Cidr> serviceCidrs(ServiceSnapshot snapshot, IpFamily family) {
        return snapshot.serviceCidrs().values().stream()
                .flatMap(range -> range.cidrs().stream())
                .filter(cidr -> cidr.family() == family)
                .map(Cidr::network)
                .toList();
    }

    /** Node ports are not served on loopback: the kernel does not route translated packets from there. */
    private static List<IpAddress> nodePortIps(NftablesConfig config, IpFamily family, @Nullable NodeInfo node) {
        return config.common().nodePortIps(family, node).stream()
                .filter(address -> !address.isLoopback())
                .toList();
    }

    /** Matches packets of the node's pods, or all others. Empty if pods cannot be recognised. */
    Optional<NftStatement> fromPod(boolean negated) {
        return config.common().detectLocal().traffic(family, node).map(traffic -> {
            if (traffic instanceof DetectLocal.FromNetwork from) {
                return new NftStatement.AddressIn(
                        NftField.SOURCE_ADDRESS, List.of(from.network().network()), negated);
            }
            DetectLocal.FromLink from = (DetectLocal.FromLink) traffic;
            return new NftStatement.InputInterface(from.name() + (from.prefix() ? "*" : ""), negated);
        });
    }
}
