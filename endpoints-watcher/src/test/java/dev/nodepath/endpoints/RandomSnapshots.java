package dev.nodepath.endpoints;

import java.util.List;
import java.util.Random;

/** Snapshots of every shape, the same ones for the same seed. */
public final class RandomSnapshots {
    private static final List<Protocol> PROTOCOLS = List.of(Protocol.values());
    private static final int SERVICES_MAX = 12;
    private static final int ENDPOINTS_MAX = 6;

    private final Random random;

    /** The snapshots of this seed. */
    public RandomSnapshots(long seed) {
        random = new Random(seed);
    }

    /** The next one. */
    public ServiceSnapshot next() {
        int services = random.nextInt(SERVICES_MAX);
        if (services == 0) {
            return ServiceSnapshot.EMPTY;
        }
        Snapshots snapshot = Snapshots.service("first/first", "10.96.1.0", 80);
        for (int i = 1; i < services; i++) {
            add(snapshot, i);
        }
        return snapshot.node("n1", "zone0", "172.30.0.1,fd00:30::1", "10.244.1.0/24")
                .build();
    }

    private void add(Snapshots snapshot, int i) {
        String name = "ns" + random.nextInt(3) + "/svc" + i + (random.nextBoolean() ? ":p" : "");
        Protocol protocol = PROTOCOLS.get(random.nextInt(PROTOCOLS.size()));
        snapshot.andService(name, protocol, either("10.96.0." + i, "fd00:96::" + i), 1 + random.nextInt(65535));
        if (random.nextBoolean()) {
            snapshot.nodePort(30000 + i);
        }
        if (random.nextBoolean()) {
            snapshot.externalIps(either("192.168.99." + i, "fd00:99::" + i));
        }
        if (random.nextBoolean()) {
            String ips = either("198.51.100." + i, "fd00:100::" + i);
            snapshot.loadBalancerIps(random.nextInt(3) == 0 ? ips + ",198.51.101." + i + ",fd00:101::" + i : ips);
        }
        addPolicy(snapshot);
        for (int host = random.nextInt(ENDPOINTS_MAX); host > 0; host--) {
            String endpoint = random.nextBoolean()
                    ? "10.244." + i + "." + host + ":8080"
                    : "[fd00:10:244:" + i + "::" + host + "]:8080";
            String node = "n" + random.nextInt(3);
            switch (random.nextInt(6)) {
                case 0 -> snapshot.unreadyEndpoint(endpoint, node);
                case 1 -> snapshot.drainingEndpoint(endpoint, node);
                case 2 -> snapshot.hintedEndpoint(endpoint, node, "zone" + random.nextInt(2), "");
                default -> snapshot.endpoint(endpoint, node);
            }
        }
    }

    private void addPolicy(Snapshots snapshot) {
        if (random.nextInt(3) == 0) {
            snapshot.internalTrafficLocal();
        }
        if (random.nextInt(2) == 0) {
            snapshot.externalTrafficLocal();
        }
        if (random.nextInt(3) == 0) {
            snapshot.affinity(1 + random.nextInt(10_800));
        }
        if (random.nextInt(3) == 0) {
            snapshot.sourceRanges(sourceRanges());
        }
        if (random.nextInt(3) == 0) {
            snapshot.healthCheckNodePort(32000);
        }
    }

    /** Ranges that overlap, that are given twice, that hold the node, and that admit everybody. */
    private String sourceRanges() {
        StringBuilder ranges = new StringBuilder(either("203.0.113.0/25", "fd00:113::/64"));
        for (int more = random.nextInt(4); more > 0; more--) {
            ranges.append(',')
                    .append(
                            switch (random.nextInt(5)) {
                                case 0 -> "203.0.113.0/25,fd00:113::/64";
                                case 1 -> either("203.0.113.0/24", "fd00:113::/32");
                                case 2 -> either("172.30.0.0/24", "fd00:30::/64");
                                case 3 -> either("0.0.0.0/0", "::/0");
                                default -> either("192.0.2." + random.nextInt(256) + "/32", "2001:db8::1/128");
                            });
        }
        return ranges.toString();
    }

    /** One of them, or both. */
    private String either(String ipv4, String ipv6) {
        return switch (random.nextInt(3)) {
            case 0 -> ipv4;
            case 1 -> ipv6;
            default -> ipv4 + "," + ipv6;
        };
    }
}
