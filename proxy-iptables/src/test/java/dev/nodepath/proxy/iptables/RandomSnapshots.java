package dev.nodepath.proxy.iptables;

import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.Snapshots;
import java.util.List;
import java.util.Random;

/** Snapshots of every shape, the same ones for the same seed. */
final class RandomSnapshots {
    private static final List<Protocol> PROTOCOLS = List.of(Protocol.values());
    private static final int SERVICES_MAX = 12;
    private static final int ENDPOINTS_MAX = 6;

    private final Random random;

    RandomSnapshots(long seed) {
        random = new Random(seed);
    }

    ServiceSnapshot next() {
        int services = random.nextInt(SERVICES_MAX);
        if (services == 0) {
            return ServiceSnapshot.EMPTY;
        }
        Snapshots snapshot = Snapshots.service("first/first", "10.96.1.0", 80);
        for (int i = 1; i < services; i++) {
            add(snapshot, i);
        }
        return snapshot.build();
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
            snapshot.loadBalancerIps(either("198.51.100." + i, "fd00:100::" + i));
        }
        for (int host = random.nextInt(ENDPOINTS_MAX); host > 0; host--) {
            String endpoint = random.nextBoolean()
                    ? "10.244." + i + "." + host + ":8080"
                    : "[fd00:10:244:" + i + "::" + host + "]:8080";
            if (random.nextInt(4) == 0) {
                snapshot.unreadyEndpoint(endpoint, "n1");
            } else {
                snapshot.endpoint(endpoint, "n1");
            }
        }
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
