package dev.nodepath.page;

import java.util.List;

/**
 * A connection, or datagrams between two ports, and its changes on the nodes.
 *
 * @param id the same at each reading of the list
 * @param protocol {@code tcp} or {@code udp}
 * @param from the side that opened it
 * @param to its first destination
 * @param service the Service of that destination; empty if there is none
 * @param end its actual destination
 * @param seen the address and port that the end sees
 * @param state of TCP, as {@code conntrack(8)} names it; of UDP {@code ANSWERED} or {@code UNANSWERED}
 * @param endpoint whether the Service still sends new connections to the end: {@code ready}, {@code unready},
 *     {@code ending}, {@code gone}; empty if the end is no endpoint of a Service
 * @param packets of both directions
 * @param bytes of both directions, IP headers included
 * @param entries the nodes' connection tracking entries, in the order of its way
 */
public record Flow(
        String id,
        String protocol,
        Place from,
        Place to,
        String service,
        Place end,
        String seen,
        String state,
        String endpoint,
        long packets,
        long bytes,
        List<Entry> entries) {
    public Flow {
        entries = List.copyOf(entries);
    }

    /**
     * One of its ends, or its first destination.
     *
     * @param name of a pod, a node, a Service's port or the client; empty if the address is unknown
     * @param address with its port
     */
    public record Place(String name, String address) {}

    /**
     * A node's connection tracking entry (conntrack).
     *
     * @param node its name
     * @param sent source and destination on arrival
     * @param became source and destination on departure
     */
    public record Entry(String node, String sent, String became) {}
}
