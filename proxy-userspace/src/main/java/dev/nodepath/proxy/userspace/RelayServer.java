package dev.nodepath.proxy.userspace;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The listening socket that all Services share, and the event loops that carry their connections. A connection stays on
 * the event loop that it was given, with both of its sockets.
 */
@SuppressWarnings("FutureReturnValueIgnored") // What becomes of a channel comes as an event of its pipeline.
final class RelayServer implements AutoCloseable {
    /** Connections that the kernel keeps while accepting lags behind or pauses; {@code net.core.somaxconn} caps it. */
    private static final int BACKLOG = 4096;

    private static final Duration ACCEPT_PAUSE = Duration.ofSeconds(1);

    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

    private final RelayContext context;
    private final EventLoopGroup loops;
    private final Channel listener;

    private RelayServer(RelayContext context, EventLoopGroup loops, Channel listener) {
        this.context = context;
        this.loops = loops;
        this.listener = listener;
    }

    /**
     * Opens the listening socket, on a port of the kernel's choice. The event loops open their sockets in the network
     * namespace of the calling thread, as threads are born where their maker is.
     *
     * @throws IOException if epoll is missing or the address cannot be bound
     */
    static RelayServer open(RelayConfig config, OriginalDestination originalDestination, RelayMetrics metrics)
            throws IOException {
        if (!Epoll.isAvailable()) {
            throw new IOException("epoll: not available", Epoll.unavailabilityCause());
        }
        RelayContext context = new RelayContext(config, originalDestination, metrics, new RelayLog(System::nanoTime));
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(
                config.eventLoops(), new DefaultThreadFactory("relay", true), SteadyEpoll.newFactory());
        ChannelFuture bound = new ServerBootstrap()
                .group(loops)
                .channelFactory(() -> new EpollServerSocketChannel(SocketProtocolFamily.INET))
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .handler(new AcceptPause(context))
                .childHandler(new ClientInitializer(context))
                .bind(new InetSocketAddress(config.bindAddress().toInetAddress(), 0))
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            loops.shutdownGracefully(0, CLOSE_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            throw new IOException("cannot listen on " + config.bindAddress(), bound.cause());
        }
        RelayServer server = new RelayServer(context, loops, bound.channel());
        context.log().listening(server.port());
        return server;
    }

    /** The port that it listens on. */
    int port() {
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    /** Decides about new connections from now on; those that are open stay as they are. */
    void publish(PortalTable portals) {
        context.publish(portals);
    }

    /** Stops listening and breaks off every connection. */
    @Override
    public void close() {
        if (loops.isShuttingDown()) {
            return;
        }
        listener.close().awaitUninterruptibly(CLOSE_LIMIT.toMillis());
        for (EventExecutor loop : loops) {
            loop.submit(() -> resetClientsOf(loop)).awaitUninterruptibly(CLOSE_LIMIT.toMillis());
        }
        loops.shutdownGracefully(0, CLOSE_LIMIT.toMillis(), TimeUnit.MILLISECONDS)
                .awaitUninterruptibly(2 * CLOSE_LIMIT.toMillis());
    }

    /** A loop that shuts down would close them like a stream that has ended. */
    private void resetClientsOf(EventExecutor loop) {
        for (EpollSocketChannel client : context.clients()) {
            if (client.eventLoop() == loop) {
                Sockets.reset(client);
            }
        }
    }

    private static final class ClientInitializer extends ChannelInitializer<EpollSocketChannel> {
        private final RelayContext context;

        ClientInitializer(RelayContext context) {
            this.context = context;
        }

        @Override
        protected void initChannel(EpollSocketChannel client) {
            Sockets.configure(client);
            client.pipeline().addLast(new RelayFrontend(client, context));
        }
    }

    /**
     * Stops accepting for a moment when it fails, as a rule for want of descriptors; connections that are open go on.
     */
    private static final class AcceptPause extends ChannelInboundHandlerAdapter {
        private final RelayContext context;

        AcceptPause(RelayContext context) {
            this.context = context;
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            context.metrics().acceptFailures.increment();
            ChannelConfig listener = ctx.channel().config();
            if (listener.isAutoRead()) {
                listener.setAutoRead(false);
                ctx.executor()
                        .schedule(() -> listener.setAutoRead(true), ACCEPT_PAUSE.toMillis(), TimeUnit.MILLISECONDS);
            }
            context.log().acceptPaused(cause);
        }
    }
}
