package dev.nodepath.proxy.userspace;

import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.SocketProtocolFamily;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Connects to one endpoint of a service port after the other until one answers. Every try looks the endpoints up anew.
 * Lives on the event loop of its client, and so does the connection that it makes.
 */
@SuppressWarnings("FutureReturnValueIgnored") // What becomes of a channel comes as an event of its pipeline.
final class Dial {
    private final EventLoop loop;
    private final PortalTable.Entry service;
    private final RelayContext context;
    private final Outcome outcome;
    private final int turn;
    private int tries;
    private boolean over;
    private @Nullable EpollSocketChannel pending;

    /** Who wants the connection. */
    interface Outcome {
        /** An endpoint answered. Whoever takes the channel adds its handler now, and reads when it is ready to. */
        void connected(EpollSocketChannel backend);

        /** No endpoint answered, or there is none. */
        void failed();
    }

    Dial(EventLoop loop, PortalTable.Entry service, RelayContext context, Outcome outcome) {
        this.loop = loop;
        this.service = service;
        this.context = context;
        this.outcome = outcome;
        this.turn = service.balancer().nextTurn();
    }

    /** Tries the next endpoint. */
    void next() {
        List<Duration> timeouts = context.config().dialTimeouts();
        InetSocketAddress endpoint = service.balancer().endpoint(turn + tries);
        if (endpoint == null) {
            context.metrics().withoutEndpoints.increment();
            fail();
        } else if (tries == timeouts.size()) {
            context.metrics().undialled.increment();
            context.log().unreachable(service, tries);
            fail();
        } else {
            connect(endpoint, timeouts.get(tries++));
        }
    }

    /** Gives up; the outcome is not told. */
    void cancel() {
        over = true;
        if (pending != null) {
            pending.close();
        }
    }

    private void connect(InetSocketAddress endpoint, Duration timeout) {
        EpollSocketChannel channel;
        try {
            channel = new EpollSocketChannel(SocketProtocolFamily.INET);
        } catch (ChannelException e) {
            failedTry(e);
            return;
        }
        pending = channel;
        Sockets.configure(channel);
        channel.config().setConnectTimeoutMillis(Math.toIntExact(timeout.toMillis()));
        loop.register(channel).addListener((ChannelFuture registered) -> {
            if (registered.isSuccess()) {
                channel.connect(endpoint)
                        .addListener((ChannelFuture connected) -> answered(channel, endpoint, connected));
            } else {
                answered(channel, endpoint, registered);
            }
        });
    }

    private void answered(EpollSocketChannel channel, InetSocketAddress endpoint, ChannelFuture future) {
        pending = null;
        Throwable cause = future.cause();
        if (cause != null) {
            channel.close();
            failedTry(cause);
        } else if (over) {
            channel.close();
        } else if (!service.balancer().has(endpoint)) {
            // It went while it was being dialled, and gets no new connection any more.
            channel.close();
            next();
        } else {
            over = true;
            context.metrics().connected.increment();
            outcome.connected(channel);
        }
    }

    private void failedTry(Throwable cause) {
        if (over) {
            return;
        }
        RelayMetrics metrics = context.metrics();
        if (cause instanceof ConnectTimeoutException) {
            metrics.dialsTimedOut.increment();
        } else if (cause instanceof ConnectException) {
            metrics.dialsRefused.increment();
        } else {
            metrics.dialsFailed.increment();
        }
        // The turn that the failed endpoint had counts as taken, or its neighbour would get twice its share.
        service.balancer().nextTurn();
        next();
    }

    private void fail() {
        over = true;
        outcome.failed();
    }
}
