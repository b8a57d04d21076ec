package dev.nodepath.endpoints.tracker;

import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.ServicePortName;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/** The endpoints of one service port out of all slices of its Service. */
final class EndpointMerge {
    /**
     * Which of two entries for one address and port holds. While an endpoint moves from slice to slice both may name it,
     * one of them late; one that takes connections is preferred, so that a move does not look like an outage.
     */
    private static final Comparator<Endpoint> PREFERENCE = Comparator.comparing((Endpoint endpoint) -> endpoint.ready())
            .thenComparing(Endpoint::serving)
            .thenComparing(Endpoint::terminating, Comparator.reverseOrder());

    private EndpointMerge() {}

    /**
     * The endpoints behind the slice ports of the same name and protocol, each address and port once, in the order of
     * their text. Of equally good entries the one of the first slice holds.
     */
    static List<Endpoint> endpoints(ServicePortName name, Collection<EndpointSlice> slices) {
        TreeMap<String, Endpoint> merged = new TreeMap<>();
        for (EndpointSlice slice : slices) {
            for (EndpointSlice.Port port : slice.ports()) {
                if (!port.name().equals(name.port()) || port.protocol() != name.protocol()) {
                    continue;
                }
                for (EndpointSlice.Address address : slice.addresses()) {
                    Endpoint endpoint = new Endpoint(
                            address.ip(),
                            port.port(),
                            address.nodeName(),
                            address.ready(),
                            address.serving(),
                            address.terminating(),
                            address.hints());
                    merged.merge(
                            endpoint.hostAndPort(),
                            endpoint,
                            (first, other) -> PREFERENCE.compare(other, first) > 0 ? other : first);
                }
            }
        }
        return List.copyOf(merged.values());
    }
}
