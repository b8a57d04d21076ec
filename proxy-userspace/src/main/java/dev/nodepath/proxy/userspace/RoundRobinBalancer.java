package dev.nodepath.proxy.userspace;

import dev.nodepath.endpoints.Endpoint;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Gives the endpoints of one service port to connections in turn. Lives as long as the service port, so a change of its
 * endpoints does not start the round again. Any thread may take turns while another updates.
 */
final class RoundRobinBalancer {
    private final AtomicInteger turns = new AtomicInteger();
    private volatile InetSocketAddress[] endpoints = {};

    /** Replaces the endpoints: from now on nobody is given one that is not among these. */
    void update(List<Endpoint> endpoints) {
        this.endpoints = endpoints.stream()
                .map(endpoint -> new InetSocketAddress(endpoint.address().toInetAddress(), endpoint.port()))
                .toArray(InetSocketAddress[]::new);
    }

    /** Whether this is one of the endpoints now. */
    boolean has(InetSocketAddress endpoint) {
        return Arrays.asList(endpoints).contains(endpoint);
    }

    /** The turn of a new connection, or one that a failed endpoint has used up. */
    int nextTurn() {
        return turns.getAndIncrement();
    }

    /**
     * The endpoint of a turn, as endpoints are now; the following turns give the ones to try if it does not answer.
     *
     * @return null if there are no endpoints
     */
    @Nullable
    InetSocketAddress endpoint(int turn) {
        InetSocketAddress[] now = endpoints;
        return now.length == 0 ? null : now[Integer.remainderUnsigned(turn, now.length)];
    }
}
