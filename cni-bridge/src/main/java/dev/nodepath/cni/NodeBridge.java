package dev.nodepath.cni;

import dev.nodepath.linux.BridgeSpec;
import dev.nodepath.linux.IpAddress;
import dev.nodepath.linux.Link;
import dev.nodepath.linux.LinuxNetException;
import dev.nodepath.linux.MacAddress;
import dev.nodepath.linux.NetworkNamespace;
import dev.nodepath.linux.Route;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** The bridge that all containers of a network share. Every step looks first and tolerates that others do the same. */
final class NodeBridge {
    /** Addresses that are only for documents (RFC 5737, RFC 3849), so that nothing but a default route leads there. */
    private static final IpAddress ANYWHERE_IPV4 = IpAddress.parse("192.0.2.1");

    private static final IpAddress ANYWHERE_IPV6 = IpAddress.parse("2001:db8::1");

    /** At the beginning of the alias of a bridge that was made here, and by nobody else. */
    static final String ALIAS = "nodepath-bridge";

    private final NetworkNamespace host;
    private final RandomGenerator random;

    NodeBridge(NetworkNamespace host, RandomGenerator random) {
        this.host = host;
        this.random = random;
    }

    /** The bridge with the options that the configuration asks for, and up. */
    Link prepare(NetworkConfig config, Optional<Integer> mtu) throws CniException, LinuxNetException {
        NetworkConfig.BridgeConfig wanted = config.bridge();
        Link bridge = findOrCreate(wanted, mtu);
        if (wanted.isGateway() && !bridge.netfilter()) {
            host.setNetfilter(bridge.index(), true);
        }
        if (wanted.promiscuous() && !bridge.promiscuous()) {
            host.setPromiscuous(bridge.index(), true);
        }
        if (config.port().vlans().isUsed() && !bridge.vlanFiltering()) {
            host.setVlanFiltering(bridge.index(), true);
        }
        if (!bridge.up()) {
            NodeSettings.own(host, bridge.name());
            host.setUp(bridge.index(), true);
        }
        return bridge;
    }

    /** Whether a bridge was made here. */
    static boolean isMadeHere(Link bridge) {
        return bridge.alias().equals(ALIAS) || bridge.alias().startsWith(ALIAS + " ");
    }

    /** The configured MTU, else that of the link of the node's default route; empty if there is neither. */
    Optional<Integer> mtu(NetworkConfig config) throws LinuxNetException {
        if (config.bridge().mtu().isPresent()) {
            return config.bridge().mtu();
        }
        for (IpAddress anywhere : new IpAddress[] {ANYWHERE_IPV4, ANYWHERE_IPV6}) {
            Optional<Route> route = host.routeTo(anywhere);
            if (route.isPresent() && route.get().destination().prefixLength() == 0) {
                // That of loopback is greater than a veth's may be.
                return host.link(route.get().linkIndex())
                        .map(link -> Math.min(link.mtu(), NetworkConfigParser.MTU_MAX));
            }
        }
        return Optional.empty();
    }

    private Link findOrCreate(NetworkConfig.BridgeConfig wanted, Optional<Integer> mtu)
            throws CniException, LinuxNetException {
        Optional<Link> found = host.link(wanted.name());
        if (found.isEmpty()) {
            try {
                // A MAC of its own from the start: one that follows the ports changes under the containers' ARP
                // entries.
                MacAddress mac = MacAddress.random(random);
                Link made = host.createBridge(new BridgeSpec(wanted.name(), Optional.of(mac), mtu, wanted.isGateway()));
                host.setAlias(made.index(), ALIAS);
                return host.link(made.index()).orElse(made);
            } catch (LinuxNetException e) {
                found = e.isExists() ? host.link(wanted.name()) : Optional.empty();
                if (found.isEmpty()) {
                    throw e;
                }
            }
        }
        Link link = found.get();
        if (!link.kind().equals("bridge")) {
            throw new CniException(
                    ErrorCode.INVALID_CONFIG,
                    "bridge: \"" + link.name() + "\" already exists but is not a bridge",
                    "it is of kind \"" + link.kind() + "\"");
        }
        return link;
    }
}
