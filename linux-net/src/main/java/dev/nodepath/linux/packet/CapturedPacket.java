package dev.nodepath.linux.packet;

/**
 * A packet on a link.
 *
 * @param link its index in the namespace
 * @param outgoing whether it leaves the namespace by this link; else it comes in
 * @param nanos when, since 1970, by the clock that all namespaces share. A bridge has the time of its port.
 * @param header source and destination; of a packet in VXLAN those of the inner packet
 * @param sequence the number of a TCP packet, which address translation leaves as it is; 0 of other protocols
 * @param encapsulated whether it is in VXLAN on this link
 */
public record CapturedPacket(
        int link, boolean outgoing, long nanos, PacketHeader header, int sequence, boolean encapsulated) {}
