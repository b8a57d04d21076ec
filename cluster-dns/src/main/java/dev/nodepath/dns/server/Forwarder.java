package dev.nodepath.dns.server;

import dev.nodepath.dns.wire.DnsRequest;
import dev.nodepath.dns.wire.UpstreamMessages;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks other name servers over UDP, one after the other until one answers. A response counts if its sender, ID and
 * question are those of a query that is under way.
 */
public final class Forwarder implements AutoCloseable {
    /** Queries under way; more fail at once. */
    static final int OUTSTANDING_MAX = 1000;

    /** How long each server has. */
    static final long TIMEOUT_MILLIS = 2000;

    private static final int IDS = 1 << 16;

    private final List<InetSocketAddress> servers;
    private final QueryCounters counters;
    private final Channel channel;
    // The rest belongs to the channel's event loop.
    private final Map<Integer, Pending> pending = new HashMap<>();
    private final UpstreamCache cache = new UpstreamCache();
    private final SecureRandom random = new SecureRandom();

    /**
     * Opens the socket.
     *
     * @param namespace from which the servers are asked
     * @param loops epoll event loops
     * @param servers at least one
     */
    public Forwarder(
            NetworkNamespace namespace, EventLoopGroup loops, List<InetSocketAddress> servers, QueryCounters counters)
            throws LinuxNetException {
        if (servers.isEmpty()) {
            throw new IllegalArgumentException("upstream servers: none (expected: at least one)");
        }
        this.servers = List.copyOf(servers);
        this.counters = counters;
        Bootstrap bootstrap =
                new Bootstrap().group(loops).channel(EpollDatagramChannel.class).handler(new Responses());
        this.channel = namespace.call(
                () -> bootstrap.bind(new InetSocketAddress(0)).sync().channel());
    }

    /**
     * Asks. The response has the ID of the query.
     *
     * @param message the query, which is passed on as it is but for its ID
     * @param found is called later, on the forwarder's event loop
     * @param failed is called instead if too many queries are under way, or no server answers
     */
    void ask(DnsRequest request, byte[] message, Consumer<byte[]> found, Runnable failed) {
        channel.eventLoop().execute(() -> begin(new Pending(request, message, 0, found, failed)));
    }

    @Override
    public void close() {
        channel.close().awaitUninterruptibly();
    }

    private static final class Pending {
        private final DnsRequest request;
        private final byte[] message;
        private final int server;
        private final Consumer<byte[]> found;
        private final Runnable failed;
        private @Nullable Future<?> timeout;

        Pending(DnsRequest request, byte[] message, int server, Consumer<byte[]> found, Runnable failed) {
            this.request = request;
            this.message = message;
            this.server = server;
            this.found = found;
            this.failed = failed;
        }

        Pending withNextServer() {
            return new Pending(request, message, server + 1, found, failed);
        }
    }

    private void begin(Pending query) {
        cache.find(query.request, System.nanoTime())
                .ifPresentOrElse(
                        known -> {
                            counters.cacheHits.increment();
                            query.found.accept(known);
                        },
                        () -> send(query));
    }

    @SuppressWarnings("FutureReturnValueIgnored") // A query that was not sent expires.
    private void send(Pending query) {
        if (query.server == servers.size() || pending.size() >= OUTSTANDING_MAX || !channel.isActive()) {
            query.failed.run();
            return;
        }
        int id = freeId();
        pending.put(id, query);
        counters.forwarded.increment();
        byte[] message = UpstreamMessages.withId(query.message, id);
        channel.writeAndFlush(new DatagramPacket(Unpooled.wrappedBuffer(message), servers.get(query.server)));
        query.timeout = channel.eventLoop().schedule(() -> expire(id, query), TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
    }

    private int freeId() {
        int id = random.nextInt(IDS);
        while (pending.containsKey(id)) {
            id = random.nextInt(IDS);
        }
        return id;
    }

    private void expire(int id, Pending query) {
        if (pending.remove(id, query)) {
            send(query.withNextServer());
        }
    }

    private void receive(InetSocketAddress sender, byte[] message) {
        @Nullable Pending query = message.length < Short.BYTES ? null : pending.get(UpstreamMessages.id(message));
        if (query == null
                || !servers.get(query.server).equals(sender)
                || !UpstreamMessages.answers(message, query.request)) {
            return;
        }
        pending.remove(UpstreamMessages.id(message));
        if (query.timeout != null) {
            query.timeout.cancel(false);
        }
        byte[] response = UpstreamMessages.withId(message, query.request.id());
        cache.put(query.request, response, System.nanoTime());
        query.found.accept(response);
    }

    private final class Responses extends SimpleChannelInboundHandler<DatagramPacket> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, DatagramPacket packet) {
            receive(packet.sender(), ByteBufUtil.getBytes(packet.content()));
        }

        /** Such as a port that nobody listens on: the query expires. */
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {}
    }
}
