package dev.nodepath.endpoints;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.EndpointSlice.Address;
import dev.nodepath.endpoints.EndpointSlice.Port;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/** Random changes to a few objects: the tracker that follows them equals a tracker that gets everything at once. */
class SnapshotTrackerRandomTest {
    private static final int STEPS = 300;

    private final Map<NamespacedName, Service> services = new HashMap<>();
    private final Map<NamespacedName, EndpointSlice> slices = new HashMap<>();
    private final Map<String, NodeInfo> nodes = new HashMap<>();
    private final SnapshotTracker tracker = new SnapshotTracker();

    @RepeatedTest(20)
    void equalsAFreshBuild(RepetitionInfo repetition) {
        long seed = System.nanoTime() + repetition.getCurrentRepetition();
        Random random = new Random(seed);
        ServiceSnapshot before = ServiceSnapshot.EMPTY;
        for (int step = 0; step < STEPS; step++) {
            for (int i = random.nextInt(4); i >= 0; i--) {
                change(random);
            }
            if (random.nextInt(10) == 0) {
                tracker.replaceAll(everything());
            }
            SnapshotTracker.Update update = tracker.commit();

            SnapshotTracker fresh = new SnapshotTracker();
            fresh.replaceAll(everything());
            assertThat(update.snapshot())
                    .as("seed %d step %d", seed, step)
                    .isEqualTo(fresh.commit().snapshot());
            assertThat(update.change().servicePorts())
                    .as("seed %d step %d", seed, step)
                    .isEqualTo(changedPorts(before, update.snapshot()));
            assertThat(update.change().nodes())
                    .as("seed %d step %d", seed, step)
                    .isEqualTo(!before.nodes().equals(update.snapshot().nodes()));
            before = update.snapshot();
        }
    }

    /** A relist alone, with objects missing from it, comes to the same. */
    @RepeatedTest(5)
    void aRelistRemovesWhatItMisses(RepetitionInfo repetition) {
        long seed = System.nanoTime() + repetition.getCurrentRepetition();
        Random random = new Random(seed);
        for (int i = 0; i < 30; i++) {
            change(random);
        }
        tracker.commit();
        services.values().removeIf(service -> random.nextBoolean());
        slices.values().removeIf(slice -> random.nextBoolean());
        nodes.values().removeIf(node -> random.nextBoolean());

        tracker.replaceAll(everything());

        SnapshotTracker fresh = new SnapshotTracker();
        fresh.replaceAll(everything());
        assertThat(tracker.commit().snapshot())
                .as("seed %d", seed)
                .isEqualTo(fresh.commit().snapshot());
    }

    private void change(Random random) {
        NamespacedName service = new NamespacedName("ns", "s" + random.nextInt(3));
        NamespacedName slice = new NamespacedName("ns", "slice" + random.nextInt(5));
        String node = "n" + random.nextInt(2);
        switch (random.nextInt(7)) {
            case 0 -> {
                services.remove(service);
                tracker.removeService(service);
            }
            case 1 -> {
                slices.remove(slice);
                tracker.removeSlice(slice);
            }
            case 2 -> {
                nodes.remove(node);
                tracker.removeNode(node);
            }
            case 3 -> {
                NodeInfo value = new NodeInfo(node, "z" + random.nextInt(2), List.of(), List.of());
                nodes.put(node, value);
                tracker.put(value);
            }
            case 4 -> {
                Service value = service(random, service);
                services.put(service, value);
                tracker.put(value);
            }
            default -> {
                EndpointSlice value = slice(random, slice, service);
                slices.put(slice, value);
                tracker.put(value);
            }
        }
    }

    private static Service service(Random random, NamespacedName name) {
        List<ServicePort> ports = new ArrayList<>();
        for (String port : List.of("", "a", "b")) {
            if (random.nextBoolean()) {
                ServicePortName portName = new ServicePortName(name, port, protocol(random));
                List<IpAddress> ips = List.of(IpAddress.parse("10.96.0." + random.nextInt(2)));
                ports.add(new ServicePort(portName, ips, 80, 0, List.of(), List.of()));
            }
        }
        return new Service(name, ports);
    }

    private static EndpointSlice slice(Random random, NamespacedName name, NamespacedName service) {
        List<Port> ports = new ArrayList<>();
        for (String port : List.of("", "a", "b")) {
            if (random.nextBoolean()) {
                ports.add(new Port(port, protocol(random), 8080 + random.nextInt(2)));
            }
        }
        List<Address> addresses = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            IpAddress ip = IpAddress.parse("10.0.0." + random.nextInt(4));
            addresses.add(new Address(
                    ip, "n" + random.nextInt(2), random.nextBoolean(), random.nextBoolean(), random.nextBoolean()));
        }
        return new EndpointSlice(name, service, ports, addresses, Optional.empty());
    }

    private static Protocol protocol(Random random) {
        return random.nextInt(4) == 0 ? Protocol.UDP : Protocol.TCP;
    }

    private ClusterObjects everything() {
        return new ClusterObjects(
                List.copyOf(services.values()), List.copyOf(slices.values()), List.copyOf(nodes.values()), List.of());
    }

    private static Set<ServicePortName> changedPorts(ServiceSnapshot before, ServiceSnapshot after) {
        Set<ServicePortName> ports = new TreeSet<>();
        Stream.concat(before.services().keySet().stream(), after.services().keySet().stream())
                .filter(name -> !Objects.equals(
                                before.services().get(name), after.services().get(name))
                        || Stream.of(IpFamily.values())
                                .anyMatch(family ->
                                        !before.endpoints(name, family).equals(after.endpoints(name, family))))
                .forEach(ports::add);
        return ports;
    }
}
