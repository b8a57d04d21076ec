package dev.nodepath.endpoints.trace;

import dev.nodepath.endpoints.Protocol;
import dev.nodepath.linux.address.IpAddress;

/**
 * The first packet of a connection.
 *
 * @param source the sender.
 * @param protocol its transport protocol
 * @param destination where it is sent to, of the source's family
 * @param port the port there, 1 to 65535
 * @param inputInterface the link that receives it. Empty if unknown or if this host sends the packet.
 */
public record TracedPacket(
        IpAddress source, Protocol protocol, IpAddress destination, int port, String inputInterface) {

    public TracedPacket {
        if (port < 1 || port > 65535) {
            throw new IllegalArgumentException("port: " + port + " (expected: 1 to 65535)");
        }
        if (source.family() != destination.family()) {
            throw new IllegalArgumentException(
                    "destination: " + destination + " (expected: an " + source.family() + " address, as the source)");
        }
    }

    @Override
    public String toString() {
        return protocol.lowerCase() + " " + source + " -> " + destination.withPort(port);
    }
}
