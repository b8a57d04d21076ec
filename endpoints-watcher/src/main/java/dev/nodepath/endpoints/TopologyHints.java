package dev.nodepath.endpoints;

import java.util.List;

/**
 * For whom an endpoint is meant ({@code hints} of an EndpointSlice). Whether that is heeded depends on the hints of all
 * endpoints, see {@link EndpointSelection}.
 *
 * @param zones {@code forZones}
 * @param nodes {@code forNodes}
 */
public record TopologyHints(List<String> zones, List<String> nodes) {
    /** For everyone. */
    public static final TopologyHints NONE = new TopologyHints(List.of(), List.of());

    /** Copies the lists. */
    public TopologyHints {
        zones = List.copyOf(zones);
        nodes = List.copyOf(nodes);
    }

    /** Hints of these names; the shared value if there are none, as most endpoints have none. */
    public static TopologyHints of(List<String> zones, List<String> nodes) {
        return zones.isEmpty() && nodes.isEmpty() ? NONE : new TopologyHints(zones, nodes);
    }
}
