package dev.nodepath.endpoints;

import dev.nodepath.endpoints.EndpointSlice.Address;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;

/** Merges the slices of a Service into the endpoints of one service port. */
final class EndpointMerge {
    private EndpointMerge() {}

    /**
     * The endpoints of the slice ports with the same name and protocol, without duplicates, in the order of their text.
     * Among equal entries the first slice wins.
     */
    static List<Endpoint> endpoints(ServicePortName name, Collection<EndpointSlice> slices) {
        if (slices.size() == 1) {
            EndpointSlice only = slices.iterator().next();
            List<EndpointSlice.Port> ports = matching(name, only);
            if (ports.size() == 1 && !only.addresses().isEmpty()) {
                return new EndpointList(only.addresses(), ports.get(0).port());
            }
        }
        TreeMap<String, Endpoint> merged = new TreeMap<>();
        for (EndpointSlice slice : slices) {
            for (EndpointSlice.Port port : matching(name, slice)) {
                for (Address address : slice.addresses()) {
                    Endpoint endpoint = new Endpoint(address.ip(), port.port(), address.state());
                    merged.merge(
                            endpoint.hostAndPort(),
                            endpoint,
                            (first, other) ->
                                    AddressList.PREFERENCE.compare(other.state(), first.state()) > 0 ? other : first);
                }
            }
        }
        return merged.isEmpty() ? List.of() : packed(merged.values());
    }

    private static List<EndpointSlice.Port> matching(ServicePortName name, EndpointSlice slice) {
        return slice.ports().stream()
                .filter(port -> port.name().equals(name.port()) && port.protocol() == name.protocol())
                .toList();
    }

    private static List<Endpoint> packed(Collection<Endpoint> endpoints) {
        List<Address> addresses = endpoints.stream()
                .map(endpoint -> new Address(endpoint.address(), endpoint.state()))
                .toList();
        char[] ports = new char[addresses.size()];
        int index = 0;
        for (Endpoint endpoint : endpoints) {
            ports[index++] = (char) endpoint.port();
        }
        return new EndpointList(AddressList.inOrder(addresses), ports);
    }
}
