package dev.nodepath.policy.object;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.linux.address.IpAddress;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A running pod with addresses of its own, and the fields that policies depend on. Pods with {@code hostNetwork} do
 * not count, and selectors never select them.
 *
 * @param uid tells it from another pod of this name
 * @param node the name of its node
 * @param addresses of both families; none before it has got any
 * @param ports the named ports of its containers
 */
public record PolicyPod(
        NamespacedName name,
        String uid,
        String node,
        Map<String, String> labels,
        List<IpAddress> addresses,
        List<NamedPort> ports) {
    public PolicyPod {
        labels = Map.copyOf(labels);
        addresses = List.copyOf(addresses);
        ports = List.copyOf(ports);
    }

    /** Whether a runtime's UID means this pod; an empty UID means any pod of the name. */
    public boolean isOf(String runtimesUid) {
        return runtimesUid.isEmpty() || uid.equals(runtimesUid);
    }

    /** The same with further addresses. */
    public PolicyPod withAlso(List<IpAddress> others) {
        Set<IpAddress> all = new LinkedHashSet<>(addresses);
        all.addAll(others);
        return new PolicyPod(name, uid, node, labels, List.copyOf(all), ports);
    }

    /** The same without an address. */
    public PolicyPod without(IpAddress other) {
        List<IpAddress> rest =
                addresses.stream().filter(address -> !address.equals(other)).toList();
        return new PolicyPod(name, uid, node, labels, rest, ports);
    }

    /** A port of a container by its name. */
    public record NamedPort(String name, Protocol protocol, int number) {}
}
