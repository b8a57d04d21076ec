package dev.nodepath.proxy.nftables;

import dev.nodepath.endpoints.DetectLocal;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.Snapshots;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftTableState;
import java.util.List;
import java.util.stream.Stream;

/** Services at the limits of the API server or nf_tables. */
record HardInput(String name, ServiceSnapshot snapshot) {
    static final NftablesConfig CONFIG = NftablesConfig.DEFAULTS.with(draft -> {
        draft.nodeName = "n1";
        draft.detectLocal =
                new DetectLocal.ClusterCidr(List.of(Cidr.parse("10.244.0.0/16"), Cidr.parse("fd00:10:244::/56")));
    });

    /** The longest names that the API server takes. */
    static final String LONG_NAME = "n".repeat(63) + "/" + "s".repeat(63) + ":" + "p".repeat(15);

    private static final IpAddress FIRST_POD = IpAddress.parse("10.244.0.1");

    static Stream<HardInput> all() {
        return Stream.of(
                longNames(),
                new HardInput("ten thousand ports", ports(10_000)),
                new HardInput("thousand endpoints", endpoints(Snapshots.service("ns/many:p", "10.96.0.1", 80), 1000)),
                new HardInput(
                        "five thousand endpoints",
                        endpoints(
                                Snapshots.service("ns/many:p", "10.96.0.1", 80).nodePort(30001), 5000)),
                new HardInput(
                        "thousand endpoints with affinity",
                        endpoints(Snapshots.service(LONG_NAME, "10.96.0.1", 80).affinity(10_800), 1000)),
                twoServicesWithOneExternalIp(),
                endpointOfTheWrongFamily(),
                affinityAtBothEnds(),
                sourceRanges());
    }

    NftablesContext context(IpFamily family, boolean sharedMaps) {
        return NftablesContext.of(snapshot, CONFIG, family, sharedMaps);
    }

    NftTableState table(IpFamily family, boolean sharedMaps) {
        return NftablesRules.of(snapshot, context(family, sharedMaps));
    }

    private static Snapshots named(Snapshots snapshots) {
        return snapshots.node("n1", "172.30.0.1,fd00:30::1", "");
    }

    private static HardInput longNames() {
        Snapshots snapshot = Snapshots.service(LONG_NAME + "1", "10.96.0.1,fd00:10:96::1", 80)
                .nodePort(30001)
                .affinity(1)
                .endpoint("10.244.0.2:8080", "n1")
                .endpoint("[fd00:10:244:1111:2222:3333:4444:5555]:65535", "n1")
                .endpoint("[fd00:10:244:1111:2222:3333:4444:6666]:65535", "n2")
                .andService(LONG_NAME + "2", "10.96.0.1,fd00:10:96::1", 81)
                .nodePort(30002)
                .externalTrafficLocal()
                .endpoint("[fd00:10:244:1111:2222:3333:4444:6666]:65535", "n2")
                .endpoint("10.244.1.2:8080", "n2");
        return new HardInput("long names", named(snapshot).build());
    }

    private static ServiceSnapshot ports(int count) {
        Snapshots snapshot = Snapshots.service("ns/ports:p0", "10.96.0.1", 1).endpoint("10.244.0.2:1", "n1");
        for (int i = 1; i < count; i++) {
            snapshot =
                    snapshot.andService("ns/ports:p" + i, "10.96.0.1", 1 + i).endpoint("10.244.0.2:" + (1 + i), "n1");
        }
        return named(snapshot).build();
    }

    private static ServiceSnapshot endpoints(Snapshots service, int count) {
        Snapshots snapshot = service;
        for (int i = 0; i < count; i++) {
            snapshot = snapshot.endpoint(FIRST_POD.plus(i).withPort(8080), i % 2 == 0 ? "n1" : "n2");
        }
        return named(snapshot).build();
    }

    private static HardInput twoServicesWithOneExternalIp() {
        Snapshots snapshot = Snapshots.service("ns/a:p", "10.96.0.1", 80)
                .externalIps("192.0.2.1")
                .endpoint("10.244.0.2:80", "n1")
                .andService("ns/b:p", "10.96.0.2", 80)
                .externalIps("192.0.2.1")
                .endpoint("10.244.0.3:80", "n1");
        return new HardInput(
                "two services with one external IP", named(snapshot).build());
    }

    private static HardInput endpointOfTheWrongFamily() {
        Snapshots snapshot = Snapshots.service("ns/four:p", "10.96.0.1", 80).endpoint("[fd00:10:244::2]:80", "n1");
        return new HardInput("endpoint of the wrong family", named(snapshot).build());
    }

    private static HardInput affinityAtBothEnds() {
        Snapshots snapshot = Snapshots.service("ns/short:p", "10.96.0.1", 80)
                .affinity(1)
                .endpoint("10.244.0.2:80", "n1")
                .andService("ns/long:p", "10.96.0.2", 80)
                .affinity(86_400)
                .endpoint("10.244.0.2:80", "n1");
        return new HardInput("affinity of a second and a day", named(snapshot).build());
    }

    private static HardInput sourceRanges() {
        Snapshots snapshot = Snapshots.service("ns/overlap:p", "10.96.0.2", 80)
                .loadBalancerIps("198.51.100.2,198.51.100.3")
                .sourceRanges("10.0.0.0/8,10.1.0.0/16,10.1.2.3/32,11.0.0.0/16,203.0.113.7/32,255.255.255.0/24")
                .endpoint("10.244.0.2:80", "n1")
                .andService("ns/halves:p", "10.96.0.3", 80)
                .loadBalancerIps("198.51.100.4")
                .sourceRanges("0.0.0.0/1,128.0.0.0/1")
                .endpoint("10.244.0.2:80", "n1")
                .andService("ns/one:p", "10.96.0.4", 80)
                .loadBalancerIps("198.51.100.5")
                .sourceRanges("203.0.113.7/32")
                .endpoint("10.244.0.2:80", "n1");
        return new HardInput("source ranges", named(snapshot).build());
    }

    @Override
    public String toString() {
        return name;
    }
}
