package dev.nodepath.dns;

import dev.nodepath.linux.address.IpAddress;
import java.util.List;
import java.util.stream.Stream;

/** The zone that tests ask: a Service with two addresses, headless ones, an alias, a DNS Service. */
final class ExampleZone {
    private static final List<DnsPort> SQL = List.of(new DnsPort("sql", "tcp", 5432));

    private ExampleZone() {}

    /** Synced, as specified. */
    static Zone zone() {
        return unsynced().synced();
    }

    static Zone unsynced() {
        return Zone.empty(ZoneConfig.DEFAULT)
                .withNamespace("shop")
                .withNamespace("kube-system")
                .withNamespace("bare")
                .with(
                        clusterIp("kube-system", "kube-dns", List.of(new DnsPort("dns", "udp", 53)), "10.96.0.10"),
                        List.of())
                .with(
                        clusterIp("shop", "web", List.of(new DnsPort("http", "tcp", 80)), "10.96.0.20", "fd00::20"),
                        List.of(
                                endpoint("10.244.4.1", "web-0", true),
                                endpoint("10.244.4.2", "", true),
                                endpoint("10.244.4.3", "web-2", false),
                                endpoint("fd00:4::1", "web-0", true)))
                .with(
                        clusterIp(
                                "shop",
                                "two",
                                List.of(new DnsPort("", "tcp", 80), new DnsPort("https", "tcp", 443)),
                                "10.96.0.21"),
                        List.of())
                .with(
                        headless("portless", false),
                        List.of(new DnsEndpoint(IpAddress.parse("10.244.1.8"), "", true, List.of())))
                .with(headless("db", false), database())
                .with(headless("all", true), database())
                .with(headless("empty", false), List.of())
                .with(alias("ext", "www.example.org"), List.of())
                .with(alias("inner", "web.shop.svc.cluster.local"), List.of())
                .with(alias("lost", "gone.shop.svc.cluster.local"), List.of())
                .with(alias("loop", "loop.shop.svc.cluster.local"), List.of())
                .with(headless("big", false), big(200));
    }

    static DnsService clusterIp(String namespace, String name, List<DnsPort> ports, String... addresses) {
        return new DnsService(
                new ServiceName(namespace, name),
                DnsService.Kind.CLUSTER_IP,
                Stream.of(addresses).map(IpAddress::parse).toList(),
                "",
                ports,
                false);
    }

    static DnsService headless(String name, boolean publishNotReady) {
        return new DnsService(
                new ServiceName("shop", name), DnsService.Kind.HEADLESS, List.of(), "", List.of(), publishNotReady);
    }

    static DnsService alias(String name, String target) {
        return new DnsService(
                new ServiceName("shop", name), DnsService.Kind.EXTERNAL_NAME, List.of(), target, List.of(), false);
    }

    static DnsEndpoint endpoint(String address, String hostname, boolean ready) {
        return new DnsEndpoint(IpAddress.parse(address), hostname, ready, SQL);
    }

    private static List<DnsEndpoint> database() {
        return List.of(
                endpoint("10.244.1.5", "db-0", true),
                endpoint("10.244.2.6", "", true),
                endpoint("10.244.2.7", "", false));
    }

    private static List<DnsEndpoint> big(int size) {
        IpAddress first = IpAddress.parse("10.245.0.1");
        return Stream.iterate(0, i -> i < size, i -> i + 1)
                .map(i -> new DnsEndpoint(first.plus(i), "", true, SQL))
                .toList();
    }
}
