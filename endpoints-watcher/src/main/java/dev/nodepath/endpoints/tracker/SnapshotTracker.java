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
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import org.pcollections.TreePMap;

/**
 * Turns objects of the cluster into snapshots. Objects are put and removed in any order, a slice also before its
 * Service; {@link #commit} then answers the snapshot and exactly what differs from the one before. For one thread.
 *
 * <p>Only Services that were touched since the last commit are looked at again, and the maps of the snapshot are persistent,
 * so a commit costs what changed.
 */
public final class SnapshotTracker {
    private final Map<NamespacedName, Service> services = new HashMap<>();
    private final Map<NamespacedName, EndpointSlice> slices = new HashMap<>();
    /** The slices of each Service by name, so that the order of events does not show in the result. */
    private final Map<NamespacedName, NavigableMap<NamespacedName, EndpointSlice>> slicesByService = new HashMap<>();

    /** Services to look at again at the next commit. */
    private final Map<NamespacedName, PendingChange> touched = new HashMap<>();

    private final Set<String> touchedNodes = new HashSet<>();

    private final Map<NamespacedName, List<ServicePortName>> portsByService = new HashMap<>();
    private TreePMap<ServicePortName, ServicePort> ports = TreePMap.empty();
    private TreePMap<ServicePortName, List<Endpoint>> endpoints = TreePMap.empty();
    private TreePMap<String, NodeInfo> nodes = TreePMap.empty();
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
            PendingChange pending = touch(service.name());
            pending.serviceChanged();
            if (before == null) {
                slicesOf(service.name()).values().forEach(pending::sliceWaited);
            }
        }
    }

    /** Removes a Service; its slices are kept until they are removed themselves. */
    public void removeService(NamespacedName name) {
        if (services.remove(name) != null) {
            touch(name).serviceChanged();
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
            touch(slice.service()).sliceChanged(slice);
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
        nodes = nodes.plus(node.name(), node);
        touchedNodes.add(node.name());
    }

    /** Removes a Node. */
    public void removeNode(String name) {
        nodes = nodes.minus(name);
        touchedNodes.add(name);
    }

    /** Makes these the only objects: puts them all and removes the others. */
    public void replaceAll(ClusterObjects objects) {
        replace(services.keySet(), objects.services(), Service::name, this::removeService, this::put);
        replace(slices.keySet(), objects.slices(), EndpointSlice::name, this::removeSlice, this::put);
        replace(nodes.keySet(), objects.nodes(), NodeInfo::name, this::removeNode, this::put);
    }

    /** Takes what was put and removed since the last commit into a new snapshot. */
    public Update commit() {
        Set<ServicePortName> changed = new TreeSet<>();
        TreeMap<NamespacedName, List<Instant>> triggers = new TreeMap<>();
        int serviceChanges = 0;
        int endpointChanges = 0;
        for (Map.Entry<NamespacedName, PendingChange> entry : touched.entrySet()) {
            PendingChange pending = entry.getValue();
            if (rebuild(entry.getKey(), changed)) {
                serviceChanges += pending.serviceChanges();
                endpointChanges += pending.endpointChanges();
                List<Instant> times = pending.triggers();
                if (!times.isEmpty()) {
                    triggers.put(entry.getKey(), times);
                }
            }
        }
        touched.clear();
        boolean nodesChanged = touchedNodes.stream()
                .anyMatch(name ->
                        !Objects.equals(nodes.get(name), snapshot.nodes().get(name)));
        touchedNodes.clear();
        if (changed.isEmpty() && !nodesChanged) {
            return new Update(snapshot, ChangeSet.NONE);
        }
        snapshot = new ServiceSnapshot(ports, endpoints, nodes);
        ChangeSet change =
                new ChangeSet(new TreeSet<>(changed), nodesChanged, triggers, serviceChanges, endpointChanges);
        return new Update(snapshot, change);
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
                ports = ports.minus(old);
                endpoints = endpoints.minus(old);
                changed.add(old);
                differs = true;
            }
        }
        Collection<EndpointSlice> of = slicesOf(name).values();
        for (ServicePort port : now.values()) {
            if (rebuild(port, of)) {
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

    private boolean rebuild(ServicePort port, Collection<EndpointSlice> of) {
        boolean differs = false;
        if (!port.equals(ports.get(port.name()))) {
            ports = ports.plus(port.name(), port);
            differs = true;
        }
        List<Endpoint> merged = EndpointMerge.endpoints(port.name(), of);
        if (!merged.equals(endpoints.getOrDefault(port.name(), List.of()))) {
            endpoints = merged.isEmpty() ? endpoints.minus(port.name()) : endpoints.plus(port.name(), merged);
            differs = true;
        }
        return differs;
    }

    private PendingChange touch(NamespacedName service) {
        return touched.computeIfAbsent(service, name -> new PendingChange());
    }

    private void unlink(EndpointSlice slice) {
        NavigableMap<NamespacedName, EndpointSlice> siblings = slicesByService.get(slice.service());
        if (siblings != null && siblings.remove(slice.name()) != null && siblings.isEmpty()) {
            slicesByService.remove(slice.service());
        }
        touch(slice.service()).sliceRemoved();
    }

    private NavigableMap<NamespacedName, EndpointSlice> slicesOf(NamespacedName service) {
        NavigableMap<NamespacedName, EndpointSlice> of = slicesByService.get(service);
        return of == null ? new TreeMap<>() : of;
    }

    private static <K, V> void replace(
            Set<K> known, List<V> wanted, Function<V, K> name, Consumer<K> remove, Consumer<V> put) {
        Set<K> gone = new HashSet<>(known);
        wanted.forEach(object -> gone.remove(name.apply(object)));
        gone.forEach(remove);
        wanted.forEach(put);
    }
}
