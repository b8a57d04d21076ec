package dev.nodepath.page.http;

import dev.nodepath.page.LivePage;
import dev.nodepath.page.PageActions;
import dev.nodepath.page.PageFlows;
import dev.nodepath.page.PageRates;
import dev.nodepath.page.Recording;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/** Serves a live page: HTTP/1.1 on one event loop, actions one by one on a thread of their own. */
@SuppressWarnings("FutureReturnValueIgnored") // a write or a close that fails ends the connection anyway
public final class PageServer implements AutoCloseable {
    private static final int WAITING_ACTIONS_MAX = 8;
    private static final int BODY_BYTES_MAX = 16 * 1024;
    private static final int IDLE_SECONDS = 30;
    private static final int PULSE_SECONDS = 15;
    private static final WriteBufferWaterMark WRITE_BUFFER = new WriteBufferWaterMark(32 * 1024, 128 * 1024);

    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("page-loop", true), EpollIoHandler.newFactory());
    private final EventLoop loop = (EventLoop) loops.next();
    private final ThreadPoolExecutor workers = oneThread("page-actions", WAITING_ACTIONS_MAX);
    /** Reads continue during a slow action. */
    private final ThreadPoolExecutor readers = oneThread("page-reads", Connections.PLAIN_MAX);

    private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    /** Only the event loop uses it. */
    private final Set<EventStream> streams = new LinkedHashSet<>();

    private final Connections connections = new Connections();

    private final AtomicBoolean advancing = new AtomicBoolean();
    private final PageRoutes routes;
    private final Supplier<? extends ChannelHandler> framing;

    /**
     * A server that does not listen yet.
     *
     * @param framing makes the parser of requests and answers for each connection
     */
    public PageServer(
            LivePage page,
            PageActions actions,
            PageFlows flows,
            PageToken token,
            Supplier<? extends ChannelHandler> framing) {
        this(new PageRoutes(page, actions, flows, new RequestGuard(token), PageDocument.load()), framing);
    }

    private PageServer(PageRoutes routes, Supplier<? extends ChannelHandler> framing) {
        this.routes = routes;
        this.framing = framing;
        routes.page().listen(this::wake);
        loop.scheduleAtFixedRate(
                () -> streams.forEach(EventStream::pulse), PULSE_SECONDS, PULSE_SECONDS, TimeUnit.SECONDS);
        loop.scheduleAtFixedRate(connections::sweep, 1, 1, TimeUnit.SECONDS);
    }

    /** A server of a recording. It needs the token as a live page does, but has no actions. */
    public static PageServer replay(Recording recording, PageToken token, Supplier<? extends ChannelHandler> framing) {
        return new PageServer(new PageRoutes(recording, new RequestGuard(token), PageDocument.load()), framing);
    }

    private static ThreadPoolExecutor oneThread(String name, int waitingMax) {
        return new ThreadPoolExecutor(
                1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(waitingMax), new DefaultThreadFactory(name, true));
    }

    /** From now on readers get the traffic of the links, as the event {@code rates}. Call it once. */
    public void tell(PageRates rates) {
        new RateTicker(rates, loop, readers, streams).start();
    }

    /**
     * Listens on an address.
     *
     * @param address its port may be 0
     * @return the address with its port
     * @throws IOException if it is not free
     */
    public InetSocketAddress listen(InetSocketAddress address) throws IOException {
        return (InetSocketAddress)
                opened(bootstrap(EpollServerSocketChannel::new).bind(address)).localAddress();
    }

    /**
     * Accepts on a listening socket. The server owns the socket from now on.
     *
     * @throws IOException if it is no listening socket
     */
    public void listen(int descriptor) throws IOException {
        opened(bootstrap(() -> new EpollServerSocketChannel(descriptor)).register());
    }

    @Override
    public void close() {
        channels.close().awaitUninterruptibly();
        workers.shutdownNow();
        readers.shutdownNow();
        loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    /** Several simultaneous changes wake the streams once. */
    private void wake() {
        if (advancing.compareAndSet(false, true)) {
            try {
                loop.execute(() -> {
                    advancing.set(false);
                    streams.forEach(EventStream::advance);
                });
            } catch (RejectedExecutionException e) {
                // The server has ended, and so have its streams.
                return;
            }
        }
    }

    private Channel opened(ChannelFuture opening) throws IOException {
        opening.awaitUninterruptibly();
        if (!opening.isSuccess()) {
            throw new IOException("cannot listen: " + opening.cause().getMessage(), opening.cause());
        }
        channels.add(opening.channel());
        return opening.channel();
    }

    private ServerBootstrap bootstrap(ChannelFactory<? extends ServerChannel> factory) {
        return new ServerBootstrap()
                .group(loops)
                .channelFactory(factory)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WRITE_BUFFER)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        connect(channel);
                    }
                });
    }

    private void connect(SocketChannel channel) {
        channels.add(channel);
        channel.pipeline()
                .addLast(framing.get())
                .addLast(new HttpObjectAggregator(BODY_BYTES_MAX))
                .addLast(new IdleStateHandler(0, 0, IDLE_SECONDS))
                .addLast(new PageHandler(routes, workers, readers, streams, connections));
    }
}
