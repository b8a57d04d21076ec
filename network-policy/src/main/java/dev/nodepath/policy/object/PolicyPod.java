package dev.nodepath.policy.object;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.linux.address.IpAddress;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A pod with addresses of its own that has not ended: what policies ask of it. Pods with the addresses of their node
 * are none, and selectors never choose them.
 *
 * @param uid tells it from another pod of this name
 * @param node the name of its node
 * @param addresses of both families; none before it has got some
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

    /** Whether a runtime means it by this UID; an empty one stands for any pod of the name. */
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
