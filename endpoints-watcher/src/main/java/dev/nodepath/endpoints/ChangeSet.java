package dev.nodepath.endpoints;

import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What differs between the snapshot a proxy holds and the one it is given.
 *
 * @param servicePorts the service ports whose Service or endpoints were added, changed or removed
 * @param nodes whether a Node was added, changed or removed
 * @param lastTrigger the newest {@code endpoints.kubernetes.io/last-change-trigger-time} of the changed slices: when the
 *     change happened in the cluster; empty if no slice bears one
 */
public record ChangeSet(SortedSet<ServicePortName> servicePorts, boolean nodes, Optional<Instant> lastTrigger) {

    /** Nothing differs. */
    public static final ChangeSet NONE = new ChangeSet(new TreeSet<>(), false, Optional.empty());

    /** Copies the set. */
    public ChangeSet {
        servicePorts = Collections.unmodifiableSortedSet(new TreeSet<>(servicePorts));
    }

    /** A change of service ports without a trigger time. */
    public static ChangeSet of(Collection<ServicePortName> servicePorts) {
        return new ChangeSet(new TreeSet<>(servicePorts), false, Optional.empty());
    }

    /** Whether nothing differs. */
    public boolean isEmpty() {
        return servicePorts.isEmpty() && !nodes;
    }

    /** This change followed by a later one. */
    public ChangeSet and(ChangeSet later) {
        SortedSet<ServicePortName> all = new TreeSet<>(servicePorts);
        all.addAll(later.servicePorts);
        return new ChangeSet(
                all,
                nodes || later.nodes,
                later.lastTrigger.isPresent()
                                && (lastTrigger.isEmpty()
                                        || later.lastTrigger.get().isAfter(lastTrigger.get()))
                        ? later.lastTrigger
                        : lastTrigger);
    }
}
