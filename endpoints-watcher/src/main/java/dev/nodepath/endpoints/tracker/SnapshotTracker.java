package dev.nodepath.endpoints.tracker;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceSnapshot;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Turns objects of the cluster into snapshots. Objects are put and removed in any order, a slice also before its
 * Service; {@link #commit} then answers the snapshot and exactly what differs from the one before. For one thread.
 *
 * <p>Only Services that were touched since the last commit are looked at again. Copying the maps into the snapshot still
 * costs what the cluster is large.
 */
public final class SnapshotTracker {
    private final Map<NamespacedName, Service> services = new HashMap<>();
    private final Map<NamespacedName, EndpointSlice> slices = new HashMap<>();
    /** The slices of each Service by name, so that the order of events does not show in the result. */
    private final Map<NamespacedName, NavigableMap<NamespacedName, EndpointSlice>> slicesByService = new HashMap<>();

    private final NavigableMap<String, NodeInfo> nodes = new TreeMap<>();

    /** Services to look at again at the next commit, with the slices whose trigger time counts if something differs. */
    private final Map<NamespacedName, Set<NamespacedName>> touched = new HashMap<>();

    private final NavigableMap<ServicePortName, ServicePort> ports = new TreeMap<>();
    private final Map<NamespacedName, List<ServicePortName>> portsByService = new HashMap<>();
    private final Map<ServicePortName, List<Endpoint>> endpoints = new HashMap<>();
    private ServiceSnapshot snapshot = ServiceSnapshot.EMPTY;

    /**
     * The state after a commit.
     *
     * @param snapshot everything
     * @param change what differs from the snapshot of the commit before; empty if nothing does
     */
    public record Update(ServiceSnapshot snapshot, ChangeSet change) {}

    /** Adds or replaces a Service. */
    public void put(Service service) {
        Service before = services.put(service.name(), service);
        if (!service.equals(before)) {
            Set<NamespacedName> triggers = touched.computeIfAbsent(service.name(), name -> new HashSet<>());
            if (before == null) {
                // Slices that were there before their Service take effect only now.
                triggers.addAll(slicesOf(service.name()).keySet());
            }
        }
    }

    /** Removes a Service; its slices are kept until they are removed themselves. */
    public void removeService(NamespacedName name) {
        if (services.remove(name) != null) {
            touched.computeIfAbsent(name, key -> new HashSet<>());
        }
    }

    /** Adds or replaces a slice, which may have moved to another Service. */
    public void put(EndpointSlice slice) {
        EndpointSlice before = slices.put(slice.name(), slice);
        if (before != null && !before.service().equals(slice.service())) {
            unlink(before);
        }
        slicesByService.computeIfAbsent(slice.service(), key -> new TreeMap<>()).put(slice.name(), slice);
        if (before == null || !slice.sameEndpoints(before)) {
            touched.computeIfAbsent(slice.service(), key -> new HashSet<>()).add(slice.name());
        }
    }

    /** Removes a slice. */
    public void removeSlice(NamespacedName name) {
        EndpointSlice before = slices.remove(name);
        if (before != null) {
            unlink(before);
        }
    }

    /** Adds or replaces a Node. */
    public void put(NodeInfo node) {
        nodes.put(node.name(), node);
    }

    /** Removes a Node. */
    public void removeNode(String name) {
        nodes.remove(name);
    }

    /** Makes these the only objects: puts them all and removes the others. */
    public void replaceAll(ClusterObjects objects) {
        replace(services, objects.services(), Service::name, this::removeService, this::put);
        replace(slices, objects.slices(), EndpointSlice::name, this::removeSlice, this::put);
        replace(nodes, objects.nodes(), NodeInfo::name, this::removeNode, this::put);
    }

    /** Takes what was put and removed since the last commit into a new snapshot. */
    public Update commit() {
        Set<ServicePortName> changed = new TreeSet<>();
        Optional<Instant> lastTrigger = Optional.empty();
        for (Map.Entry<NamespacedName, Set<NamespacedName>> entry : touched.entrySet()) {
            if (rebuild(entry.getKey(), changed)) {
                lastTrigger = newest(lastTrigger, entry.getValue());
            }
        }
        touched.clear();
        boolean nodesChanged = !nodes.equals(snapshot.nodes());
        if (changed.isEmpty() && !nodesChanged) {
            return new Update(snapshot, ChangeSet.NONE);
        }
        snapshot = new ServiceSnapshot(ports, endpoints, nodes);
        return new Update(snapshot, new ChangeSet(new TreeSet<>(changed), nodesChanged, lastTrigger));
    }

    /** Builds the ports of one Service anew, adds those that differ to the set and tells whether there are any. */
    private boolean rebuild(NamespacedName name, Set<ServicePortName> changed) {
        Map<ServicePortName, ServicePort> now = new LinkedHashMap<>();
        Service service = services.get(name);
        if (service != null) {
            service.ports().forEach(port -> now.put(port.name(), port));
        }
        boolean differs = false;
        for (ServicePortName old : portsByService.getOrDefault(name, List.of())) {
            if (!now.containsKey(old)) {
                ports.remove(old);
                endpoints.remove(old);
                changed.add(old);
                differs = true;
            }
        }
        Collection<EndpointSlice> of = slicesOf(name).values();
        for (ServicePort port : now.values()) {
            List<Endpoint> merged = EndpointMerge.endpoints(port.name(), of);
            boolean samePort = port.equals(ports.put(port.name(), port));
            List<Endpoint> before =
                    merged.isEmpty() ? endpoints.remove(port.name()) : endpoints.put(port.name(), merged);
            if (!samePort || !merged.equals(before == null ? List.of() : before)) {
                changed.add(port.name());
                differs = true;
            }
        }
        if (now.isEmpty()) {
            portsByService.remove(name);
        } else {
            portsByService.put(name, List.copyOf(now.keySet()));
        }
        return differs;
    }

    private Optional<Instant> newest(Optional<Instant> newest, Set<NamespacedName> names) {
        for (NamespacedName name : names) {
            EndpointSlice slice = slices.get(name);
            Optional<Instant> trigger = slice == null ? Optional.empty() : slice.trigger();
            if (trigger.isPresent() && (newest.isEmpty() || trigger.get().isAfter(newest.get()))) {
                newest = trigger;
            }
        }
        return newest;
    }

    private void unlink(EndpointSlice slice) {
        NavigableMap<NamespacedName, EndpointSlice> siblings = slicesByService.get(slice.service());
        if (siblings != null && siblings.remove(slice.name()) != null && siblings.isEmpty()) {
            slicesByService.remove(slice.service());
        }
        touched.computeIfAbsent(slice.service(), key -> new HashSet<>());
    }

    private NavigableMap<NamespacedName, EndpointSlice> slicesOf(NamespacedName service) {
        NavigableMap<NamespacedName, EndpointSlice> of = slicesByService.get(service);
        return of == null ? new TreeMap<>() : of;
    }

    private static <K, V> void replace(
            Map<K, V> known, List<V> wanted, Function<V, K> name, Consumer<K> remove, Consumer<V> put) {
        Set<K> gone = new HashSet<>(known.keySet());
        wanted.forEach(object -> gone.remove(name.apply(object)));
        gone.forEach(remove);
        wanted.forEach(put);
    }
}
