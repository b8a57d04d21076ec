package dev.nodepath.proxy.userspace.relay;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.proxy.userspace.metrics.RelayCount;
import dev.nodepath.proxy.userspace.metrics.RelayMetrics;
import dev.nodepath.proxy.userspace.portals.Destination;
import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The listening socket of one event loop. Each loop has its own socket on the same port (SO_REUSEPORT). The kernel
 * distributes the connections, so no connection changes its loop.
 */
final class Listener implements EpollIoHandle {
    /**
     * The connections in the kernel's queue while accepting is late or pauses; {@code net.core.somaxconn} caps it.
     */
    private static final int BACKLOG = 4096;

    /** The connections that are accepted in one round, before open connections get their turn. */
    private static final int ACCEPTS_AT_A_TIME = 64;

    private static final Duration ACCEPT_PAUSE = Duration.ofSeconds(1);

    /** The longest address as Netty's natives write it: a length, 16 bytes, scope and port. */
    private static final int ADDRESS_BYTES = 25;

    /** Of {@code include/uapi/linux/in6.h}. */
    private static final int IPPROTO_IPV6 = 41;

    private static final int IPV6_V6ONLY = 26;

    private static final int PORT_BYTES = 4;
    private static final int SCOPE_BYTES = 4;
    private static final int IPV4_BYTES = 4;

    private final RelayLoop loop;
    private final RelayContext context;
    private final LinuxSocket socket;
    private final IpFamily family;

    /** The port. It is stored because another thread may close the socket. */
    private final int port;

    private final byte[] peer = new byte[ADDRESS_BYTES];
    private @Nullable IoRegistration registration;

    private Listener(RelayLoop loop, LinuxSocket socket, IpFamily family) {
        this.loop = loop;
        this.context = loop.context();
        this.socket = socket;
        this.family = family;
        this.port = socket.localAddress().getPort();
    }

    /**
     * Opens the socket. It accepts after {@link #start}.
     *
     * @param shares whether another listener of this relay has the port already
     */
    static Listener open(RelayLoop loop, InetSocketAddress address, boolean shares) throws IOException {
        boolean ipv6 = address.getAddress() instanceof Inet6Address;
        LinuxSocket socket = LinuxSocket.newSocketStream(ipv6);
        try {
            if (ipv6) {
                socket.setIntOpt(IPPROTO_IPV6, IPV6_V6ONLY, 1);
            }
            socket.setReusePort(shares);
            // Accepted sockets inherit these, which saves setting them one by one.
            socket.setTcpNoDelay(true);
            socket.setKeepAlive(true);
            socket.bind(address);
            // The first socket is bound without SO_REUSEPORT. Otherwise another process's port would look free.
            socket.setReusePort(true);
            socket.listen(BACKLOG);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
        return new Listener(loop, socket, ipv6 ? IpFamily.IPV6 : IpFamily.IPV4);
    }

    int port() {
        return port;
    }

    /** Starts to accept. Called on the loop. */
    void start() {
        registration = loop.eventLoop().register(this).getNow();
        resume();
    }

    private void resume() {
        if (registration != null && registration.isValid()) {
            registration.submit(EpollIoOps.EPOLLIN);
        }
    }

    @Override
    public FileDescriptor fd() {
        return socket;
    }

    @Override
    public void handle(IoRegistration registration, IoEvent event) {
        acceptAll(ACCEPTS_AT_A_TIME);
    }

    private void acceptAll(int atMost) {
        try {
            for (int i = 0; i < atMost; i++) {
                if (!context.hasDescriptors()) {
                    pause(new IOException("descriptors: as many as connections may have (ulimit -n)"));
                    return;
                }
                int descriptor = socket.accept(peer);
                if (descriptor < 0) {
                    return;
                }
                accepted(new Socket(descriptor));
            }
        } catch (IOException e) {
            pause(e);
        }
    }

    /** Pauses accepting after a failure, usually a lack of descriptors. Open connections go on. */
    @SuppressWarnings("FutureReturnValueIgnored") // Only a failure of the loop itself can prevent it.
    private void pause(IOException cause) {
        context.metrics().increment(RelayCount.ACCEPT_FAILURES);
        if (registration != null) {
            // Not NONE: Netty removes such a handle from epoll, and cannot add it again (netty/netty#16689).
            registration.submit(EpollIoOps.EPOLLET);
        }
        loop.eventLoop().schedule(this::resume, ACCEPT_PAUSE.toMillis(), TimeUnit.MILLISECONDS);
        context.log().acceptPaused(cause);
    }

    private void accepted(Socket client) {
        RelayMetrics metrics = context.metrics();
        metrics.increment(RelayCount.ACCEPTED);
        int connections = metrics.active.incrementAndGet();
        try {
            PortalTable.Entry portal = null;
            if (connections > context.config().connectionsMax()) {
                metrics.increment(RelayCount.OVER_LIMIT);
                context.log().limitReached(context.config().connectionsMax());
            } else {
                portal = portal(client);
            }
            if (portal != null) {
                loop.accepted(client, peerAddress(), portal);
                return;
            }
        } catch (Throwable e) {
            context.brokenDown(e);
        }
        metrics.active.decrementAndGet();
        refuse(client);
    }

    private PortalTable.@Nullable Entry portal(Socket client) {
        Destination destination;
        try {
            destination = context.originalDestination().of(client, family);
        } catch (IOException e) {
            context.metrics().increment(RelayCount.WITHOUT_TRANSLATION);
            context.log().noTranslation(e);
            return null;
        }
        PortalTable.Entry portal = context.portals().find(destination);
        if (portal == null) {
            context.metrics().increment(RelayCount.WITHOUT_PORTAL);
            context.log().noPortal(destination);
        } else if (!portal.service().admits(portal.kind(), peerAddress())) {
            context.metrics().increment(RelayCount.OUTSIDE_SOURCE_RANGES);
            context.log().excluded(portal.service(), peerAddress());
            return null;
        }
        return portal;
    }

    private IpAddress peerAddress() {
        int length = peer[0] - PORT_BYTES;
        int bytes = length == IPV4_BYTES ? length : length - SCOPE_BYTES;
        return IpAddress.of(Arrays.copyOfRange(peer, 1, 1 + bytes));
    }

    private static void refuse(Socket client) {
        try {
            client.setSoLinger(0);
            client.close();
        } catch (IOException e) {
            // It is already reset.
        }
    }

    /** Accepts the queued connections, then stops listening. Called on the loop. */
    void stop() {
        if (registration != null && !loop.isOver()) {
            acceptAll(Integer.MAX_VALUE);
        }
        close();
    }

    /** Stops listening. */
    @Override
    public void close() {
        if (!socket.isOpen()) {
            return;
        }
        try {
            socket.close();
        } catch (IOException e) {
            // The descriptor is free in any case.
        }
        if (registration != null) {
            RelayLoop.forget(registration);
        }
    }
}
