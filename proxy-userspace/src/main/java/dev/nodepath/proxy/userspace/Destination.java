package dev.nodepath.proxy.userspace;

import dev.nodepath.linux.IpAddress;

/**
 * Where a client meant to connect to.
 *
 * @param address of a Service or, for a NodePort, of this node
 * @param port 1 to 65535
 */
record Destination(IpAddress address, int port) {
    @Override
    public String toString() {
        return address.withPort(port);
    }
}
