package dev.nodepath.proxy.userspace;

import dev.nodepath.linux.IpAddress;
import dev.nodepath.linux.IpFamily;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.channel.unix.UnixChannelOption;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A UDP service port for those who come one way: the socket that rules lead to, and a flow for each client. Everything
 * happens on one event loop.
 *
 * <p>Answers must come from the address that a rule has led the client to, or connection tracking does not know them. So
 * the first datagram to an address of this node opens a socket on that address and the same port, which the kernel prefers
 * from then on. Netty does not tell the address of an IPv6 datagram, so in that family the socket is on the node's own
 * address from the start, and rules lead there.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A datagram that cannot be sent is lost, as datagrams are.
final class UdpPortal implements Beat.Watched {
    private static final int DATAGRAM_BYTES = 65_536;

    /** Datagrams taken by one system call (recvmmsg). */
    private static final int DATAGRAMS_AT_A_TIME = 8;

    /** Addresses of this node with a socket of their own; beyond that the kernel chooses where answers come from. */
    private static final int ADDRESSES_MAX = 64;

    /** Endpoints tried for one that is not the one that refused. */
    private static final int CHOICES_MAX = 8;

    private final RelayLoop loop;
    private final RelayContext context;
    private final RelayService service;
    private final Way way;
    private final Channel wildcard;
    private final Map<InetAddress, Channel> byAddress = new HashMap<>();
    private final Set<Channel> unflushed = new HashSet<>();

    /** The one that was silent longest first. */
    private final LinkedHashMap<UdpFlow.Key, UdpFlow> flows = new LinkedHashMap<>(16, 0.75f, true);

    private boolean closed;

    private UdpPortal(RelayLoop loop, RelayService service, Way way, InetSocketAddress address) throws IOException {
        this.loop = loop;
        this.context = loop.context();
        this.service = service;
        this.way = way;
        this.wildcard = open(address, false);
    }

    /**
     * Opens the socket. To be called on the loop.
     *
     * @throws IOException if the port is taken
     */
    static UdpPortal open(RelayLoop loop, RelayService service, Way way, InetSocketAddress address) throws IOException {
        return new UdpPortal(loop, service, way, address);
    }

    RelayLoop loop() {
        return loop;
    }

    int port() {
        return ((InetSocketAddress) wildcard.localAddress()).getPort();
    }

    private Channel open(InetSocketAddress address, boolean shares) throws IOException {
        boolean ipv6 = service.key().family() == IpFamily.IPV6;
        EpollDatagramChannel channel =
                new EpollDatagramChannel(ipv6 ? SocketProtocolFamily.INET6 : SocketProtocolFamily.INET);
        channel.config().setOption(EpollChannelOption.MAX_DATAGRAM_PAYLOAD_SIZE, DATAGRAM_BYTES);
        channel.config().setRecvByteBufAllocator(new FixedRecvByteBufAllocator(DATAGRAMS_AT_A_TIME * DATAGRAM_BYTES));
        channel.config().setOption(UnixChannelOption.SO_REUSEPORT, shares);
        if (!ipv6 && address.getAddress().isAnyLocalAddress()) {
            channel.config().setOption(EpollChannelOption.IP_RECVORIGDSTADDR, true);
        }
        channel.pipeline().addLast(new Input());
        EventLoop eventLoop = loop.eventLoop();
        eventLoop.register(channel);
        Throwable failure = channel.bind(address).cause();
        if (failure != null) {
            channel.close();
            throw new IOException("udp " + address + ": " + failure.getMessage(), failure);
        }
        // Set after the first one is bound: before, it could take a port that another one has.
        channel.config().setOption(UnixChannelOption.SO_REUSEPORT, true);
        return channel;
    }

    /** Takes what clients send. */
    private final class Input extends SimpleChannelInboundHandler<DatagramPacket> {
        @Override
        protected void channelRead0(ChannelHandlerContext ctx, DatagramPacket packet) {
            received(packet, ctx.channel());
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            // An answer that a client has refused; the flow ends for want of datagrams.
            context.metrics().datagramsDropped.increment();
        }
    }

    private void received(DatagramPacket packet, Channel socket) {
        context.metrics().datagramsFromClients.increment();
        UdpFlow.Key key = new UdpFlow.Key(packet.sender(), answering(packet, socket));
        UdpFlow flow = flows.get(key);
        if (flow == null) {
            flow = begin(key, null);
        }
        for (int i = 0; flow != null && i < CHOICES_MAX; i++) {
            try {
                flow.send(packet.content());
                flow.used(loop.nanoTime());
                return;
            } catch (IOException e) {
                flow = move(flow);
            }
        }
        context.metrics().datagramsDropped.increment();
    }

    /** The socket whose address the client was led to. */
    private Channel answering(DatagramPacket packet, Channel socket) {
        InetAddress address = packet.recipient().getAddress();
        if (socket != wildcard || address.isAnyLocalAddress()) {
            return socket;
        }
        Channel own = byAddress.get(address);
        if (own == null && byAddress.size() < ADDRESSES_MAX && isWildcardBound()) {
            try {
                own = open(new InetSocketAddress(address, port()), true);
                byAddress.put(address, own);
            } catch (IOException e) {
                context.log().noAnswerSocket(service, e);
            }
        }
        return own == null ? socket : own;
    }

    private boolean isWildcardBound() {
        return ((InetSocketAddress) wildcard.localAddress()).getAddress().isAnyLocalAddress();
    }

    private @Nullable UdpFlow begin(UdpFlow.Key key, @Nullable RelayEndpoint refused) {
        IpAddress client = IpAddress.of(key.client().getAddress());
        if (closed || !service.admits(way, client)) {
            return null;
        }
        RelayEndpoint endpoint = choose(client, refused);
        if (endpoint == null || !makeRoom()) {
            return null;
        }
        try {
            UdpFlow flow = new UdpFlow(this, loop, key, key.socket(), endpoint);
            flows.put(key, flow);
            service.reached(client, endpoint, 0);
            context.metrics().flowsOpened.increment();
            context.metrics().flowsActive.incrementAndGet();
            loop.flows().add(this);
            return flow;
        } catch (IOException | RuntimeException e) {
            context.metrics().dialsFailed.increment();
            context.log().noFlow(service, e);
            return null;
        }
    }

    private @Nullable RelayEndpoint choose(IpAddress client, @Nullable RelayEndpoint refused) {
        RelayEndpoint pinned = service.pinned(way, client);
        if (pinned != null && pinned != refused) {
            return pinned;
        }
        for (int i = 0; i < CHOICES_MAX; i++) {
            RelayEndpoint endpoint = service.choose(way, client, service.nextTurn());
            if (endpoint == null || endpoint != refused) {
                return endpoint;
            }
        }
        return null;
    }

    /** There is a limit for all flows together; beyond it the one of this portal ends that was silent longest. */
    private boolean makeRoom() {
        if (context.metrics().flowsActive.get() < context.config().flowsMax()) {
            return true;
        }
        context.metrics().flowsEvicted.increment();
        Iterator<UdpFlow> eldest = flows.values().iterator();
        if (!eldest.hasNext()) {
            return false;
        }
        end(eldest.next());
        return true;
    }

    /** An endpoint has answered; it goes out with the other answers of this round. */
    void answered(UdpFlow flow, ByteBuffer content) {
        context.metrics().datagramsFromBackends.increment();
        flow.used(loop.nanoTime());
        flows.get(flow.key());
        Channel channel = flow.answers();
        if (!channel.isWritable() || !content.hasRemaining()) {
            // No room, or nothing in it: Netty's channels do not send datagrams without content.
            context.metrics().datagramsDropped.increment();
            return;
        }
        ByteBuf copy = ByteBufAllocator.DEFAULT.directBuffer(content.remaining());
        copy.writeBytes(content);
        channel.write(new DatagramPacket(copy, flow.key().client()), channel.voidPromise());
        if (unflushed.isEmpty()) {
            loop.eventLoop().execute(this::flush);
        }
        unflushed.add(channel);
    }

    private void flush() {
        unflushed.forEach(Channel::flush);
        unflushed.clear();
    }

    /** The endpoint of a flow refuses datagrams. */
    void refused(UdpFlow flow) {
        move(flow);
    }

    private @Nullable UdpFlow move(UdpFlow flow) {
        context.metrics().flowsRefused.increment();
        if (service.failed(flow.endpoint())) {
            context.log().ejected(service, flow.endpoint());
        }
        end(flow);
        return begin(flow.key(), flow.endpoint());
    }

    private void end(UdpFlow flow) {
        if (flows.remove(flow.key(), flow)) {
            flow.close();
            service.ended(flow.clientAddress(), flow.endpoint());
            context.metrics().flowsActive.decrementAndGet();
            if (context.config().accessLog()) {
                context.log().access(service, flow.clientAddress(), flow.endpoint(), flow.access(loop.nanoTime()));
            }
        }
    }

    /** Ends the flows of endpoints that are gone. To be called on the loop. */
    void endpointsChanged() {
        for (UdpFlow flow : List.copyOf(flows.values())) {
            if (!service.has(way, flow.clientAddress(), flow.endpoint())) {
                end(flow);
            }
        }
    }

    @Override
    public void look(long nowNanos) {
        Duration timeout = context.config().udpTimeout();
        Iterator<UdpFlow> eldest = flows.values().iterator();
        while (eldest.hasNext()) {
            UdpFlow flow = eldest.next();
            if (nowNanos - flow.usedAtNanos() < timeout.toNanos()) {
                return;
            }
            end(flow);
            eldest = flows.values().iterator();
        }
        loop.flows().remove(this);
    }

    /** Ends every flow and closes the sockets. To be called on the loop. */
    void close() {
        closed = true;
        loop.flows().remove(this);
        List.copyOf(flows.values()).forEach(this::end);
        byAddress.values().forEach(Channel::close);
        wildcard.close();
    }
}
