package dev.nodepath.policy;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.policy.object.PolicyPod;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.pcollections.PMap;

/** Addresses that pods of this node have got and that the status of their Pods does not have yet. For one thread. */
final class GivenAddresses {
    /** A pod that the API does not tell of by then is forgotten. */
    private static final Duration UNSEEN_MAX = Duration.ofMinutes(10);

    private final Map<NamespacedName, Given> given = new HashMap<>();

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
    }

    /** An earlier process was told them, unless they were those of an earlier pod of this name. */
    void putEarlier(PolicyPod pod, List<IpAddress> addresses) {
        given.putIfAbsent(pod.name(), new Given(pod.uid(), List.copyOf(addresses), System.nanoTime(), true, false));
    }

    /** Removes these, and not what a later call has put. */
    void remove(NamespacedName pod, List<IpAddress> addresses) {
        Given had = given.get(pod);
        if (had != null && had.addresses.equals(addresses)) {
            given.remove(pod);
        }
    }

    /** Removes what has one of these; returns the pods. */
    Set<NamespacedName> removeAny(Set<IpAddress> addresses) {
        Set<NamespacedName> had = new HashSet<>();
        given.forEach((pod, each) -> {
            if (!Collections.disjoint(each.addresses, addresses)) {
                had.add(pod);
            }
        });
        given.keySet().removeAll(had);
        return had;
    }

    /** The pods with these addresses. Forgets those that a status has, and those of pods that are gone. */
    PMap<NamespacedName, PolicyPod> addTo(PMap<NamespacedName, PolicyPod> pods) {
        PMap<NamespacedName, PolicyPod> with = pods;
        for (Iterator<Map.Entry<NamespacedName, Given>> each = given.entrySet().iterator(); each.hasNext(); ) {
            Map.Entry<NamespacedName, Given> entry = each.next();
            PolicyPod pod = pods.get(entry.getKey());
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
}
