package dev.nodepath.policy.object;

import dev.nodepath.linux.address.IpAddress;

/**
 * The first packet of a connection, after its destination was translated and before its source is.
 *
 * @param protocol the number of the transport protocol (IANA, Protocol Numbers)
 * @param port the destination port; 0 if the protocol has none
 * @param fromOwnNode whether the node of the destination has sent it
 */
public record PolicyPacket(IpAddress source, IpAddress destination, int protocol, int port, boolean fromOwnNode) {
    /** A packet that the node of the destination has not sent itself. */
    public PolicyPacket(IpAddress source, IpAddress destination, int protocol, int port) {
        this(source, destination, protocol, port, false);
    }
}
