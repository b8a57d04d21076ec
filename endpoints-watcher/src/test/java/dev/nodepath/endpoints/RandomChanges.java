package dev.nodepath.endpoints;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** A cluster that changes by one to three service ports at a time, the same way for the same seed. */
public final class RandomChanges {
    private static final int CHANGED_MAX = 3;

    private final Random random;
    private final RandomSnapshots snapshots;
    private final TreeMap<ServicePortName, ServicePort> services = new TreeMap<>();
    private final Map<ServicePortName, List<Endpoint>> endpoints = new TreeMap<>();
    private final TreeMap<String, NodeInfo> nodes = new TreeMap<>();
    private ServiceSnapshot last = ServiceSnapshot.EMPTY;

    /** The changes of this seed. */
    public RandomChanges(long seed) {
        random = new Random(seed);
        snapshots = new RandomSnapshots(seed);
    }

    /** A snapshot, and its differences from the previous one: without any it is the same object, like a tracker's. */
    public record Step(ServiceSnapshot snapshot, ChangeSet changed) {}

    /** The next change. */
    public Step next() {
        ServiceSnapshot other = snapshots.next();
        nodes.putAll(other.nodes());
        Set<ServicePortName> names = new TreeSet<>(services.keySet());
        names.addAll(other.services().keySet());
        List<ServicePortName> candidates = new ArrayList<>(names);
        Set<ServicePortName> changed = new TreeSet<>();
        for (int i = 1 + random.nextInt(CHANGED_MAX); i > 0 && !candidates.isEmpty(); i--) {
            changed.add(candidates.get(random.nextInt(candidates.size())));
        }
        changed.forEach(name -> take(name, other));
        boolean nodesChanged = !nodes.equals(last.nodes());
        if (changed.isEmpty() && !nodesChanged) {
            return new Step(last, ChangeSet.NONE);
        }
        last = new ServiceSnapshot(services, endpoints, nodes);
        return new Step(last, new ChangeSet(new TreeSet<>(changed), nodesChanged, new TreeMap<>(), 0, 0));
    }

    private void take(ServicePortName name, ServiceSnapshot other) {
        ServicePort service = other.services().get(name);
        if (service == null) {
            services.remove(name);
            endpoints.remove(name);
        } else {
            services.put(name, service);
            endpoints.put(name, other.endpoints().getOrDefault(name, List.of()));
        }
    }
}
