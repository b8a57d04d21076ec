package dev.nodepath.proxy.userspace;

import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The listening port that all Services share, and the event loops that carry their connections. A connection stays on the
 * event loop that accepted it, with both of its sockets.
 */
final class RelayServer implements AutoCloseable {
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

    private final RelayContext context;
    private final MultiThreadIoEventLoopGroup group;
    private final List<RelayLoop> loops = new ArrayList<>();
    private final List<Listener> listeners = new ArrayList<>();

    private RelayServer(RelayContext context, MultiThreadIoEventLoopGroup group) {
        this.context = context;
        this.group = group;
        for (EventExecutor loop : group) {
            loops.add(new RelayLoop((IoEventLoop) loop, context));
        }
    }

    /**
     * Opens the listening sockets, on a port of the kernel's choice. They are opened in the network namespace of the
     * calling thread, and so are the event loops' own, as threads are born where their maker is.
     *
     * @throws IOException if epoll is missing or the address cannot be bound
     */
    static RelayServer open(RelayConfig config, OriginalDestination originalDestination, RelayMetrics metrics)
            throws IOException {
        if (!Epoll.isAvailable()) {
            throw new IOException("epoll: not available", Epoll.unavailabilityCause());
        }
        RelayContext context = new RelayContext(config, originalDestination, metrics, new RelayLog(System::nanoTime));
        RelayServer server = new RelayServer(
                context,
                new MultiThreadIoEventLoopGroup(
                        config.eventLoops(), new DefaultThreadFactory("relay", true), EpollIoHandler.newFactory()));
        try {
            server.listen(config);
        } catch (IOException e) {
            server.close();
            throw new IOException("cannot listen on " + config.bindAddress(), e);
        }
        context.log().listening(server.port());
        return server;
    }

    private void listen(RelayConfig config) throws IOException {
        int port = 0;
        for (RelayLoop loop : loops) {
            Listener listener = Listener.open(
                    loop, new InetSocketAddress(config.bindAddress().toInetAddress(), port));
            listeners.add(listener);
            port = listener.port();
            loop.eventLoop().submit(listener::start).syncUninterruptibly();
        }
    }

    /** The port that it listens on. */
    int port() {
        return listeners.get(0).port();
    }

    /** Decides about new connections from now on; those that are open stay as they are. */
    void publish(PortalTable portals) {
        context.publish(portals);
    }

    /** Stops listening and breaks off every connection. */
    @Override
    public void close() {
        if (group.isShuttingDown()) {
            return;
        }
        for (int i = 0; i < listeners.size(); i++) {
            loops.get(i).eventLoop().submit(listeners.get(i)::close).awaitUninterruptibly(CLOSE_LIMIT.toMillis());
        }
        for (RelayLoop loop : loops) {
            loop.eventLoop().submit(loop::endAll).awaitUninterruptibly(CLOSE_LIMIT.toMillis());
        }
        group.shutdownGracefully(0, CLOSE_LIMIT.toMillis(), TimeUnit.MILLISECONDS)
                .awaitUninterruptibly(2 * CLOSE_LIMIT.toMillis());
    }
}
