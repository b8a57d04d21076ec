package dev.nodepath.endpoints;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import org.pcollections.TreePMap;
import org.pcollections.TreePSet;

/**
 * The difference between two snapshots. Immutable. The cost of joining a change to others is proportional to that
 * change.
 *
 * @param servicePorts the service ports whose Service or endpoints were added, changed or removed
 * @param nodes whether a Node or a ServiceCIDR was added, changed or removed
 * @param triggers the times of endpoint changes in the cluster, for each changed Service: the annotation
 *     {@code endpoints.kubernetes.io/last-change-trigger-time} of each changed slice, at most {@value #MAX_TRIGGERS};
 *     later ones are left out. No entry is empty
 * @param serviceChanges changes of Services that made this difference, each Service counted once between two snapshots
 * @param endpointChanges changes of slices that made this difference
 */
public record ChangeSet(
        SortedSet<ServicePortName> servicePorts,
        boolean nodes,
        SortedMap<NamespacedName, List<Instant>> triggers,
        int serviceChanges,
        int endpointChanges) {

    /** The trigger times that are kept for one Service while its changes wait. */
    public static final int MAX_TRIGGERS = 100;

    /** Nothing differs. */
    public static final ChangeSet NONE = new ChangeSet(TreePSet.empty(), false, TreePMap.empty(), 0, 0);

    /** Copies the set and the map, unless they are persistent ones. */
    public ChangeSet {
        servicePorts =
                servicePorts instanceof TreePSet<ServicePortName> already ? already : TreePSet.from(servicePorts);
        triggers =
                triggers instanceof TreePMap<NamespacedName, List<Instant>> already ? already : TreePMap.from(triggers);
    }

    /** A change of these service ports, without trigger times or counts. */
    public static ChangeSet of(Collection<ServicePortName> servicePorts) {
        return new ChangeSet(TreePSet.from(servicePorts), false, TreePMap.empty(), 0, 0);
    }

    /** Whether nothing differs. */
    public boolean isEmpty() {
        return servicePorts.isEmpty() && !nodes;
    }

    /** The newest trigger time that is kept; empty if no changed slice has one. */
    public Optional<Instant> lastTrigger() {
        return triggers.values().stream().flatMap(List::stream).max(Comparator.naturalOrder());
    }

    /**
     * The time of each change from its trigger to the moment when all are in force: the values that kube-proxy observes
     * as {@code network_programming_duration_seconds}.
     *
     * @param since changes that are not later are left out: they waited for this process to start
     * @param applied when the sync that applied them ended
     */
    public List<Duration> programmingDurations(Instant since, Instant applied) {
        return triggers.values().stream()
                .flatMap(List::stream)
                .filter(trigger -> trigger.isAfter(since))
                .map(trigger -> Duration.between(trigger, applied))
                .toList();
    }

    /** This change followed by a later one. */
    public ChangeSet and(ChangeSet later) {
        if (isEmpty() || later.isEmpty()) {
            return isEmpty() ? later : this;
        }
        TreePMap<NamespacedName, List<Instant>> all = TreePMap.from(triggers);
        for (Map.Entry<NamespacedName, List<Instant>> entry : later.triggers.entrySet()) {
            List<Instant> before = all.get(entry.getKey());
            all = all.plus(entry.getKey(), before == null ? entry.getValue() : joined(before, entry.getValue()));
        }
        return new ChangeSet(
                TreePSet.from(servicePorts).plusAll(later.servicePorts),
                nodes || later.nodes,
                all,
                serviceChanges + later.serviceChanges,
                endpointChanges + later.endpointChanges);
    }

    private static List<Instant> joined(List<Instant> before, List<Instant> later) {
        if (before.size() >= MAX_TRIGGERS) {
            return before;
        }
        List<Instant> all = new ArrayList<>(before);
        all.addAll(later.subList(0, Math.min(later.size(), MAX_TRIGGERS - before.size())));
        return List.copyOf(all);
    }
}
