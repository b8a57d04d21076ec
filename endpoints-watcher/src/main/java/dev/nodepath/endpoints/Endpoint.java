package dev.nodepath.endpoints;

import dev.nodepath.linux.IpAddress;

/**
 * An address and port behind a Service port, with the conditions of its EndpointSlice ({@code discovery.k8s.io/v1}).
 *
 * @param address of the pod
 * @param port 1 to 65535
 * @param nodeName the node the pod runs on; empty if the slice does not say
 * @param ready whether it takes new connections
 * @param serving whether it would, were it not terminating
 * @param terminating whether the pod is being deleted
 * @param hints for whom it is meant
 */
public record Endpoint(
        IpAddress address,
        int port,
        String nodeName,
        boolean ready,
        boolean serving,
        boolean terminating,
        TopologyHints hints) {

    /** An endpoint without hints. */
    public Endpoint(IpAddress address, int port, String nodeName, boolean ready, boolean serving, boolean terminating) {
        this(address, port, nodeName, ready, serving, terminating, TopologyHints.NONE);
    }

    /** A ready endpoint that is not terminating. */
    public static Endpoint ready(IpAddress address, int port, String nodeName) {
        return new Endpoint(address, port, nodeName, true, true, false);
    }

    /** Whether it runs on this node; one whose node is unknown runs on none. */
    public boolean isOn(String node) {
        return !nodeName.isEmpty() && nodeName.equals(node);
    }

    /** {@code ip:port}, the address in brackets if it is IPv6: the text that kube-proxy sorts and hashes by. */
    public String hostAndPort() {
        return address.withPort(port);
    }
}
