package dev.nodepath.policy;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.policy.object.PolicyPod;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.pcollections.PMap;

/**
 * Addresses that pods of this node have got and that the status of their Pods does not have yet. Who had them before
 * has them no more, whatever its status says. For one thread.
 */
final class GivenAddresses {
    /** A pod that the API does not tell of by then is forgotten. */
    private static final Duration UNSEEN_MAX = Duration.ofMinutes(10);

    private final Map<NamespacedName, Given> given = new HashMap<>();

    /** The pods of addresses that nobody has looked up earlier pods for yet. */
    private final Map<IpAddress, NamespacedName> fresh = new HashMap<>();

    /** The pods that had an address before another one got it, and whose Pods still have it. */
    private final Map<IpAddress, Set<NamespacedName>> earlier = new HashMap<>();

    /**
     * What one pod has got.
     *
     * @param uid of its Pod; empty if unknown
     * @param nanos the time
     * @param untilStatus whether any address in the Pod's status takes their place
     * @param seen whether the Pod was there
     */
    private record Given(String uid, List<IpAddress> addresses, long nanos, boolean untilStatus, boolean seen) {
        boolean isKnownTo(PolicyPod pod) {
            return untilStatus ? !pod.addresses().isEmpty() : pod.addresses().containsAll(addresses);
        }

        Given asSeen() {
            return new Given(uid, addresses, nanos, untilStatus, true);
        }

        boolean isForgotten() {
            return seen || System.nanoTime() - nanos > UNSEEN_MAX.toNanos();
        }
    }

    void put(NamespacedName pod, String uid, List<IpAddress> addresses) {
        given.values().removeIf(each -> !each.seen && each.isForgotten());
        given.put(pod, new Given(uid, List.copyOf(addresses), System.nanoTime(), false, false));
        addresses.forEach(address -> fresh.put(address, pod));
    }

    /** An earlier process was told them, unless they were those of an earlier pod of this name. */
    void putEarlier(PolicyPod pod, List<IpAddress> addresses) {
        given.putIfAbsent(pod.name(), new Given(pod.uid(), List.copyOf(addresses), System.nanoTime(), true, false));
    }

    /** Removes these, and not what a later call has put; returns the pods that have others now. */
    Set<NamespacedName> remove(NamespacedName pod, List<IpAddress> addresses) {
        Given had = given.get(pod);
        if (had == null || !had.addresses.equals(addresses)) {
            return Set.of();
        }
        given.remove(pod);
        Set<NamespacedName> changed = forgetEarlier(addresses);
        changed.add(pod);
        return changed;
    }

    private Set<NamespacedName> forgetEarlier(Collection<IpAddress> addresses) {
        Set<NamespacedName> pods = new HashSet<>();
        for (IpAddress address : addresses) {
            fresh.remove(address);
            Set<NamespacedName> had = earlier.remove(address);
            pods.addAll(had == null ? Set.of() : had);
        }
        return pods;
    }

    /** Removes what has one of these; returns the pods that have others now. */
    Set<NamespacedName> removeAny(Set<IpAddress> addresses) {
        Set<NamespacedName> had = new HashSet<>();
        given.forEach((pod, each) -> {
            if (!Collections.disjoint(each.addresses, addresses)) {
                had.add(pod);
            }
        });
        given.keySet().removeAll(had);
        had.addAll(forgetEarlier(addresses));
        return had;
    }

    /**
     * The pods with these addresses. Forgets those that a status has, and those of pods that are gone.
     *
     * @param changed is told of pods that have lost an address
     */
    PMap<NamespacedName, PolicyPod> addTo(PMap<NamespacedName, PolicyPod> pods, Consumer<NamespacedName> changed) {
        findEarlier(pods, changed);
        PMap<NamespacedName, PolicyPod> with = withoutEarlier(pods);
        for (Iterator<Map.Entry<NamespacedName, Given>> each = given.entrySet().iterator(); each.hasNext(); ) {
            Map.Entry<NamespacedName, Given> entry = each.next();
            PolicyPod pod = with.get(entry.getKey());
            Given addresses = entry.getValue();
            if (pod == null || !pod.isOf(addresses.uid)) {
                if (addresses.isForgotten()) {
                    each.remove();
                }
            } else if (addresses.isKnownTo(pod)) {
                each.remove();
            } else {
                entry.setValue(addresses.asSeen());
                with = with.plus(entry.getKey(), pod.withAlso(addresses.addresses));
            }
        }
        return with;
    }

    private void findEarlier(PMap<NamespacedName, PolicyPod> pods, Consumer<NamespacedName> changed) {
        if (fresh.isEmpty()) {
            return;
        }
        for (PolicyPod pod : pods.values()) {
            for (IpAddress address : pod.addresses()) {
                NamespacedName now = fresh.get(address);
                if (now != null && !now.equals(pod.name())) {
                    earlier.computeIfAbsent(address, unused -> new HashSet<>()).add(pod.name());
                    changed.accept(pod.name());
                }
            }
        }
        fresh.forEach((address, pod) -> earlier.computeIfPresent(address, (same, had) -> {
            had.remove(pod);
            return had;
        }));
        fresh.clear();
    }

    private PMap<NamespacedName, PolicyPod> withoutEarlier(PMap<NamespacedName, PolicyPod> pods) {
        PMap<NamespacedName, PolicyPod> without = pods;
        for (Map.Entry<IpAddress, Set<NamespacedName>> each : earlier.entrySet()) {
            IpAddress address = each.getKey();
            each.getValue().removeIf(name -> !has(pods.get(name), address));
            for (NamespacedName name : each.getValue()) {
                PolicyPod pod = Objects.requireNonNull(without.get(name));
                without = without.plus(name, pod.without(address));
            }
        }
        earlier.values().removeIf(Set::isEmpty);
        return without;
    }

    private static boolean has(@Nullable PolicyPod pod, IpAddress address) {
        return pod != null && pod.addresses().contains(address);
    }
}
