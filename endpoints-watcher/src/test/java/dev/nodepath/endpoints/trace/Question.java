package dev.nodepath.endpoints.trace;

import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.trace.RoutedNetwork.Host;
import dev.nodepath.linux.address.IpAddress;

/** The sender of a connection's first packet, and its destination. */
public record Question(Host client, TracedPacket packet) {
    /** From the client's own address. */
    static Question of(Host client, Protocol protocol, IpAddress destination, int port) {
        return from(client, client.address(destination.family()), protocol, destination, port);
    }

    /** From any address that the client has. */
    static Question from(Host client, IpAddress source, Protocol protocol, IpAddress destination, int port) {
        String link = switch (client) {
            case NODE -> "";
            case LOCAL_SERVER -> "pod1";
            case LOCAL_CLIENT -> "pod2";
            case NEIGHBOUR, REMOTE_CLIENT, REMOTE_SERVER, OUTSIDE -> "uplink";
        };
        return new Question(client, new TracedPacket(source, protocol, destination, port, link));
    }
}
