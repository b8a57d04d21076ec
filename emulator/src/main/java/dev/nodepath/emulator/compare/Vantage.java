package dev.nodepath.emulator.compare;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.namespace.NetworkNamespace;

/**
 * A place that calls Services.
 *
 * @param path the name of the way from here to the backends
 * @param namespace where its sockets are opened
 * @param node the node whose proxy carries its calls
 * @param kind pod, node or outside
 * @param address its own; a node's is the one between the nodes
 */
record Vantage(String path, NetworkNamespace namespace, String node, Kind kind, IpAddress address) {
    enum Kind {
        POD,
        NODE,
        OUTSIDE
    }
}
