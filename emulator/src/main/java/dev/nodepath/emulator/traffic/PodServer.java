package dev.nodepath.emulator.traffic;

import dev.nodepath.dns.ConnectionLimit;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.unix.Errors;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listening sockets of one pod: HTTP that answers with the pod's name and the source address it saw, a sink for
 * bulk data, and what {@code agnhost} serves.
 *
 * <p>The sockets are opened inside the pod's namespace and stay there; their event loop may run in any namespace.
 */
public final class PodServer implements AutoCloseable {
    /** What says whether it is ready, unless the pod's probe asks for another path. */
    public static final String READINESS_PATH = "/readyz";

    /**
     * Connections of one pod. Each takes a descriptor of this process, and a pod with many connections must not end
     * those of other pods.
     */
    static final int CONNECTIONS_MAX = 2048;

    /** Connections of all pods together: less than half of 20,000 descriptors, a usual limit. */
    private static final int CONNECTIONS_OF_ALL_MAX = 8192;

    /** Commands and dials of one pod's server at the same time; each has a thread. */
    private static final int WORKS_MAX = 32;

    private static final Logger LOG = LoggerFactory.getLogger(PodServer.class);
    private static final int BACKLOG = 4096;

    private final String pod;
    private final ServerReadiness readiness;
    private final NetworkNamespace namespace;
    private final EventLoopGroup loops;
    private final Map<Integer, Channel> listeners = new HashMap<>();
    private final Map<Integer, Channel> datagrams = new HashMap<>();
    private final ChannelGroup clients = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final ConnectionLimit own = new ConnectionLimit(CONNECTIONS_MAX);
    private final ConnectionLimit all;
    private final Semaphore room = new Semaphore(WORKS_MAX);
    private final AtomicBoolean full = new AtomicBoolean();
    private boolean closed;
    private volatile long lastConnection = System.nanoTime();

    /**
     * A server without sockets yet.
     *
     * @param pod the name that it answers with
     * @param readinessPath the path that answers 503 while it is not ready
     * @param namespace the pod's
     * @param loops epoll event loops of its connections
     * @param all the limit of all servers of this process, see {@link #limitOfAll}
     * @param readinessChanged is run on an event loop when a request has switched its readiness
     */
    public PodServer(
            String pod,
            String readinessPath,
            NetworkNamespace namespace,
            EventLoopGroup loops,
            ConnectionLimit all,
            Runnable readinessChanged) {
        this.pod = pod;
        this.all = all;
        this.readiness = new ServerReadiness(readinessPath, readinessChanged);
        this.namespace = namespace;
        this.loops = loops;
    }

    /** How many connections the servers of a process have together. */
    public static ConnectionLimit limitOfAll() {
        return new ConnectionLimit(CONNECTIONS_OF_ALL_MAX);
    }

    /**
     * Listens for HTTP: {@code POST /ready} and {@code POST /unready}; every other path is answered with the pod's
     * name. Returns whether it listens there now; false if the port is taken.
     */
    public boolean listenHttp(int port) throws IOException {
        return listen(
                port, channel -> channel.pipeline().addLast(new HttpServerCodec(), new WhoAmIHandler(pod, readiness)));
    }

    /** Listens for bulk data, see {@link BulkSinkHandler}. Returns whether it listens there now. */
    public boolean listenBulk(int port) throws IOException {
        return listen(port, channel -> channel.pipeline().addLast(new BulkSinkHandler()));
    }

    /**
     * Listens for HTTP as {@code agnhost netexec} does, see {@link AgnhostHandler}. {@code serve-hostname} answers
     * everything with its name. Returns whether it listens there now.
     *
     * @param container runs commands in the container
     * @param exit ends the container with a code
     */
    public boolean listenAgnhost(int port, boolean alwaysHostname, ContainerCommands container, IntConsumer exit)
            throws IOException {
        return listen(port, channel -> {
            clients.add(channel);
            channel.pipeline()
                    .addLast(
                            new HttpServerCodec(),
                            new HttpObjectAggregator(AgnhostHandler.BODY_MAX),
                            new AgnhostHandler(pod, alwaysHostname, this::dial, container, this::runBeside, exit));
        });
    }

    /** On a thread of its own, as it blocks. */
    private void runBeside(Runnable work) {
        if (!room.tryAcquire()) {
            throw new RejectedExecutionException(WORKS_MAX + " commands and dials at once are the limit");
        }
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } finally {
                        room.release();
                    }
                },
                "agnhost");
        thread.setDaemon(true);
        thread.start();
    }

    private String dial(AgnhostDial dial, InetAddress address, BooleanSupplier wanted) {
        try {
            return namespace.call(() -> dial.call(address, wanted));
        } catch (LinuxNetException | RuntimeException e) {
            return "{\"errors\":[\"the Pod has ended\"]}";
        }
    }

    /** Sends its name to each client. Returns whether it listens there now. */
    public boolean listenHostname(int port) throws IOException {
        return listen(port, channel -> channel.pipeline().addLast(new HostnameHandler(pod)));
    }

    /** Answers datagrams, see {@link AgnhostDatagrams}. Returns whether it does now. */
    public synchronized boolean listenDatagrams(int port, boolean alwaysHostname) throws IOException {
        if (closed) {
            return false;
        }
        Bootstrap bootstrap = new Bootstrap()
                .group(loops)
                .channel(EpollDatagramChannel.class)
                .handler(new AgnhostDatagrams(pod, alwaysHostname));
        return bound(
                port,
                datagrams,
                namespace.call(() ->
                        bootstrap.bind(new InetSocketAddress("0.0.0.0", port)).await()));
    }

    /** The time of the last connection, or else of its creation, as {@link System#nanoTime} says it. */
    public long lastConnection() {
        return lastConnection;
    }

    /** Whether it listens on this port. */
    public synchronized boolean listensOn(int port) {
        return listeners.containsKey(port);
    }

    @Override
    public synchronized void close() {
        closed = true;
        listeners.values().forEach(listener -> listener.close().awaitUninterruptibly());
        datagrams.values().forEach(socket -> socket.close().awaitUninterruptibly());
        clients.close().awaitUninterruptibly();
    }

    private synchronized boolean listen(int port, Consumer<SocketChannel> serve) throws IOException {
        if (closed || listeners.containsKey(port)) {
            return !closed;
        }
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(loops)
                .channel(EpollServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        admit(channel, serve);
                    }
                });
        return bound(
                port,
                listeners,
                namespace.call(() ->
                        bootstrap.bind(new InetSocketAddress("0.0.0.0", port)).await()));
    }

    private void admit(SocketChannel channel, Consumer<SocketChannel> serve) {
        boolean hasRoom = own.admits(channel);
        if (hasRoom && all.admits(channel)) {
            lastConnection = System.nanoTime();
            serve.accept(channel);
            return;
        }
        var unused = channel.close();
        if (!full.getAndSet(true)) {
            LOG.atWarn()
                    .addKeyValue("pod", pod)
                    .addKeyValue("limit", hasRoom ? CONNECTIONS_OF_ALL_MAX : CONNECTIONS_MAX)
                    .addKeyValue("of", hasRoom ? "all pods" : "this pod")
                    .log("pod.connections_refused");
        }
    }

    private static boolean bound(int port, Map<Integer, Channel> sockets, ChannelFuture bound) throws IOException {
        if (bound.isSuccess()) {
            sockets.put(port, bound.channel());
            return true;
        }
        if (bound.cause() instanceof Errors.NativeIoException kernel
                && kernel.expectedErr() == -Errno.EADDRINUSE.number()) {
            return false;
        }
        throw new IOException("listen on port " + port + ": " + bound.cause().getMessage(), bound.cause());
    }
}
