package dev.nodepath.apiserver.http;

import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.ObjectSchema;
import dev.nodepath.apiserver.access.BearerToken;
import dev.nodepath.apiserver.access.ServerCertificate;
import dev.nodepath.apiserver.request.RequestHandler;
import dev.nodepath.apiserver.stream.PodStreams;
import dev.nodepath.apiserver.verbs.ApiRoutes;
import dev.nodepath.apiserver.verbs.TokenCheck;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.stream.ChunkedWriteHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;

/**
 * A Kubernetes API server: HTTP/1.1, on event loops of its own. Requests are answered on a few threads beside
 * them.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a close or a write that fails ends the connection anyway
public final class ApiServer implements AutoCloseable {
    private static final int EVENT_LOOPS = 2;
    private static final int WORKERS = 2;
    private static final int WAITING_REQUESTS_MAX = 2048;
    private static final int BACKLOG = 1024;
    private static final int CONNECTIONS_MAX = 4096;
    /** As with Go's server: 1 MB, and the bytes that its reader reads ahead. A {@code labelSelector} may be long. */
    private static final int HEAD_MAX = 1024 * 1024 + 4096;

    private static final long HEADS_MAX = 32 * 1024 * 1024;
    private static final WriteBufferWaterMark WRITE_BUFFER = new WriteBufferWaterMark(32 * 1024, 64 * 1024);

    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(
            EVENT_LOOPS, new DefaultThreadFactory("api-server-loop", true), EpollIoHandler.newFactory());
    private final ThreadPoolExecutor workers = new ThreadPoolExecutor(
            WORKERS,
            WORKERS,
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(WAITING_REQUESTS_MAX),
            new DefaultThreadFactory("api-server-worker", true));
    private final ScheduledExecutorService timer;
    private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final HeadLimits heads = new HeadLimits(HEAD_MAX, HEADS_MAX);
    private final HeldOctets held = HeldOctets.ofThisProcess(CONNECTIONS_MAX);
    private final Optional<Supplier<SSLEngine>> tls;
    private final RequestHandler handler;

    /**
     * A server over TLS; it does not listen yet.
     *
     * @param schema the fields of each kind
     * @param streams logs and commands of pods
     * @param certificate the server's
     * @param token of all clients
     */
    public ApiServer(
            ClusterApi api, ObjectSchema schema, PodStreams streams, ServerCertificate certificate, BearerToken token) {
        this(api, schema, streams, Optional.of(engines(certificate)), routes -> new TokenCheck(routes, token));
    }

    /**
     * A server that does not listen yet.
     *
     * @param schema the fields of each kind
     * @param streams logs and commands of pods
     * @param tls makes the engine of a connection; empty for plain HTTP
     * @param access stands before the API and decides who may ask
     */
    public ApiServer(
            ClusterApi api,
            ObjectSchema schema,
            PodStreams streams,
            Optional<Supplier<SSLEngine>> tls,
            UnaryOperator<RequestHandler> access) {
        ScheduledThreadPoolExecutor scheduler =
                new ScheduledThreadPoolExecutor(1, new DefaultThreadFactory("api-server-timer", true));
        scheduler.setRemoveOnCancelPolicy(true);
        this.timer = scheduler;
        this.tls = tls;
        this.handler = access.apply(new ApiRoutes(api, schema, streams, timer, InstantSource.system()));
    }

    /**
     * Engines of the JDK with the key in a keystore of the old form, only in memory. Netty's builder uses the new form,
     * which encrypts the key in 10 000 rounds: this takes a third of the main thread's time in a cluster's start.
     * Netty's context also reads all authorities of the Java runtime, which takes a tenth.
     */
    private static Supplier<SSLEngine> engines(ServerCertificate certificate) {
        try {
            char[] noPassword = {};
            KeyStore store = KeyStore.getInstance("JKS");
            store.load(null, noPassword);
            store.setKeyEntry("server", certificate.key(), noPassword, new Certificate[] {certificate.certificate()});
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, noPassword);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), new TrustManager[0], null);
            return () -> engine(context);
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("a certificate that TLS cannot use", e);
        }
    }

    /** The server's engine of one connection. It asks for no certificate. */
    public static SSLEngine engine(SSLContext context) {
        SSLEngine engine = context.createSSLEngine();
        engine.setUseClientMode(false);
        return engine;
    }

    /**
     * Listens on an address. The socket is opened on the calling thread, and so in its network namespace.
     *
     * @param address its port may be 0
     * @return the address with its port
     * @throws IOException if it is not free
     */
    public InetSocketAddress listen(InetSocketAddress address) throws IOException {
        ChannelFuture bound = bootstrap(EpollServerSocketChannel::new).bind(address);
        return (InetSocketAddress) opened(bound).localAddress();
    }

    /**
     * Accepts on a listening socket. The server owns the socket from now on.
     *
     * @param descriptor of the socket
     * @throws IOException if it is no listening socket
     */
    public void listen(int descriptor) throws IOException {
        opened(bootstrap(() -> new EpollServerSocketChannel(descriptor)).register());
    }

    /** Closes all sockets and connections, and waits for the event loops to end. */
    @Override
    public void close() {
        channels.close().awaitUninterruptibly();
        workers.shutdownNow();
        timer.shutdownNow();
        loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private Channel opened(ChannelFuture opening) throws IOException {
        opening.awaitUninterruptibly();
        if (!opening.isSuccess()) {
            throw new IOException("cannot listen: " + opening.cause().getMessage(), opening.cause());
        }
        channels.add(opening.channel());
        return opening.channel();
    }

    private ServerBootstrap bootstrap(io.netty.channel.ChannelFactory<EpollServerSocketChannel> factory) {
        return new ServerBootstrap()
                .group(loops)
                .channelFactory(factory)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
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
        if (channels.size() >= CONNECTIONS_MAX) {
            channel.close();
            return;
        }
        channels.add(channel);
        tls.ifPresent(engines -> channel.pipeline().addLast(new SslHandler(engines.get())));
        channel.pipeline()
                .addLast(new HttpServerFraming(heads))
                .addLast(new ChunkedWriteHandler())
                .addLast(new RequestAssembler(new RequestQueue(handler, workers, held), held));
    }
}
