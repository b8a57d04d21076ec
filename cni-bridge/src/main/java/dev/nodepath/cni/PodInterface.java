package dev.nodepath.cni;

import dev.nodepath.cni.config.NetworkConfig;
import dev.nodepath.cni.ipam.PodRoute;
import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.cni.protocol.ErrorCode;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.link.AddressOptions;
import dev.nodepath.linux.link.InterfaceAddress;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.route.Route;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/** The container's end of its link: settings, addresses, routes. Existing ones stay. */
final class PodInterface {
    /** How long duplicate address detection may take. */
    private static final Duration DETECTION_WAIT_MAX = Duration.ofSeconds(5);

    private static final Duration DETECTION_PAUSE = Duration.ofMillis(20);

    private static final Cidr LINK_LOCAL_IPV6 = Cidr.parse("fe80::/10");

    private static final int SCOPE_LINK = 253;

    private final NetworkNamespace pod;
    private final Link link;

    /** An existing link in the container's namespace. */
    PodInterface(NetworkNamespace pod, Link link) {
        this.pod = pod;
        this.link = link;
    }

    /** Makes the settings that the link has before it is up. */
    void prepare(NetworkConfig.PortConfig config, Ipam.Result ipam) throws LinuxNetException {
        NodeSettings.setWhereKnown(pod, settings(config, ipam.addresses()));
    }

    /**
     * Sets a prepared link up with its addresses and routes.
     *
     * @param made whether the link is new, so that it has no addresses and routes yet
     */
    void configure(NetworkConfig.PortConfig config, Ipam.Result ipam, boolean made)
            throws CniException, LinuxNetException {
        Set<Cidr> present = made ? Set.of() : removeOthers(ipam.addresses());
        AddressOptions options = new AddressOptions(config.duplicateDetection(), 0);
        for (Ipam.Address address : ipam.addresses()) {
            if (!present.contains(address.address())) {
                pod.addAddress(link.index(), address.address(), options);
            }
        }
        pod.setUp(link.index(), true);
        if (config.duplicateDetection()) {
            awaitDetection();
        }
        for (PodRoute route : ipam.routes()) {
            add(route, ipam.addresses());
        }
    }

    /** Sets the link up without addresses. They follow later. */
    void setUp(NetworkConfig.PortConfig config) throws LinuxNetException {
        prepare(config, Ipam.Result.NONE);
        pod.setUp(link.index(), true);
    }

    /** Removes all addresses of an ADD. */
    void withdraw() throws LinuxNetException {
        removeOthers(List.of());
    }

    /**
     * Announces the addresses to the neighbours. Otherwise neighbours that knew an address from an earlier container
     * would use its MAC for ten seconds or more. The kernel announces the addresses of both families when a link's MAC
     * is set, even to the same value. Its announcement at link up was lost, because the port did not forward yet.
     */
    void announce() throws LinuxNetException {
        if (link.mac().isPresent()) {
            pod.setMac(link.index(), link.mac().get());
        }
    }

    /** IPv4 settings come first, because a kernel without IPv6 does not know the others. */
    private Map<String, String> settings(NetworkConfig.PortConfig config, List<Ipam.Address> addresses) {
        Map<String, String> settings = new LinkedHashMap<>();
        if (!addresses.isEmpty()) {
            settings.put("net/ipv4/conf/" + link.name() + "/arp_notify", "1");
        }
        String ipv6 = "net/ipv6/conf/" + link.name();
        // Otherwise the kernel's link-local address is tentative for a second or two.
        settings.put(ipv6 + "/accept_dad", config.duplicateDetection() ? "1" : "0");
        if (config.duplicateDetection()) {
            settings.put(ipv6 + "/enhanced_dad", "1");
        }
        for (Ipam.Address address : addresses) {
            if (address.address().family() == IpFamily.IPV6) {
                settings.put("net/ipv6/conf/lo/disable_ipv6", "0");
                settings.put(ipv6 + "/disable_ipv6", "0");
                settings.put(ipv6 + "/keep_addr_on_down", "1");
                settings.put(ipv6 + "/ndisc_notify", "1");
            }
        }
        return settings;
    }

    /** Removes the addresses of an earlier ADD that this one does not give. Returns the remaining addresses. */
    private Set<Cidr> removeOthers(List<Ipam.Address> addresses) throws LinuxNetException {
        Set<Cidr> wanted = new HashSet<>();
        addresses.forEach(address -> wanted.add(address.address()));
        Set<Cidr> present = new HashSet<>();
        for (InterfaceAddress has : pod.addresses(link.index())) {
            if (LINK_LOCAL_IPV6.contains(has.address().address())) {
                continue;
            }
            if (wanted.contains(has.address())) {
                present.add(has.address());
            } else {
                delete(has.address());
            }
        }
        return present;
    }

    /** A missing address is no error: the kernel removes it with the first address of its network. */
    private void delete(Cidr address) throws LinuxNetException {
        try {
            pod.deleteAddress(link.index(), address);
        } catch (LinuxNetException e) {
            if (!e.isMissing()) {
                throw e;
            }
        }
    }

    private void awaitDetection() throws CniException, LinuxNetException {
        long deadline = System.nanoTime() + DETECTION_WAIT_MAX.toNanos();
        while (true) {
            boolean tentative = false;
            for (InterfaceAddress has : pod.addresses(link.index())) {
                if (has.duplicate()) {
                    throw new CniException(
                            ErrorCode.INTERNAL,
                            "IPv6 address " + has.address() + " is in use elsewhere (enabledad: true)");
                }
                tentative |= has.tentative();
            }
            if (!tentative || System.nanoTime() - deadline >= 0) {
                return;
            }
            LockSupport.parkNanos(DETECTION_PAUSE.toNanos());
        }
    }

    /** Merges a configured default route with an implied one. */
    private void add(PodRoute route, List<Ipam.Address> addresses) throws LinuxNetException {
        Optional<IpAddress> gateway = route.gateway();
        boolean onLink = route.options().scope().orElse(0) == SCOPE_LINK;
        if (gateway.isEmpty() && !onLink) {
            gateway = gatewayOf(route.destination().family(), addresses);
        }
        try {
            pod.addRoute(new Route(route.destination(), gateway, link.index()), route.options());
        } catch (LinuxNetException e) {
            if (!e.isExists()) {
                throw e;
            }
        }
    }

    private static Optional<IpAddress> gatewayOf(IpFamily family, List<Ipam.Address> addresses) {
        for (Ipam.Address address : addresses) {
            if (address.gateway().isPresent() && address.gateway().get().family() == family) {
                return address.gateway();
            }
        }
        return Optional.empty();
    }
}
