package dev.nodepath.proxy.userspace.relay;

import dev.nodepath.proxy.userspace.metrics.RelayCount;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Connects to one endpoint of a service port after the other, until one answers. Each attempt looks the endpoints up
 * again. All calls are made on the event loop of the client.
 */
final class Dial implements PeriodicCheck.Watched {
    private final RelayLoop loop;
    private final RelayContext context;
    private final PortalTable.Entry portal;
    private final RelayService service;
    private final Relay relay;
    private final int turn;
    private int tries;

    /** The endpoints that have failed. Most dials succeed at once, so the list is made only after a failure. */
    private List<RelayEndpoint> tried = List.of();

    private @Nullable Attempt pending;

    /** A connect in progress. */
    private record Attempt(Side side, RelayEndpoint endpoint, long startNanos, long deadlineNanos) {}

    Dial(RelayLoop loop, PortalTable.Entry portal, Relay relay) {
        this.loop = loop;
        this.context = loop.context();
        this.portal = portal;
        this.service = portal.service();
        this.relay = relay;
        this.turn = service.nextTurn();
    }

    /** Tries the next endpoint. */
    void next() {
        List<Duration> timeouts = context.config().dialTimeouts();
        RelayEndpoint next = choose();
        if (next == null) {
            boolean refused = service.hasEndpoints(portal.kind(), relay.clientAddress());
            context.metrics().increment(refused ? RelayCount.REFUSED_BY_POLICY : RelayCount.WITHOUT_ENDPOINTS);
            relay.failed();
        } else if (tries == timeouts.size()) {
            context.metrics().increment(RelayCount.UNDIALLED);
            context.log().unreachable(service, tries);
            relay.failed();
        } else {
            connect(next, timeouts.get(tries++));
        }
    }

    private @Nullable RelayEndpoint choose() {
        RelayEndpoint pinned = tries == 0 ? service.pinned(portal.kind(), relay.clientAddress()) : null;
        return pinned != null ? pinned : service.choose(portal.kind(), relay.clientAddress(), turn + tries, tried);
    }

    /** Cancels the dial. The outcome gets no call. */
    void cancel() {
        Attempt attempt = pending;
        if (attempt != null) {
            forget();
            attempt.endpoint.dialled();
            loop.close(attempt.side, true);
        }
    }

    private void forget() {
        pending = null;
        loop.dialling().remove(this);
    }

    private void connect(RelayEndpoint endpoint, Duration timeout) {
        Socket socket = null;
        boolean connected;
        endpoint.dialling();
        try {
            socket = LinuxSocket.newSocketStream(endpoint.address().getAddress() instanceof Inet6Address);
            socket.setKeepAlive(true);
            int client = service.clientNumber(portal.kind(), relay.clientAddress(), endpoint);
            if (client != 0) {
                TcpOptions.setPriority(socket, client);
            }
            TcpOptions.delayAcknowledgement(socket);
            long now = loop.nanoTime();
            connected = socket.connect(endpoint.address());
            Side side = Side.connecting(socket, relay, loop.waitingBytes(), loop.sends());
            pending = new Attempt(side, endpoint, now, now + timeout.toNanos());
            loop.register(side);
            loop.dialling().add(this);
        } catch (Throwable e) {
            // For example, no descriptor or port is left, there is no route, or the endpoint refused at once.
            pending = null;
            endpoint.dialled();
            closeQuietly(socket);
            failedTry(endpoint, e);
            return;
        }
        if (connected) {
            ready();
        }
    }

    private static void closeQuietly(@Nullable Socket socket) {
        try {
            if (socket != null) {
                socket.close();
            }
        } catch (IOException e) {
            // The socket is not used any more.
        }
    }

    /** Handles an event of the connecting socket. */
    void ready() {
        Attempt attempt = pending;
        if (attempt == null) {
            return;
        }
        try {
            if (attempt.side.isConnected() || attempt.side.socket().finishConnect()) {
                answered(attempt);
            }
        } catch (IOException e) {
            cancel();
            failedTry(attempt.endpoint, e);
        }
    }

    private void answered(Attempt attempt) {
        forget();
        boolean present = service.has(portal.kind(), relay.clientAddress(), attempt.endpoint);
        if (present) {
            service.reached(relay.clientAddress(), attempt.endpoint, loop.nanoTime() - attempt.startNanos);
        }
        // Only now, so that the endpoint counts a dial or a connection at all times, even if it is removed meanwhile.
        attempt.endpoint.dialled();
        if (!present || showsAnother(attempt)) {
            // The endpoint was removed during the dial, and takes no new connections. Or the kernel gave this
            // connection another client's translation.
            loop.close(attempt.side, true);
            next();
            return;
        }
        attempt.side.connected();
        context.metrics().increment(RelayCount.CONNECTED);
        relay.connected(attempt.side, attempt.endpoint);
    }

    private boolean showsAnother(Attempt attempt) {
        InetSocketAddress local = attempt.side.socket().localAddress();
        return local != null && service.showsAnother(relay.clientAddress(), local, attempt.endpoint);
    }

    @Override
    public void look(long nowNanos) {
        Attempt attempt = pending;
        if (attempt != null && nowNanos - attempt.deadlineNanos >= 0) {
            try {
                late(attempt);
            } catch (Throwable e) {
                relay.breakDown(e);
            }
        }
    }

    private void late(Attempt attempt) {
        if (attempt.side.socket().remoteAddress() != null) {
            // The event loop is late: the connection is established, but its event is not handled yet.
            answered(attempt);
        } else {
            cancel();
            context.metrics().increment(RelayCount.DIALS_TIMED_OUT);
            remember(attempt.endpoint);
            tryNext(attempt.endpoint);
        }
    }

    private void remember(RelayEndpoint endpoint) {
        if (tried.isEmpty()) {
            tried = new ArrayList<>();
        }
        tried.add(endpoint);
    }

    private void failedTry(RelayEndpoint endpoint, Throwable cause) {
        remember(endpoint);
        if (DialFailure.isRefusal(cause)) {
            context.metrics().increment(RelayCount.DIALS_REFUSED);
            tryNext(endpoint);
        } else {
            // A local failure, usually a lack of descriptors or ports. It is no failure of the endpoint.
            context.metrics().increment(RelayCount.DIALS_FAILED);
            context.log().dialFailed(service, endpoint, cause);
            next();
        }
    }

    private void tryNext(RelayEndpoint failed) {
        if (service.failed(failed)) {
            context.log().ejected(service, failed);
        }
        // The failed endpoint has used its turn. Otherwise the endpoint after it would get twice its share.
        service.nextTurn();
        next();
    }
}
