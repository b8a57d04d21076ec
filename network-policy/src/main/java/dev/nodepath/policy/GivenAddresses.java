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
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.pcollections.PMap;

/**
 * Addresses that pods of this node have got. The status of their Pods has them later. Who had them before has them no
 * more, whatever its status says. For one thread.
 */
final class GivenAddresses {
    /** A pod that the API does not tell of by then is forgotten. */
    private static final Duration UNSEEN_MAX = Duration.ofMinutes(10);

    /** What the status of a Pod does not have yet. */
    private final Map<NamespacedName, Given> given = new HashMap<>();

    /** The pod that got an address last: while the address is given to it, or its Pod has the address. */
    private final Map<IpAddress, NamespacedName> owners = new HashMap<>();

    /** The addresses of owners that nobody has looked up earlier pods for yet. */
    private final Set<IpAddress> fresh = new HashSet<>();

    /** The pods that had an owner's address before, and whose Pods still have it. */
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

    /** A pod gets these, and nobody else has them any more; returns the pods that have others now. */
    Set<NamespacedName> put(NamespacedName pod, String uid, List<IpAddress> addresses) {
        given.values().removeIf(each -> !each.seen && each.isForgotten());
        Set<NamespacedName> changed = removeAny(Set.copyOf(addresses));
        own(pod, new Given(uid, List.copyOf(addresses), System.nanoTime(), false, false));
        changed.add(pod);
        return changed;
    }

    /** An earlier process was told them, and this one has given them to nobody. */
    void putEarlier(PolicyPod pod, List<IpAddress> addresses) {
        List<IpAddress> free = addresses.stream()
                .filter(address -> !owners.containsKey(address))
                .toList();
        if (!free.isEmpty() && !given.containsKey(pod.name())) {
            own(pod.name(), new Given(pod.uid(), free, System.nanoTime(), true, false));
        }
    }

    private void own(NamespacedName pod, Given addresses) {
        given.put(pod, addresses);
        addresses.addresses.forEach(address -> owners.put(address, pod));
        fresh.addAll(addresses.addresses);
    }

    /** Removes these, and not what a later call has put; returns the pods that have others now. */
    Set<NamespacedName> remove(NamespacedName pod, List<IpAddress> addresses) {
        Given had = given.get(pod);
        return had == null || !had.addresses.equals(addresses) ? Set.of() : removeAny(Set.copyOf(addresses));
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
        addresses.forEach(address -> had.addAll(disown(address)));
        return had;
    }

    private Set<NamespacedName> disown(IpAddress address) {
        owners.remove(address);
        fresh.remove(address);
        Set<NamespacedName> had = earlier.remove(address);
        return had == null ? Set.of() : had;
    }

    /**
     * The pods with these addresses. Forgets those that a status has, and those of pods that are gone.
     *
     * @param touched the pods that are others than at the last call
     * @param changed is told of pods that have lost an address, or have it again
     */
    PMap<NamespacedName, PolicyPod> addTo(
            PMap<NamespacedName, PolicyPod> pods, Set<NamespacedName> touched, Consumer<NamespacedName> changed) {
        forget(pods, changed);
        findEarlier(pods, touched, changed);
        PMap<NamespacedName, PolicyPod> with = withoutEarlier(pods);
        for (Map.Entry<NamespacedName, Given> each : given.entrySet()) {
            PolicyPod pod = with.get(each.getKey());
            if (pod != null && pod.isOf(each.getValue().uid)) {
                with = with.plus(each.getKey(), pod.withAlso(each.getValue().addresses));
            }
        }
        return with;
    }

    private void forget(PMap<NamespacedName, PolicyPod> pods, Consumer<NamespacedName> changed) {
        for (Iterator<Map.Entry<NamespacedName, Given>> each = given.entrySet().iterator(); each.hasNext(); ) {
            Map.Entry<NamespacedName, Given> entry = each.next();
            PolicyPod pod = pods.get(entry.getKey());
            Given addresses = entry.getValue();
            if (pod == null || !pod.isOf(addresses.uid)) {
                if (addresses.isForgotten()) {
                    each.remove();
                }
            } else if (addresses.isKnownTo(withoutOthers(pod))) {
                each.remove();
            } else {
                entry.setValue(addresses.asSeen());
            }
        }
        List<IpAddress> left = owners.entrySet().stream()
                .filter(entry -> !isOwner(entry.getValue(), entry.getKey(), pods))
                .map(Map.Entry::getKey)
                .toList();
        left.forEach(address -> disown(address).forEach(changed));
    }

    /** A pod without the addresses that others have got. */
    private PolicyPod withoutOthers(PolicyPod pod) {
        PolicyPod own = pod;
        for (IpAddress address : pod.addresses()) {
            if (!owners.getOrDefault(address, pod.name()).equals(pod.name())) {
                own = own.without(address);
            }
        }
        return own;
    }

    private boolean isOwner(NamespacedName name, IpAddress address, PMap<NamespacedName, PolicyPod> pods) {
        Given addresses = given.get(name);
        return (addresses != null && addresses.addresses.contains(address)) || has(pods.get(name), address);
    }

    /** A Pod may also show an address that was another pod's already: the API is late. */
    private void findEarlier(
            PMap<NamespacedName, PolicyPod> pods, Set<NamespacedName> touched, Consumer<NamespacedName> changed) {
        for (NamespacedName name : fresh.isEmpty() ? List.copyOf(touched) : List.copyOf(pods.keySet())) {
            PolicyPod pod = pods.get(name);
            for (IpAddress address : pod == null ? List.<IpAddress>of() : pod.addresses()) {
                NamespacedName owner = owners.get(address);
                if (owner != null && !owner.equals(name)) {
                    earlier.computeIfAbsent(address, unused -> new HashSet<>()).add(name);
                    changed.accept(name);
                }
            }
        }
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
