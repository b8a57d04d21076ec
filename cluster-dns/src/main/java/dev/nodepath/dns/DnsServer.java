package dev.nodepath.dns;

import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.LengthFieldPrepender;
import io.netty.handler.timeout.IdleStateHandler;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A DNS server on UDP and TCP. Its sockets are opened inside a namespace and stay there; their event loops may run in
 * any namespace. Until its zone is synced it answers SERVFAIL for the zone's names.
 */
public final class DnsServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DnsServer.class);

    /** TCP connections at a time; more are closed at once. */
    static final int CONNECTIONS_MAX = 1000;

    /** A TCP connection that brings no complete query for this long is closed. */
    static final int IDLE_SECONDS = 10;

    private static final int BACKLOG = 1024;
    private static final int LENGTH_BYTES = 2;
    /**
     * The most bytes of a query: a question and perhaps some options. A longer datagram is cut off, which makes it
     * malformed.
     */
    private static final int QUERY_MAX = 2048;

    private static final int QUERIES_PER_READ = 32;

    private final Resolver resolver;
    private final ConnectionLimit connections;
    private final int idleSeconds;
    private final Channel udp;
    private final Channel tcp;

    /**
     * Opens the sockets.
     *
     * @param namespace of the sockets
     * @param address to listen on; port 0 lets the kernel choose one
     * @param loops epoll event loops
     */
    public DnsServer(NetworkNamespace namespace, InetSocketAddress address, EventLoopGroup loops, LiveZone zone)
            throws LinuxNetException {
        this(namespace, address, loops, zone, CONNECTIONS_MAX, IDLE_SECONDS);
    }

    DnsServer(
            NetworkNamespace namespace,
            InetSocketAddress address,
            EventLoopGroup loops,
            LiveZone zone,
            int connectionsMax,
            int idleSeconds)
            throws LinuxNetException {
        this.resolver = new Resolver(zone);
        this.connections = new ConnectionLimit(connectionsMax);
        this.idleSeconds = idleSeconds;
        this.tcp = namespace.call(() -> tcpBootstrap(loops).bind(address).sync().channel());
        InetSocketAddress bound = (InetSocketAddress) tcp.localAddress();
        try {
            this.udp =
                    namespace.call(() -> udpBootstrap(loops).bind(bound).sync().channel());
        } catch (LinuxNetException | RuntimeException e) {
            tcp.close().awaitUninterruptibly();
            throw e;
        }
    }

    /** The port of both sockets. */
    int port() {
        return ((InetSocketAddress) tcp.localAddress()).getPort();
    }

    /** Closes the listening sockets, and waits for that. Connections end when they become idle. */
    @Override
    public void close() {
        udp.close().awaitUninterruptibly();
        tcp.close().awaitUninterruptibly();
    }

    private Bootstrap udpBootstrap(EventLoopGroup loops) {
        return new Bootstrap()
                .group(loops)
                .channel(EpollDatagramChannel.class)
                .option(EpollChannelOption.MAX_DATAGRAM_PAYLOAD_SIZE, QUERY_MAX)
                .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(QUERY_MAX * QUERIES_PER_READ))
                .handler(new UdpQueries(resolver));
    }

    private ServerBootstrap tcpBootstrap(EventLoopGroup loops) {
        return new ServerBootstrap()
                .group(loops)
                .channel(EpollServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel connection) {
                        accept(connection);
                    }
                });
    }

    private void accept(SocketChannel connection) {
        if (!connections.admits(connection)) {
            connection
                    .close()
                    .addListener(closed ->
                            LOG.atDebug().addKeyValue("client", connection).log("dns.connection_refused"));
            return;
        }
        connection
                .pipeline()
                .addLast(new LengthFieldBasedFrameDecoder(0xFFFF + LENGTH_BYTES, 0, LENGTH_BYTES, 0, LENGTH_BYTES))
                .addLast(new LengthFieldPrepender(LENGTH_BYTES))
                // Behind the decoder, because single bytes must not keep a connection open.
                .addLast(new IdleStateHandler(idleSeconds, 0, 0, TimeUnit.SECONDS))
                .addLast(new TcpQueries(resolver));
    }
}
