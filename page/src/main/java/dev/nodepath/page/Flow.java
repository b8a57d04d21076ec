package dev.nodepath.page;

import java.util.List;

/**
 * A connection, or datagrams between two ports, and what the nodes on its way made of it.
 *
 * @param id the same each time that the list is read
 * @param protocol {@code tcp} or {@code udp}
 * @param from who has begun it
 * @param to what it was sent to
 * @param service the Service that it was sent to; empty if to none
 * @param end where it goes in fact
 * @param seen the address and port that the end sees
 * @param state of TCP, as {@code conntrack(8)} names it; of UDP {@code ANSWERED} or {@code UNANSWERED}
 * @param endpoint whether the Service still sends new connections to the end: {@code ready}, {@code unready},
 *     {@code ending}, {@code gone}; empty if the end is no endpoint of a Service
 * @param packets of both directions
 * @param bytes of both directions, IP headers included
 * @param entries what the nodes remember of it, in the order of its way
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
     * One of its two ends, or what it was sent to.
     *
     * @param name of a pod, a node, a Service's port or the client; empty if nobody has this address
     * @param address with its port
     */
    public record Place(String name, String address) {}

    /**
     * What a node remembers of it (conntrack).
     *
     * @param node its name
     * @param sent source and destination of what came
     * @param became the same of what went on
     */
    public record Entry(String node, String sent, String became) {}
}
