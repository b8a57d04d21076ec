package dev.nodepath.proxy.userspace.relay;

import dev.nodepath.endpoints.Protocol;
import dev.nodepath.linux.address.IpAddress;
import java.net.InetSocketAddress;

/**
 * Decides which endpoints a client may be connected to. It is not asked about the node itself. Any thread may ask.
 */
@FunctionalInterface
public interface ConnectionPolicy {
    /** Every client may be connected to every endpoint. */
    ConnectionPolicy NONE = (client, endpoint, protocol) -> true;

    /** Whether a new connection of the client may go to the endpoint. */
    boolean allows(IpAddress client, InetSocketAddress endpoint, Protocol protocol);
}
