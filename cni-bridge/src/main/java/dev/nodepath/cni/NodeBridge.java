package dev.nodepath.cni;

import dev.nodepath.cni.config.Call;
import dev.nodepath.cni.config.LinkIdentity;
import dev.nodepath.cni.config.NetworkConfig;
import dev.nodepath.cni.config.NetworkConfigParser;
import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.cni.protocol.ErrorCode;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.address.MacAddress;
import dev.nodepath.linux.link.BridgeSpec;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.route.Route;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * The bridge that all containers of a network share. Every step first checks the present state, so that simultaneous
 * calls do not fail each other.
 */
final class NodeBridge {
    /** Addresses reserved for documentation (RFC 5737, RFC 3849). Only a default route matches them. */
    private static final IpAddress ANYWHERE_IPV4 = IpAddress.parse("192.0.2.1");

    private static final IpAddress ANYWHERE_IPV6 = IpAddress.parse("2001:db8::1");

    /** The smallest MTU of a link with IPv6, in bytes (RFC 8200 section 5). */
    private static final int IPV6_MTU_MIN = 1280;

    /** The prefix of the alias of a bridge that this plugin made. */
    static final String ALIAS = "nodepath-bridge";

    private final NetworkNamespace host;
    private final RandomGenerator random;

    /** Bridges of the node's namespace. The random source makes their hardware addresses. */
    NodeBridge(NetworkNamespace host, RandomGenerator random) {
        this.host = host;
        this.random = random;
    }

    /**
     * Creates the bridge if it is missing, sets its configured options, sets it up and returns it.
     *
     * @param links the node's, read since the call began
     */
    Link prepare(NetworkConfig config, Optional<Integer> mtu, List<Link> links) throws CniException, LinuxNetException {
        NetworkConfig.BridgeConfig wanted = config.bridge();
        Link bridge = findOrCreate(config, mtu);
        if (wanted.netfilter() && !bridge.hasNetfilter()) {
            host.setNetfilter(bridge.index(), true);
        }
        if (wanted.promiscuous() && !bridge.promiscuous()) {
            host.setPromiscuous(bridge.index(), true);
        }
        if (config.port().vlans().isUsed() && !bridge.vlanFiltering()) {
            filterVlans(bridge);
        }
        for (Link upper : UpperLinks.heardFrom(links, bridge, config.port().vlans())) {
            NodeSettings.refuseRouters(host, upper.name());
        }
        if (bridge.up()) {
            NodeSettings.refuseRouters(host, bridge.name());
        } else {
            NodeSettings.own(host, bridge.name());
            host.setUp(bridge.index(), true);
        }
        return bridge;
    }

    /**
     * Restores a setting that the bridge may lose when a DEL or GC deletes a port, see {@link
     * NodeSettings#refuseRouters}. A failure does not fail the DEL: the next ADD sets it too, and CHECK reports it.
     */
    static void refuseRouters(NetworkNamespace host, Call call) {
        try {
            Optional<Link> bridge = host.link(call.config().bridge().name())
                    .filter(link -> link.kind().equals("bridge"));
            if (bridge.isPresent()) {
                NodeSettings.refuseRouters(host, bridge.get().name());
            }
        } catch (LinuxNetException e) {
            call.warnings()
                    .append("bridge still accepts router advertisements: ")
                    .append(e.getMessage())
                    .append('\n');
        }
    }

    /**
     * Finds out whether a failure came from a bridge that was removed in the meantime.
     *
     * @throws CniException code 11 if the bridge is gone
     */
    static void requirePresent(NetworkNamespace host, Link bridge, LinuxNetException failure)
            throws CniException, LinuxNetException {
        if (host.link(bridge.index()).isEmpty()) {
            CniException gone = removedMeanwhile(bridge);
            gone.addSuppressed(failure);
            throw gone;
        }
    }

    /** The error of a call whose bridge another program removed: code 11, try again later. */
    static CniException removedMeanwhile(Link bridge) {
        return new CniException(ErrorCode.TRY_AGAIN_LATER, "bridge: \"" + bridge.name() + "\" was removed meanwhile");
    }

    /** Whether this plugin created the bridge. */
    static boolean isMadeHere(Link bridge) {
        return bridge.alias().equals(ALIAS) || bridge.alias().startsWith(ALIAS + " ");
    }

    /** The configured MTU, or the MTU of the default route's link. Without both it is empty. */
    Optional<Integer> mtu(NetworkConfig config) throws LinuxNetException {
        if (config.bridge().mtu().isPresent()) {
            return config.bridge().mtu();
        }
        for (IpAddress anywhere : new IpAddress[] {ANYWHERE_IPV4, ANYWHERE_IPV6}) {
            Optional<Route> route = host.routeTo(anywhere);
            if (route.isPresent() && route.get().destination().prefixLength() == 0) {
                // Loopback's MTU is greater than a veth allows.
                return host.link(route.get().linkIndex())
                        .map(link -> Math.min(link.mtu(), NetworkConfigParser.MTU_MAX));
            }
        }
        return Optional.empty();
    }

    /** Refuses IPv6 addresses on links with a small MTU. The kernel would only report EINVAL. */
    static void checkCarries(NetworkConfig config, Optional<Integer> mtu, Ipam.Result addresses) throws CniException {
        for (Ipam.Address address : addresses.addresses()) {
            if (address.address().family() == IpFamily.IPV6 && mtu.isPresent() && mtu.get() < IPV6_MTU_MIN) {
                throw new CniException(
                        ErrorCode.INVALID_CONFIG,
                        "mtu: " + mtu.get()
                                + (config.bridge().mtu().isPresent()
                                        ? ""
                                        : ", the MTU of the link of the node's default route, as the"
                                                + " configuration has none")
                                + " (expected: at least " + IPV6_MTU_MIN + ", as the container gets the IPv6 address "
                                + address.address() + ")");
            }
        }
    }

    /**
     * Turns on VLAN filtering of the bridge. Without it the container would be in every VLAN.
     *
     * @throws CniException code 7 if other programs use the bridge, because they may send tagged frames over it
     */
    private void filterVlans(Link bridge) throws CniException, LinuxNetException {
        boolean ours = isMadeHere(bridge);
        boolean others = false;
        for (Link link : host.links()) {
            if (link.masterIndex() == bridge.index()) {
                boolean container = LinkIdentity.isAlias(link.alias());
                ours |= container;
                others |= !container;
            }
            others |= UpperLinks.standsOn(link, bridge);
        }
        if (others || !ours) {
            throw new CniException(
                    ErrorCode.INVALID_CONFIG,
                    "vlan, vlanTrunk: bridge \"" + bridge.name()
                            + "\" does not separate VLANs, and other programs may use it (expected:"
                            + " vlan_filtering 1, set by \"ip link set " + bridge.name()
                            + " type bridge vlan_filtering 1\")");
        }
        host.setVlanFiltering(bridge.index(), true);
    }

    private Link findOrCreate(NetworkConfig config, Optional<Integer> mtu) throws CniException, LinuxNetException {
        NetworkConfig.BridgeConfig wanted = config.bridge();
        Optional<Link> found = host.link(wanted.name());
        if (found.isEmpty()) {
            try {
                // The bridge gets a fixed MAC: a MAC that follows the ports would invalidate the containers' ARP
                // entries.
                MacAddress mac = MacAddress.random(random);
                Link made = host.createBridge(new BridgeSpec(
                        wanted.name(),
                        Optional.of(mac),
                        mtu,
                        wanted.netfilter(),
                        config.port().vlans().isUsed()));
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
