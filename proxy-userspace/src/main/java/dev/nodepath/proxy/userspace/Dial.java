package dev.nodepath.proxy.userspace;

import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Connects to one endpoint of a service port after the other until one answers. Every try looks the endpoints up anew.
 * Lives on the event loop of its client, and so does the connection that it makes.
 */
final class Dial implements Beat.Watched {
    private final RelayLoop loop;
    private final RelayContext context;
    private final PortalTable.Entry service;
    private final Relay relay;
    private final int turn;
    private int tries;
    private @Nullable Side pending;
    private @Nullable InetSocketAddress endpoint;
    private long deadlineNanos;

    /** Who wants the connection. */
    interface Outcome {
        /** An endpoint answered. */
        void connected(Side backend);

        /** No endpoint answered, or there is none. */
        void failed();
    }

    Dial(RelayLoop loop, PortalTable.Entry service, Relay relay) {
        this.loop = loop;
        this.context = loop.context();
        this.service = service;
        this.relay = relay;
        this.turn = service.balancer().nextTurn();
    }

    /** Tries the next endpoint. */
    void next() {
        List<Duration> timeouts = context.config().dialTimeouts();
        InetSocketAddress next = service.balancer().endpoint(turn + tries);
        if (next == null) {
            context.metrics().withoutEndpoints.increment();
            relay.failed();
        } else if (tries == timeouts.size()) {
            context.metrics().undialled.increment();
            context.log().unreachable(service, tries);
            relay.failed();
        } else {
            connect(next, timeouts.get(tries++));
        }
    }

    /** Gives up; the outcome is not told. */
    void cancel() {
        Side side = forget();
        if (side != null) {
            loop.close(side, true);
        }
    }

    private @Nullable Side forget() {
        Side side = pending;
        pending = null;
        loop.dialling().remove(this);
        return side;
    }

    private void connect(InetSocketAddress next, Duration timeout) {
        Socket socket = null;
        try {
            socket = LinuxSocket.newSocketStream(false);
            socket.setTcpNoDelay(true);
            socket.setKeepAlive(true);
            Side side = new Side(socket, relay);
            boolean connected = socket.connect(next);
            endpoint = next;
            pending = side;
            loop.register(side);
            if (connected) {
                answered(side);
                return;
            }
            deadlineNanos = loop.nanoTime() + timeout.toNanos();
            loop.dialling().add(this);
        } catch (IOException | RuntimeException e) {
            // E.g. no descriptor or no port left, no route, or refused at once.
            closeQuietly(socket);
            failedTry(e);
        }
    }

    private static void closeQuietly(@Nullable Socket socket) {
        try {
            if (socket != null) {
                socket.close();
            }
        } catch (IOException e) {
            // It is of no use any more.
        }
    }

    /** The socket that is connecting has told something. */
    void ready() {
        Side side = pending;
        if (side == null) {
            return;
        }
        try {
            if (side.socket().finishConnect()) {
                answered(side);
            }
        } catch (IOException e) {
            cancel();
            failedTry(e);
        }
    }

    private void answered(Side side) {
        forget();
        InetSocketAddress chosen = endpoint;
        if (chosen == null || !service.balancer().has(chosen)) {
            // It went while it was being dialled, and gets no new connection any more.
            loop.close(side, true);
            next();
        } else {
            context.metrics().connected.increment();
            relay.connected(side);
        }
    }

    @Override
    public void look(long nowNanos) {
        if (nowNanos - deadlineNanos >= 0) {
            cancel();
            context.metrics().dialsTimedOut.increment();
            tryNext();
        }
    }

    private void failedTry(Exception cause) {
        if (cause instanceof ConnectException) {
            context.metrics().dialsRefused.increment();
        } else {
            context.metrics().dialsFailed.increment();
        }
        tryNext();
    }

    private void tryNext() {
        // The turn that the failed endpoint had counts as taken, or its neighbour would get twice its share.
        service.balancer().nextTurn();
        next();
    }
}
