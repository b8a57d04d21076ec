package dev.nodepath.proxy.userspace.relay;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.io.DatagramBatch;
import dev.nodepath.linux.io.DatagramPath;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.proxy.userspace.metrics.RelayCount;
import dev.nodepath.proxy.userspace.portals.ServiceEntry;
import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A UDP service port for one kind of entry: the socket that rules redirect to, and a flow for each client. All calls
 * are made on one event loop.
 *
 * <p>An answer must have the redirected destination as its source. Else connection tracking cannot match it. The kernel
 * gives that address with each datagram.
 */
final class UdpPortal implements EpollIoHandle, PeriodicCheck.Watched {
    /** The batches of one round, before others get their turn. */
    private static final int BATCHES_AT_A_TIME = 4;

    /** A batch of datagrams may change its endpoint this many times. */
    private static final int MOVES_MAX = 8;

    /** Of {@code include/uapi/linux/in.h} and {@code in6.h}. */
    private static final int IPPROTO_IP = 0;

    private static final int IP_PKTINFO = 8;
    private static final int IPPROTO_IPV6 = 41;
    private static final int IPV6_V6ONLY = 26;
    private static final int IPV6_RECVPKTINFO = 49;

    private final RelayLoop loop;
    private final RelayContext context;
    private final RelayService service;
    private final ServiceEntry entry;
    private final LinuxSocket socket;
    private final IoRegistration registration;

    /** The longest silent flow comes first. */
    private final LinkedHashMap<DatagramPath, UdpFlow> flows = new LinkedHashMap<>(16, 0.75f, true);

    private boolean closed;

    private UdpPortal(RelayLoop loop, RelayService service, ServiceEntry entry, LinuxSocket socket) {
        this.loop = loop;
        this.context = loop.context();
        this.service = service;
        this.entry = entry;
        this.socket = socket;
        this.registration = loop.eventLoop().register(this).getNow();
        registration.submit(EpollIoOps.EPOLLIN);
    }

    /**
     * Opens the socket. Called on the loop.
     *
     * @throws IOException if the port is taken
     */
    static UdpPortal open(RelayLoop loop, RelayService service, ServiceEntry entry, InetSocketAddress address)
            throws IOException {
        boolean ipv6 = service.key().family() == IpFamily.IPV6;
        LinuxSocket socket = LinuxSocket.newSocketDgram(ipv6);
        try {
            if (ipv6) {
                socket.setIntOpt(IPPROTO_IPV6, IPV6_V6ONLY, 1);
                socket.setIntOpt(IPPROTO_IPV6, IPV6_RECVPKTINFO, 1);
            } else {
                socket.setIntOpt(IPPROTO_IP, IP_PKTINFO, 1);
            }
            socket.bind(address);
            return new UdpPortal(loop, service, entry, socket);
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw new IOException("udp " + address + ": " + e.getMessage(), e);
        }
    }

    RelayLoop loop() {
        return loop;
    }

    int port() {
        return socket.localAddress().getPort();
    }

    @Override
    public FileDescriptor fd() {
        return socket;
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public void handle(IoRegistration registration, IoEvent event) {
        DatagramBatch batch = loop.requests();
        try {
            int count = batch.size();
            for (int i = 0; i < BATCHES_AT_A_TIME && count == batch.size() && !closed; i++) {
                count = batch.receive(socket.intValue(), 0);
                context.metrics().add(RelayCount.DATAGRAMS_FROM_CLIENTS, count);
                passOn(batch, count);
            }
        } catch (LinuxNetException e) {
            context.log().receiveFailed(service, e);
        } catch (Throwable e) {
            context.brokenDown(e);
        }
    }

    /** Forwards a batch. Successive datagrams of one flow go together. */
    private void passOn(DatagramBatch batch, int count) {
        int to;
        for (int from = 0; from < count; from = to) {
            to = from + 1;
            while (to < count && batch.isOnPathOf(to, from)) {
                to++;
            }
            int passed = passOn(batch, from, to);
            context.metrics().add(RelayCount.DATAGRAMS_DROPPED, to - from - passed);
        }
    }

    /** Forwards datagrams of one flow. Returns the number that an endpoint got. */
    private int passOn(DatagramBatch batch, int from, int to) {
        DatagramPath path = batch.path(from);
        UdpFlow flow = flows.get(path);
        if (flow == null) {
            flow = begin(path.copy(), null);
        }
        int passed = 0;
        int at = from;
        int moves = 0;
        while (flow != null && at < to) {
            try {
                int count = flow.forward(batch, at, to);
                if (count == 0) {
                    // The kernel has no room. The datagrams are lost.
                    return passed;
                }
                passed += count;
                at += count;
            } catch (LinuxNetException e) {
                if (UdpFlow.isRefusal(e) && moves++ < MOVES_MAX) {
                    flow = move(flow);
                } else {
                    at++;
                }
            }
        }
        return passed;
    }

    private @Nullable UdpFlow begin(DatagramPath path, @Nullable RelayEndpoint refused) {
        IpAddress client = path.peer();
        if (closed) {
            return null;
        }
        if (!service.admits(entry, client)) {
            context.log().excluded(service, client);
            return null;
        }
        RelayEndpoint endpoint = choose(client, refused);
        if (endpoint == null) {
            return null;
        }
        // As in a dial, the endpoint counts a dial or a flow at all times, even if it is removed meanwhile.
        endpoint.dialling();
        try {
            loop.makeRoomForFlow();
            return begin(path, client, endpoint);
        } finally {
            endpoint.dialled();
        }
    }

    private @Nullable UdpFlow begin(DatagramPath path, IpAddress client, RelayEndpoint endpoint) {
        try {
            UdpFlow flow = new UdpFlow(this, loop, path, endpoint);
            flows.put(path, flow);
            service.begun(client, endpoint);
            context.metrics().increment(RelayCount.FLOWS_OPENED);
            loop.flowBegun();
            loop.flows().add(this);
            return flow;
        } catch (IOException | RuntimeException e) {
            context.metrics().increment(RelayCount.DIALS_FAILED);
            context.log().noFlow(service, e);
            return null;
        }
    }

    private @Nullable RelayEndpoint choose(IpAddress client, @Nullable RelayEndpoint refused) {
        RelayEndpoint pinned = service.pinned(entry, client);
        if (pinned != null && pinned != refused) {
            return pinned;
        }
        RelayEndpoint endpoint =
                service.choose(entry, client, service.nextTurn(), refused == null ? List.of() : List.of(refused));
        return endpoint == refused ? null : endpoint;
    }

    /** The longest silent flow. */
    @Nullable
    UdpFlow eldest() {
        Iterator<UdpFlow> eldest = flows.values().iterator();
        return eldest.hasNext() ? eldest.next() : null;
    }

    /** The endpoint has answered. The flow moves to the end of the order. */
    void used(UdpFlow flow) {
        flows.get(flow.path());
    }

    /** The endpoint of a flow has refused a datagram. The flow moves to another one. */
    void refused(UdpFlow flow) {
        move(flow);
    }

    private @Nullable UdpFlow move(UdpFlow flow) {
        context.metrics().increment(RelayCount.FLOWS_REFUSED);
        if (service.failed(flow.endpoint())) {
            context.log().ejected(service, flow.endpoint());
        }
        end(flow);
        return begin(flow.path(), flow.endpoint());
    }

    /** Ends a healthy flow. Its client stays pinned to the endpoint. */
    void expire(UdpFlow flow) {
        service.lastUsed(flow.clientAddress(), flow.endpoint());
        end(flow);
    }

    private void end(UdpFlow flow) {
        if (flows.remove(flow.path(), flow)) {
            flow.close();
            flow.endpoint().closed();
            loop.flowEnded();
            if (context.config().accessLog()) {
                context.log().access(service, flow.clientAddress(), flow.endpoint(), flow.access(loop.nanoTime()));
            }
        }
    }

    /** Ends the flows to removed endpoints. Called on the loop. */
    void endpointsChanged() {
        for (UdpFlow flow : List.copyOf(flows.values())) {
            if (!service.has(entry, flow.clientAddress(), flow.endpoint())) {
                end(flow);
            }
        }
    }

    @Override
    public void look(long nowNanos) {
        try {
            endSilent(nowNanos);
        } catch (Throwable e) {
            context.brokenDown(e);
        }
    }

    private void endSilent(long nowNanos) {
        long timeoutNanos = context.config().udpTimeout().toNanos();
        for (UdpFlow flow = eldest(); flow != null; flow = eldest()) {
            if (nowNanos - flow.usedAtNanos() < timeoutNanos) {
                return;
            }
            expire(flow);
        }
        loop.flows().remove(this);
    }

    /** Ends every flow and closes the socket. Called on the loop. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        loop.flows().remove(this);
        List.copyOf(flows.values()).forEach(this::end);
        try {
            socket.close();
        } catch (IOException e) {
            // The descriptor is free in any case.
        }
        RelayLoop.forget(registration);
    }
}
