package dev.nodepath.endpoints;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The changes of one Service and its slices since the last commit. */
final class PendingChange {
    /** The trigger times of the changed slices; an empty list for a slice without one. */
    private final Map<NamespacedName, List<Instant>> triggers = new HashMap<>();

    private final List<ServicePort> before;
    private boolean service;
    private int slices;

    /** The first change of a Service that had these ports at the last commit. */
    PendingChange(List<ServicePort> before) {
        this.before = before;
    }

    List<ServicePort> before() {
        return before;
    }

    void serviceChanged() {
        service = true;
    }

    void sliceChanged(EndpointSlice slice) {
        slices++;
        List<Instant> times = triggers.computeIfAbsent(slice.name(), name -> new ArrayList<>(1));
        slice.trigger().ifPresent(times::add);
    }

    /** A slice existed before its Service. It takes effect only now. */
    void sliceWaited(EndpointSlice slice) {
        if (!triggers.containsKey(slice.name())) {
            sliceChanged(slice);
        }
    }

    /** A slice was removed. Its trigger time belongs to an earlier change, so it no longer counts, as in kube-proxy. */
    void sliceRemoved() {
        slices++;
        triggers.clear();
    }

    int serviceChanges() {
        return service ? 1 : 0;
    }

    int endpointChanges() {
        return slices;
    }

    List<Instant> triggers() {
        return triggers.values().stream()
                .flatMap(List::stream)
                .sorted()
                .limit(ChangeSet.MAX_TRIGGERS)
                .toList();
    }
}
