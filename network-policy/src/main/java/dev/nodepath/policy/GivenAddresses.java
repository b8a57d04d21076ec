package dev.nodepath.policy;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.policy.object.PolicyPod;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.pcollections.PMap;

/** Addresses that pods of this node have got and that the status of their Pods does not have yet. For one thread. */
final class GivenAddresses {
    private final Map<NamespacedName, Given> given = new HashMap<>();

    /**
     * What one pod has got.
     *
     * @param uid of its Pod; empty if unknown
     * @param seen whether the Pod was there
     */
    private record Given(String uid, List<IpAddress> addresses, boolean seen) {
        boolean isOf(PolicyPod pod) {
            return uid.isEmpty() || pod.uid().equals(uid);
        }
    }

    void put(NamespacedName pod, String uid, List<IpAddress> addresses) {
        given.put(pod, new Given(uid, List.copyOf(addresses), false));
    }

    void remove(NamespacedName pod) {
        given.remove(pod);
    }

    /** The pods with these addresses. Forgets those that a status has, and those of pods that are gone. */
    PMap<NamespacedName, PolicyPod> addTo(PMap<NamespacedName, PolicyPod> pods) {
        PMap<NamespacedName, PolicyPod> with = pods;
        for (Iterator<Map.Entry<NamespacedName, Given>> each = given.entrySet().iterator(); each.hasNext(); ) {
            Map.Entry<NamespacedName, Given> entry = each.next();
            PolicyPod pod = pods.get(entry.getKey());
            Given addresses = entry.getValue();
            if (pod == null || !addresses.isOf(pod)) {
                if (addresses.seen) {
                    each.remove();
                }
            } else if (pod.addresses().containsAll(addresses.addresses)) {
                each.remove();
            } else {
                entry.setValue(new Given(addresses.uid, addresses.addresses, true));
                with = with.plus(entry.getKey(), pod.withAlso(addresses.addresses));
            }
        }
        return with;
    }
}
