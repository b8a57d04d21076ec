package dev.nodepath.linux;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.link.AddressOptions;
import dev.nodepath.linux.link.InterfaceAddress;
import dev.nodepath.linux.route.ListedRoute;
import dev.nodepath.linux.route.Route;
import dev.nodepath.linux.route.RouteOptions;
import dev.nodepath.linux.syscall.Errno;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Addresses and routes of one namespace of the fake kernel. Link-local IPv6 addresses, which the real kernel makes by
 * itself, are left out.
 */
final class FakeIpStack {
    private static final String IPV4_CONF = "net/ipv4/conf/";
    private static final String IPV6_CONF = "net/ipv6/conf/";
    /** {@code IP6_RT_PRIO_ADDRCONF} and {@code IP6_RT_PRIO_USER}; IPv4 routes have metric 0 unless given one. */
    private static final int IPV6_METRIC_CONNECTED = 256;

    private static final int IPV6_METRIC_USER = 1024;
    private static final int TABLE_MAIN = 254;
    private static final Cidr LOOPBACK_IPV4 = Cidr.parse("127.0.0.1/8");
    private static final Cidr LOOPBACK_IPV6 = Cidr.parse("::1/128");

    private final FakeSysctls sysctls;
    private final List<InterfaceAddress> addresses = new ArrayList<>();
    private final List<Entry> routes = new ArrayList<>();

    /** {@code RTPROT_KERNEL} and {@code RTPROT_STATIC}. */
    private static final int PROTOCOL_KERNEL = 2;

    private static final int PROTOCOL_STATIC = 4;

    private record Entry(Route route, int metric, int table, RouteOptions options) {
        boolean sameKey(Entry other) {
            return route.destination().equals(other.route.destination())
                    && metric == other.metric
                    && table == other.table;
        }

        int protocol() {
            return options.protocol().orElse(PROTOCOL_STATIC);
        }

        ListedRoute listed() {
            return new ListedRoute(
                    route,
                    new RouteOptions(
                            options.mtu(),
                            options.advmss(),
                            metric == 0 ? Optional.empty() : Optional.of(metric),
                            Optional.empty(),
                            Optional.empty(),
                            Optional.of(protocol()),
                            options.onLink()));
        }
    }

    /** As kernels before 5.18. */
    boolean forgetsProtocols;

    FakeIpStack(FakeSysctls sysctls) {
        this.sysctls = sysctls;
    }

    List<InterfaceAddress> addresses() {
        return List.copyOf(addresses);
    }

    List<Route> routes() {
        return listedRoutes().stream().map(ListedRoute::route).toList();
    }

    List<ListedRoute> listedRoutes() {
        return routes.stream()
                .filter(entry -> entry.table == TABLE_MAIN)
                .map(Entry::listed)
                .toList();
    }

    void addAddress(FakeLink link, Cidr address, AddressOptions options) throws FakeRefusal {
        if (address.family() == IpFamily.IPV6) {
            if (sysctls.isOnFor(IPV6_CONF, link.name, "disable_ipv6") && !link.isLoopback()) {
                throw new FakeRefusal(Errno.EACCES);
            }
            if (address.address().isLoopback() && !link.isLoopback()) {
                throw new FakeRefusal(Errno.EADDRNOTAVAIL);
            }
        }
        if (addressesOf(link).anyMatch(other -> clashes(other, address))) {
            throw new FakeRefusal(Errno.EEXIST);
        }
        addresses.add(
                new InterfaceAddress(link.index, address, false, false, forgetsProtocols ? 0 : options.protocol()));
        connect(link, address);
    }

    void deleteAddress(FakeLink link, Cidr address) throws FakeRefusal {
        List<Cidr> network = networkOf(link, address);
        if (!addresses.removeIf(
                has -> has.linkIndex() == link.index && has.address().equals(address))) {
            throw new FakeRefusal(Errno.EADDRNOTAVAIL);
        }
        boolean primary = address.family() == IpFamily.IPV4 && address.equals(network.get(0));
        if (primary && !sysctls.isOn(IPV4_CONF, link.name, "promote_secondaries")) {
            addresses.removeIf(has -> has.linkIndex() == link.index && network.contains(has.address()));
        }
        disconnect(link, address);
    }

    void addRouteIfAbsent(FakeNamespace namespace, Route route, RouteOptions options) throws FakeRefusal {
        Entry entry = resolve(namespace, route, options);
        if (routes.stream().anyMatch(entry::sameKey)) {
            throw new FakeRefusal(Errno.EEXIST);
        }
        routes.add(entry);
    }

    void addRoute(FakeNamespace namespace, Route route, RouteOptions options) throws FakeRefusal {
        Entry entry = resolve(namespace, route, options);
        if (routes.contains(entry)) {
            throw new FakeRefusal(Errno.EEXIST);
        }
        routes.add(entry);
    }

    Optional<Route> routeTo(IpAddress destination) {
        return routes().stream()
                .filter(route -> route.destination().contains(destination))
                .max(Comparator.comparingInt(route -> route.destination().prefixLength()));
    }

    void replaceRoute(FakeNamespace namespace, Route route, RouteOptions options) throws FakeRefusal {
        Entry entry = resolve(namespace, route, options);
        routes.removeIf(entry::sameKey);
        routes.add(entry);
    }

    /** An absent link or gateway in the request matches any. */
    ListedRoute deleteRoute(Route wanted, RouteOptions options) throws FakeRefusal {
        Entry found = routes.stream()
                .filter(entry -> {
                    Route has = entry.route();
                    return has.destination().equals(wanted.destination())
                            && (wanted.linkIndex() == 0 || wanted.linkIndex() == has.linkIndex())
                            && (wanted.gateway().isEmpty() || wanted.gateway().equals(has.gateway()))
                            && options.protocol().orElse(entry.protocol()) == entry.protocol()
                            && options.priority().orElse(entry.metric()) == entry.metric();
                })
                .findFirst()
                .orElseThrow(() -> new FakeRefusal(Errno.ESRCH));
        routes.remove(found);
        return found.listed();
    }

    void linkUp(FakeLink link) {
        if (link.isLoopback()) {
            addIfNew(link, LOOPBACK_IPV4);
            addIfNew(link, LOOPBACK_IPV6);
        }
        addressesOf(link).toList().forEach(address -> connect(link, address));
    }

    /** IPv6 addresses do not outlive their link's being up unless keep_addr_on_down says so; IPv4 ones do. */
    void linkDown(FakeLink link) {
        routes.removeIf(entry -> entry.route().linkIndex() == link.index);
        if (!sysctls.isOn(IPV6_CONF, link.name, "keep_addr_on_down")) {
            addresses.removeIf(
                    has -> has.linkIndex() == link.index && has.address().family() == IpFamily.IPV6);
        }
    }

    /** Takes the IPv6 addresses from a link on which IPv6 has been switched off. */
    void dropIpv6WhereDisabled(FakeLink link) {
        if (sysctls.isOnFor(IPV6_CONF, link.name, "disable_ipv6")) {
            addresses.removeIf(
                    has -> has.linkIndex() == link.index && has.address().family() == IpFamily.IPV6);
            routes.removeIf(entry -> entry.route().linkIndex() == link.index
                    && entry.route().destination().family() == IpFamily.IPV6);
        }
    }

    void linkGone(FakeLink link) {
        routes.removeIf(entry -> entry.route().linkIndex() == link.index);
        addresses.removeIf(has -> has.linkIndex() == link.index);
    }

    private void addIfNew(FakeLink link, Cidr address) {
        if (addressesOf(link).noneMatch(other -> other.family() == address.family())) {
            addresses.add(new InterfaceAddress(link.index, address, false, false, 0));
        }
    }

    private Stream<Cidr> addressesOf(FakeLink link) {
        return addresses.stream().filter(has -> has.linkIndex() == link.index).map(InterfaceAddress::address);
    }

    /** An IPv6 address can be on a link once, an IPv4 address once with each prefix length. */
    private static boolean clashes(Cidr has, Cidr added) {
        return has.address().equals(added.address())
                && (has.family() == IpFamily.IPV6 || has.prefixLength() == added.prefixLength());
    }

    private void connect(FakeLink link, Cidr address) {
        connected(link, address)
                .filter(entry -> link.up && !routes.contains(entry))
                .ifPresent(routes::add);
    }

    /** Without its last IPv4 address a link has no IPv4 routes at all. */
    private void disconnect(FakeLink link, Cidr address) {
        if (address.family() == IpFamily.IPV4
                && addressesOf(link).noneMatch(other -> other.family() == IpFamily.IPV4)) {
            routes.removeIf(entry -> entry.route().linkIndex() == link.index
                    && entry.route().destination().family() == IpFamily.IPV4);
        }
        if (networkOf(link, address).isEmpty()) {
            connected(link, address).ifPresent(routes::remove);
        }
    }

    /** The link's addresses in the same network; for IPv4 the first is the primary one, with which the others go. */
    private List<Cidr> networkOf(FakeLink link, Cidr address) {
        return addressesOf(link)
                .filter(other -> other.network().equals(address.network()))
                .toList();
    }

    /** The route to the network of an address; IPv4 has none for a /32 or on loopback. */
    private static Optional<Entry> connected(FakeLink link, Cidr address) {
        boolean ipv4 = address.family() == IpFamily.IPV4;
        if (ipv4 && (link.isLoopback() || address.prefixLength() == IpFamily.IPV4.bits())) {
            return Optional.empty();
        }
        Route route = new Route(address.network(), Optional.empty(), link.index);
        return Optional.of(new Entry(
                route, ipv4 ? 0 : IPV6_METRIC_CONNECTED, TABLE_MAIN, RouteOptions.of(PROTOCOL_KERNEL, false)));
    }

    /** The route with its link, as the kernel completes it, or the kernel's refusal. */
    private Entry resolve(FakeNamespace namespace, Route route, RouteOptions options) throws FakeRefusal {
        boolean ipv4 = route.destination().family() == IpFamily.IPV4;
        if (ipv4 && !route.destination().isNetwork()) {
            throw new FakeRefusal(Errno.EINVAL);
        }
        int linkIndex = route.linkIndex();
        if (!ipv4 && linkIndex != 0) {
            namespace.device(linkIndex);
        }
        if (route.gateway().isPresent()) {
            linkIndex = options.onLink()
                    ? linkGiven(namespace, route)
                    : linkTowards(route.gateway().get(), route);
        } else if (!namespace.device(linkIndex).up) {
            throw new FakeRefusal(Errno.ENETDOWN);
        }
        Route complete = new Route(route.destination().network(), route.gateway(), linkIndex);
        int metric = options.priority().orElse(ipv4 ? 0 : IPV6_METRIC_USER);
        return new Entry(complete, metric, options.table().orElse(TABLE_MAIN), options);
    }

    private static int linkGiven(FakeNamespace namespace, Route route) throws FakeRefusal {
        boolean ipv4 = route.destination().family() == IpFamily.IPV4;
        if (route.linkIndex() == 0) {
            throw new FakeRefusal(ipv4 ? Errno.EINVAL : Errno.ENODEV);
        }
        if (!namespace.device(route.linkIndex()).up) {
            throw new FakeRefusal(Errno.ENETDOWN);
        }
        return route.linkIndex();
    }

    private int linkTowards(IpAddress gateway, Route route) throws FakeRefusal {
        boolean ipv4 = gateway.family() == IpFamily.IPV4;
        if (gateway.family() != route.destination().family()
                || (!ipv4
                        && addresses.stream()
                                .anyMatch(has -> has.address().address().equals(gateway)))) {
            throw new FakeRefusal(Errno.EINVAL);
        }
        return routes.stream()
                .map(Entry::route)
                .filter(has -> has.gateway().isEmpty()
                        && has.destination().contains(gateway)
                        && (route.linkIndex() == 0 || route.linkIndex() == has.linkIndex()))
                .max(Comparator.comparingInt(has -> has.destination().prefixLength()))
                .orElseThrow(() -> new FakeRefusal(ipv4 ? Errno.ENETUNREACH : Errno.EHOSTUNREACH))
                .linkIndex();
    }
}
