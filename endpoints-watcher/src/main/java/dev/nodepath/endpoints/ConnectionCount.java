package dev.nodepath.endpoints;

import dev.nodepath.linux.address.IpFamily;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The number of connections that the rules sent to one endpoint of a service port. nat rules see only the first packet
 * of a connection, so a rule's packet counter counts connections. It restarts at 0 when the chain is rewritten.
 *
 * @param connections since then, 0 or more
 */
public record ConnectionCount(ServicePortName service, Endpoint endpoint, long connections) {

    /** The names of the chains of a service port. */
    public interface Chains {
        /** Gives the name of the chain that leads to an endpoint. */
        Function<Endpoint, String> of(ServicePortName service);
    }

    /**
     * Finds the counts of all endpoints.
     *
     * @param snapshot the snapshot in force. Chains that it does not know are left out.
     * @param packets counted packets by chain
     */
    public static List<ConnectionCount> of(
            ServiceSnapshot snapshot, IpFamily family, Chains chains, Map<String, Long> packets) {
        List<ConnectionCount> counts = new ArrayList<>();
        for (ServicePortName service : snapshot.services().keySet()) {
            Function<Endpoint, String> chain = chains.of(service);
            for (Endpoint endpoint : snapshot.endpoints(service, family)) {
                Long connections = packets.get(chain.apply(endpoint));
                if (connections != null) {
                    counts.add(new ConnectionCount(service, endpoint, connections));
                }
            }
        }
        return counts;
    }
}
