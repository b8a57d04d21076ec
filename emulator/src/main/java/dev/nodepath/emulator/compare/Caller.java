package dev.nodepath.emulator.compare;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.namespace.NetworkNamespace;

/**
 * A place that calls Services.
 *
 * @param path the name of the path from here to the backends
 * @param namespace of its sockets
 * @param node whose proxy forwards its calls
 * @param kind pod, node or outside
 * @param address its own; for a node the address on the nodes' network
 */
record Caller(String path, NetworkNamespace namespace, String node, Kind kind, IpAddress address) {
    enum Kind {
        POD,
        NODE,
        OUTSIDE
    }
}
