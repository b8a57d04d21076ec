package dev.nodepath.endpoints;

import java.util.List;

/**
 * The {@code hints} of an endpoint in an EndpointSlice. They apply or not depending on the hints of all endpoints, see
 * {@link EndpointSelection}.
 *
 * @param zones {@code forZones}
 * @param nodes {@code forNodes}
 */
public record TopologyHints(List<String> zones, List<String> nodes) {
    /** No hints. */
    public static final TopologyHints NONE = new TopologyHints(List.of(), List.of());

    public TopologyHints {
        zones = List.copyOf(zones);
        nodes = List.copyOf(nodes);
    }

    /** Hints with these names. Most endpoints have none, so no hints are one shared value. */
    public static TopologyHints of(List<String> zones, List<String> nodes) {
        return zones.isEmpty() && nodes.isEmpty() ? NONE : new TopologyHints(zones, nodes);
    }
}
