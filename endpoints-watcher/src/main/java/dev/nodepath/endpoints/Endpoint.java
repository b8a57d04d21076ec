package dev.nodepath.endpoints;

import dev.nodepath.linux.address.IpAddress;

/**
 * An address and port behind a Service port, with the conditions of its EndpointSlice ({@code discovery.k8s.io/v1}).
 *
 * @param address of the pod
 * @param port 1 to 65535
 * @param state node, conditions and hints
 */
public record Endpoint(IpAddress address, int port, EndpointState state) {

    /** An endpoint without hints. */
    public Endpoint(IpAddress address, int port, String nodeName, boolean ready, boolean serving, boolean terminating) {
        this(address, port, nodeName, ready, serving, terminating, TopologyHints.NONE);
    }

    /** An endpoint with its own state. */
    public Endpoint(
            IpAddress address,
            int port,
            String nodeName,
            boolean ready,
            boolean serving,
            boolean terminating,
            TopologyHints hints) {
        this(address, port, new EndpointState(nodeName, ready, serving, terminating, hints));
    }

    /** A ready endpoint that is not terminating. */
    public static Endpoint ready(IpAddress address, int port, String nodeName) {
        return new Endpoint(address, port, nodeName, true, true, false);
    }

    /** The node the pod runs on; empty if the slice does not say. */
    public String nodeName() {
        return state.nodeName();
    }

    /** Whether it takes new connections. */
    public boolean ready() {
        return state.ready();
    }

    /** Whether it can serve connections, even while it is terminating. */
    public boolean serving() {
        return state.serving();
    }

    /** Whether the pod is being deleted. */
    public boolean terminating() {
        return state.terminating();
    }

    /** The topology hints. */
    public TopologyHints hints() {
        return state.hints();
    }

    /** Whether it runs on this node. An endpoint with an unknown node runs on none. */
    public boolean isOn(String node) {
        return !nodeName().isEmpty() && nodeName().equals(node);
    }

    /** {@code ip:port}, the address in brackets if it is IPv6: the text that kube-proxy sorts and hashes by. */
    public String hostAndPort() {
        return address.withPort(port);
    }
}
