package dev.nodepath.linux.conntrack;

import dev.nodepath.linux.address.IpAddress;

/**
 * A flow that the kernel tracks: the addresses of its first packet, and the addresses of packets of the answer. They
 * differ if NAT translates the flow.
 *
 * @param protocol as in the IP header: 6 is TCP, 17 UDP
 * @param zone of both directions; 0 is the default zone
 * @param id the kernel's number of the entry. A later entry with the same tuples has another number, unless it lies at
 *     the same place in memory.
 * @param answered whether a packet has come back ({@code IPS_SEEN_REPLY})
 * @param progress its state, packets and bytes
 */
public record ConntrackFlow(
        int protocol, Tuple original, Tuple reply, int zone, int id, boolean answered, FlowProgress progress) {

    /** A flow whose progress is not known. */
    public ConntrackFlow(int protocol, Tuple original, Tuple reply, int zone, int id, boolean answered) {
        this(protocol, original, reply, zone, id, answered, FlowProgress.UNKNOWN);
    }

    /** A flow without an answer. */
    public ConntrackFlow(int protocol, Tuple original, Tuple reply, int zone, int id) {
        this(protocol, original, reply, zone, id, false);
    }

    /**
     * One direction of a flow.
     *
     * @param sourcePort 0 if the protocol has none
     * @param destinationPort 0 if the protocol has none
     * @param zone of this direction alone; usually 0
     */
    public record Tuple(IpAddress source, IpAddress destination, int sourcePort, int destinationPort, int zone) {}

    /** Whether NAT changes the destination of its packets. */
    public boolean isDestinationTranslated() {
        return !reply.source().equals(original.destination()) || reply.sourcePort() != original.destinationPort();
    }

    /** Whether both directions are in the default zone. */
    public boolean isInDefaultZone() {
        return zone == 0 && original.zone() == 0 && reply.zone() == 0;
    }
}
