package dev.nodepath.emulator.traffic;

import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.HttpServerCodec;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * The listening sockets of one pod: HTTP that answers with the pod's name and the source address it saw, and a sink for
 * bulk data.
 *
 * <p>The sockets are opened inside the pod's namespace and stay there; their event loop may run in any namespace.
 */
public final class PodServer implements AutoCloseable {
    /** What says whether it is ready, unless the pod's probe asks for another path. */
    public static final String READINESS_PATH = "/readyz";

    private static final int BACKLOG = 4096;

    private final String pod;
    private final ServerReadiness readiness;
    private final NetworkNamespace namespace;
    private final EventLoopGroup loops;
    private final List<Channel> listeners = new ArrayList<>();
    private volatile long lastConnection = System.nanoTime();

    /**
     * A server without sockets yet.
     *
     * @param pod the name that it answers with
     * @param readinessPath the path that answers 503 while it is not ready
     * @param namespace the pod's
     * @param loops epoll event loops of its connections
     * @param readinessChanged is run on an event loop when a request has switched its readiness
     */
    public PodServer(
            String pod,
            String readinessPath,
            NetworkNamespace namespace,
            EventLoopGroup loops,
            Runnable readinessChanged) {
        this.pod = pod;
        this.readiness = new ServerReadiness(readinessPath, readinessChanged);
        this.namespace = namespace;
        this.loops = loops;
    }

    /** Listens for HTTP: {@code POST /ready} and {@code POST /unready}; every other path is answered with who it is. */
    public void listenHttp(int port) throws LinuxNetException {
        listen(port, new ChannelInitializer<SocketChannel>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                lastConnection = System.nanoTime();
                channel.pipeline().addLast(new HttpServerCodec(), new WhoAmIHandler(pod, readiness));
            }
        });
    }

    /** Listens for bulk data, see {@link BulkSinkHandler}. */
    public void listenBulk(int port) throws LinuxNetException {
        listen(port, new ChannelInitializer<SocketChannel>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                lastConnection = System.nanoTime();
                channel.pipeline().addLast(new BulkSinkHandler());
            }
        });
    }

    /** When somebody connected last, or else when it was made, as {@link System#nanoTime} says it. */
    public long lastConnection() {
        return lastConnection;
    }

    @Override
    public void close() {
        listeners.forEach(listener -> listener.close().awaitUninterruptibly());
    }

    private void listen(int port, ChannelHandler handler) throws LinuxNetException {
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(loops)
                .channel(EpollServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childHandler(handler);
        listeners.add(namespace.call(() ->
                bootstrap.bind(new InetSocketAddress("0.0.0.0", port)).sync().channel()));
    }
}
