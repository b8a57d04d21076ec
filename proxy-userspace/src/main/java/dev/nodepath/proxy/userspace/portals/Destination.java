package dev.nodepath.proxy.userspace.portals;

import dev.nodepath.linux.address.IpAddress;

/**
 * The original destination of a client.
 *
 * @param address of a Service or, for a NodePort, of this node
 * @param port 1 to 65535
 */
public record Destination(IpAddress address, int port) {
    @Override
    public String toString() {
        return address.withPort(port);
    }
}
