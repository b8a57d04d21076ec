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
 * Addresses that pods of this node got recently. The status of their Pods shows them later. An earlier owner has lost
 * such an address, whatever its status says. One thread uses it.
 */
final class GivenAddresses {
    /** After this time a pod that the API does not know is forgotten. */
    private static final Duration UNSEEN_MAX = Duration.ofMinutes(10);

    /** The addresses that the status of a Pod does not show yet. */
    private final Map<NamespacedName, Given> given = new HashMap<>();

    /** The last pod that got an address, as long as it is given the address or its status shows it. */
    private final Map<IpAddress, NamespacedName> owners = new HashMap<>();

    /** The addresses whose earlier owners are yet to be looked up. */
    private final Set<IpAddress> fresh = new HashSet<>();

    /** Earlier owners of an address, as long as their status still shows it. */
    private final Map<IpAddress, Set<NamespacedName>> earlier = new HashMap<>();

    /**
     * The addresses that one pod got.
     *
     * @param uid of its Pod; empty if unknown
     * @param nanos the time
     * @param untilStatus whether any address in the Pod's status replaces them
     * @param seen whether the API has shown the Pod
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

    /** Gives addresses to a pod, and takes them from all others; returns the pods whose addresses change. */
    Set<NamespacedName> put(NamespacedName pod, String uid, List<IpAddress> addresses) {
        given.values().removeIf(each -> !each.seen && each.isForgotten());
        Set<NamespacedName> changed = removeAny(Set.copyOf(addresses));
        own(pod, new Given(uid, List.copyOf(addresses), System.nanoTime(), false, false));
        changed.add(pod);
        return changed;
    }

    /** Gives a pod the addresses from an earlier process, unless this process has given them to another pod. */
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

    /** Removes these addresses, unless a later call has replaced them; returns the changed pods. */
    Set<NamespacedName> remove(NamespacedName pod, List<IpAddress> addresses) {
        Given had = given.get(pod);
        return had == null || !had.addresses.equals(addresses) ? Set.of() : removeAny(Set.copyOf(addresses));
    }

    /** Removes the pods with one of these addresses; returns the pods whose addresses change. */
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
     * Adds these addresses to the pods. Addresses that a status shows are forgotten, and so are those of lost pods.
     *
     * @param touched the pods that differ from those of the last call
     * @param changed is told of pods that have lost an address, or got it back
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

    /** A pod without the addresses of later owners. */
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

    /** A Pod's status may show an address that had another owner before: the API is late. */
    private void findEarlier(
            PMap<NamespacedName, PolicyPod> pods, Set<NamespacedName> touched, Consumer<NamespacedName> changed) {
        for (NamespacedName name : fresh.isEmpty() ? List.copyOf(touched) : List.copyOf(pods.keySet())) {
            PolicyPod pod = pods.get(name);
            for (IpAddress address : pod == null ? List.<IpAddress>of() : pod.addresses()) {
                NamespacedName owner = owners.get(address);
                if (owner != null && !owner.equals(name)) {
                    earlier.computeIfAbsent(address, missing -> new HashSet<>()).add(name);
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
