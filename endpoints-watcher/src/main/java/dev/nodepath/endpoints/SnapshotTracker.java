package dev.nodepath.endpoints;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;

/**
 * Turns objects of the cluster into snapshots. Objects may be put and removed in any order, a slice even before its
 * Service. {@link #commit} returns the snapshot and the exact difference from the previous one. Not thread-safe.
 *
 * <p>The cost of a commit is proportional to the change: it reads only Services that were touched, and the maps of the
 * snapshot are persistent.
 */
public final class SnapshotTracker {
    private final Map<NamespacedName, Service> services = new HashMap<>();
    private final Map<NamespacedName, EndpointSlice> slices = new HashMap<>();
    /** The slices of each Service by name, so that the order of events does not change the result. */
    private final Map<NamespacedName, List<EndpointSlice>> slicesByService = new HashMap<>();

    /** The Services that the next commit reads. */
    private final Map<NamespacedName, PendingChange> touched = new HashMap<>();

    private final Set<String> touchedNodes = new HashSet<>();

    private TreePMap<ServicePortName, ServicePort> ports = TreePMap.empty();
    private TreePMap<ServicePortName, List<Endpoint>> endpoints = TreePMap.empty();
    private TreePMap<String, NodeInfo> nodes = TreePMap.empty();
    private TreePMap<String, ServiceCidr> serviceCidrs = TreePMap.empty();
    private ServiceSnapshot snapshot = ServiceSnapshot.EMPTY;

    /**
     * The state after a commit.
     *
     * @param snapshot everything
     * @param change the differences from the snapshot of the last commit; empty if there are none
     */
    public record Update(ServiceSnapshot snapshot, ChangeSet change) {}

    /** Adds or replaces a Service. */
    public void put(Service service) {
        Service before = services.put(service.name(), service);
        if (!service.equals(before)) {
            PendingChange pending = touch(service.name(), before);
            pending.serviceChanged();
            if (before == null) {
                slicesOf(service.name()).forEach(pending::sliceWaited);
            }
        }
    }

    /** Removes a Service; its slices are kept until they are removed themselves. */
    public void removeService(NamespacedName name) {
        Service before = services.remove(name);
        if (before != null) {
            touch(name, before).serviceChanged();
        }
    }

    /** Adds or replaces a slice, which may have moved to another Service. */
    public void put(EndpointSlice slice) {
        EndpointSlice before = slices.put(slice.name(), slice);
        if (before != null && !before.service().equals(slice.service())) {
            unlink(before);
        }
        List<EndpointSlice> siblings = new ArrayList<>(slicesOf(slice.service()));
        siblings.removeIf(sibling -> sibling.name().equals(slice.name()));
        siblings.add(slice);
        siblings.sort(Comparator.comparing(EndpointSlice::name));
        slicesByService.put(slice.service(), List.copyOf(siblings));
        if (before == null || !slice.sameEndpoints(before)) {
            touch(slice.service(), services.get(slice.service())).sliceChanged(slice);
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

    /** Adds or replaces a ServiceCIDR. */
    public void put(ServiceCidr range) {
        serviceCidrs = serviceCidrs.plus(range.name(), range);
    }

    /** Removes a ServiceCIDR. */
    public void removeServiceCidr(String name) {
        serviceCidrs = serviceCidrs.minus(name);
    }

    /** Makes these the only objects: puts them all and removes the others. */
    public void replaceAll(ClusterObjects objects) {
        replace(services.keySet(), objects.services(), Service::name, this::removeService, this::put);
        replace(slices.keySet(), objects.slices(), EndpointSlice::name, this::removeSlice, this::put);
        replace(nodes.keySet(), objects.nodes(), NodeInfo::name, this::removeNode, this::put);
        replace(serviceCidrs.keySet(), objects.serviceCidrs(), ServiceCidr::name, this::removeServiceCidr, this::put);
    }

    /**
     * Makes a snapshot with the changes since the last commit. If it throws, the next commit includes the same changes.
     */
    public Update commit() {
        TreePMap<ServicePortName, ServicePort> portsBefore = ports;
        TreePMap<ServicePortName, List<Endpoint>> endpointsBefore = endpoints;
        try {
            return commitTouched();
        } catch (RuntimeException e) {
            ports = portsBefore;
            endpoints = endpointsBefore;
            throw e;
        }
    }

    private Update commitTouched() {
        Set<ServicePortName> changed = new TreeSet<>();
        TreeMap<NamespacedName, List<Instant>> triggers = new TreeMap<>();
        int serviceChanges = 0;
        int endpointChanges = 0;
        for (Map.Entry<NamespacedName, PendingChange> entry : touched.entrySet()) {
            PendingChange pending = entry.getValue();
            if (rebuild(entry.getKey(), pending.before(), changed)) {
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
        nodesChanged |= !serviceCidrs.equals(snapshot.serviceCidrs());
        if (changed.isEmpty() && !nodesChanged) {
            return new Update(snapshot, ChangeSet.NONE);
        }
        snapshot = new ServiceSnapshot(ports, endpoints, nodes, serviceCidrs);
        ChangeSet change =
                new ChangeSet(new TreeSet<>(changed), nodesChanged, triggers, serviceChanges, endpointChanges);
        return new Update(snapshot, change);
    }

    /** Builds the ports of one Service again, and adds the changed ones to the set. Returns whether there are any. */
    private boolean rebuild(NamespacedName name, List<ServicePort> before, Set<ServicePortName> changed) {
        Service service = services.get(name);
        List<ServicePort> now = service == null ? List.of() : service.ports();
        Set<ServicePortName> names = now.stream().map(ServicePort::name).collect(Collectors.toSet());
        boolean differs = false;
        for (ServicePort port : before) {
            ServicePortName old = port.name();
            if (!names.contains(old)) {
                ports = ports.minus(old);
                endpoints = endpoints.minus(old);
                changed.add(old);
                differs = true;
            }
        }
        List<EndpointSlice> of = slicesOf(name);
        for (ServicePort port : now) {
            if (rebuild(port, of)) {
                changed.add(port.name());
                differs = true;
            }
        }
        return differs;
    }

    private boolean rebuild(ServicePort port, List<EndpointSlice> of) {
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

    private PendingChange touch(NamespacedName service, @Nullable Service before) {
        return touched.computeIfAbsent(service, name -> new PendingChange(before == null ? List.of() : before.ports()));
    }

    private void unlink(EndpointSlice slice) {
        List<EndpointSlice> siblings = slicesOf(slice.service()).stream()
                .filter(sibling -> !sibling.name().equals(slice.name()))
                .toList();
        if (siblings.isEmpty()) {
            slicesByService.remove(slice.service());
        } else {
            slicesByService.put(slice.service(), List.copyOf(siblings));
        }
        touch(slice.service(), services.get(slice.service())).sliceRemoved();
    }

    private List<EndpointSlice> slicesOf(NamespacedName service) {
        return slicesByService.getOrDefault(service, List.of());
    }

    private static <K, V> void replace(
            Set<K> known, List<V> wanted, Function<V, K> name, Consumer<K> remove, Consumer<V> put) {
        Set<K> gone = new HashSet<>(known);
        wanted.forEach(object -> gone.remove(name.apply(object)));
        gone.forEach(remove);
        wanted.forEach(put);
    }
}
