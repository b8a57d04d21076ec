package dev.nodepath.linux.conntrack;

import dev.nodepath.linux.address.IpAddress;

/**
 * A flow that the kernel tracks: its addresses as the first packet bore them, and as packets of the answer bear them. The
 * two differ by what NAT does.
 *
 * @param protocol as in the IP header: 6 is TCP, 17 UDP
 * @param zone of both directions; 0 is the default zone
 * @param id the kernel's own number of the entry: it tells one from a later one with the same tuples, unless that one happens to
 *     lie at the same place in memory
 * @param answered whether a packet has come back ({@code IPS_SEEN_REPLY})
 */
public record ConntrackFlow(int protocol, Tuple original, Tuple reply, int zone, int id, boolean answered) {

    /** One that nobody has answered. */
    public ConntrackFlow(int protocol, Tuple original, Tuple reply, int zone, int id) {
        this(protocol, original, reply, zone, id, false);
    }

    /**
     * One direction of a flow.
     *
     * @param sourcePort 0 if the protocol has none
     * @param destinationPort 0 if the protocol has none
     * @param zone of this direction alone; 0 mostly
     */
    public record Tuple(IpAddress source, IpAddress destination, int sourcePort, int destinationPort, int zone) {}

    /** Whether its packets go somewhere else than where they were sent. */
    public boolean isDestinationTranslated() {
        return !reply.source().equals(original.destination()) || reply.sourcePort() != original.destinationPort();
    }

    /** Whether both directions are in the default zone. */
    public boolean isInDefaultZone() {
        return zone == 0 && original.zone() == 0 && reply.zone() == 0;
    }
}
