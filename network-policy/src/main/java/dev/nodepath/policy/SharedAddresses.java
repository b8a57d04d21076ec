package dev.nodepath.policy;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.policy.object.PolicyPod;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.pcollections.HashTreePMap;
import org.pcollections.PMap;

/**
 * Addresses that the status of several Pods shows: the API is late to report the end of one of them. The last pod to
 * show an address has it. If several showed it at once, the first one by name has it. One thread uses it.
 */
final class SharedAddresses {
    private PMap<NamespacedName, PolicyPod> known = HashTreePMap.empty();

    /** The pod that has each address. */
    private final Map<IpAddress, NamespacedName> holders = new HashMap<>();

    /** The other pods whose status shows an address, the latest one last. */
    private final Map<IpAddress, List<NamespacedName>> others = new HashMap<>();

    /**
     * The pods, with each address at only one of them.
     *
     * @param touched the pods that differ from those of the last call
     * @param changed is told of further pods that have lost an address, or got it back
     */
    PMap<NamespacedName, PolicyPod> divide(
            PMap<NamespacedName, PolicyPod> pods,
            Collection<NamespacedName> touched,
            Consumer<NamespacedName> changed) {
        List<NamespacedName> lastFirst =
                touched.stream().sorted(Comparator.reverseOrder()).toList();
        lastFirst.forEach(name -> added(known, pods, name).forEach(address -> lose(name, address, changed)));
        lastFirst.forEach(name -> added(pods, known, name).forEach(address -> gain(name, address, changed)));
        known = pods;
        PMap<NamespacedName, PolicyPod> divided = pods;
        for (Map.Entry<IpAddress, List<NamespacedName>> each : others.entrySet()) {
            for (NamespacedName name : each.getValue()) {
                PolicyPod pod = Objects.requireNonNull(divided.get(name));
                divided = divided.plus(name, pod.without(each.getKey()));
            }
        }
        return divided;
    }

    /** The addresses of a pod in one map that it lacks in the other. */
    private static List<IpAddress> added(
            PMap<NamespacedName, PolicyPod> in, PMap<NamespacedName, PolicyPod> notIn, NamespacedName name) {
        List<IpAddress> without = addresses(notIn.get(name));
        return addresses(in.get(name)).stream()
                .filter(address -> !without.contains(address))
                .distinct()
                .toList();
    }

    private static List<IpAddress> addresses(@Nullable PolicyPod pod) {
        return pod == null ? List.of() : pod.addresses();
    }

    private void lose(NamespacedName name, IpAddress address, Consumer<NamespacedName> changed) {
        List<NamespacedName> rest = others.getOrDefault(address, List.of());
        if (!name.equals(holders.get(address))) {
            rest.remove(name);
        } else if (rest.isEmpty()) {
            holders.remove(address);
        } else {
            NamespacedName next = rest.remove(rest.size() - 1);
            holders.put(address, next);
            changed.accept(next);
        }
        if (rest.isEmpty()) {
            others.remove(address);
        }
    }

    private void gain(NamespacedName name, IpAddress address, Consumer<NamespacedName> changed) {
        NamespacedName before = holders.put(address, name);
        if (before != null && !before.equals(name)) {
            others.computeIfAbsent(address, missing -> new ArrayList<>()).add(before);
            changed.accept(before);
        }
    }
}
