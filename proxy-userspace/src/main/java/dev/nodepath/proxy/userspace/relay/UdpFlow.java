package dev.nodepath.proxy.userspace.relay;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.io.DatagramBatch;
import dev.nodepath.linux.io.DatagramPath;
import dev.nodepath.linux.syscall.LinuxNetException;
import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.Inet6Address;
import java.util.concurrent.TimeUnit;

/**
 * The datagrams between a client and its endpoint. The socket is connected to the endpoint, so the kernel reports
 * refusals (ICMP).
 */
final class UdpFlow implements EpollIoHandle {
    /** The reads of one round, before others get their turn. */
    private static final int READS_AT_A_TIME = 4;

    private final UdpPortal portal;
    private final RelayLoop loop;
    private final DatagramPath path;
    private final IpAddress clientAddress;
    private final RelayEndpoint endpoint;
    private final Socket socket;
    private final IoRegistration registration;
    private final long startNanos;
    private long bytesFromClient;
    private long bytesToClient;
    private long usedAtNanos;

    /**
     * Opens the socket.
     *
     * @param path the client and its redirected destination, which is the source of answers; the identity of a flow
     * @throws IOException if there is no descriptor or port left, or no route to the endpoint
     */
    UdpFlow(UdpPortal portal, RelayLoop loop, DatagramPath path, RelayEndpoint endpoint) throws IOException {
        this.portal = portal;
        this.loop = loop;
        this.path = path;
        this.clientAddress = path.peer();
        this.endpoint = endpoint;
        this.socket = LinuxSocket.newSocketDgram(endpoint.address().getAddress() instanceof Inet6Address);
        try {
            socket.connect(endpoint.address());
            registration = loop.eventLoop().register(this).getNow();
            registration.submit(EpollIoOps.EPOLLIN);
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
        startNanos = loop.nanoTime();
        usedAtNanos = startNanos;
    }

    DatagramPath path() {
        return path;
    }

    IpAddress clientAddress() {
        return clientAddress;
    }

    RelayEndpoint endpoint() {
        return endpoint;
    }

    long usedAtNanos() {
        return usedAtNanos;
    }

    /**
     * Sends at least the first of some datagrams to the endpoint.
     *
     * @return the number sent; 0 if the kernel has no room
     * @throws LinuxNetException if the endpoint has refused an earlier one, or the first of these cannot be sent
     */
    int forward(DatagramBatch batch, int from, int to) throws LinuxNetException {
        int count = batch.forward(socket.intValue(), from, to);
        long bytes = 0;
        for (int slot = from; slot < from + count; slot++) {
            bytes += batch.length(slot);
        }
        endpoint.addBytesFromClient(bytes);
        bytesFromClient += bytes;
        usedAtNanos = loop.nanoTime();
        return count;
    }

    /** Counts an answer of the endpoint. */
    void answered(long bytes) {
        endpoint.answered();
        endpoint.addBytesToClient(bytes);
        bytesToClient += bytes;
        usedAtNanos = loop.nanoTime();
    }

    /** Size and duration of the flow, for the access log. */
    RelayLog.Access access(long nowNanos) {
        return new RelayLog.Access(
                bytesFromClient, bytesToClient, TimeUnit.NANOSECONDS.toMillis(nowNanos - startNanos));
    }

    /** Reads answers. Returns whether there may be more. */
    private boolean read() {
        try {
            return loop.answers().read(portal, this);
        } catch (LinuxNetException e) {
            if (isRefusal(e)) {
                portal.refused(this);
                return false;
            }
            // For example, a router has reported a datagram that was too long. The kernel reports that once; no answer
            // is lost.
            return true;
        }
    }

    /**
     * Whether the endpoint or the network refused the whole flow, and not only one datagram that is too long or
     * filtered.
     */
    static boolean isRefusal(LinuxNetException e) {
        return switch (e.errno()) {
            case ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ENETDOWN -> true;
            default -> false;
        };
    }

    @Override
    public FileDescriptor fd() {
        return socket;
    }

    @Override
    public void handle(IoRegistration registration, IoEvent event) {
        if (!socket.isOpen()) {
            return;
        }
        try {
            portal.used(this);
            boolean more = true;
            for (int i = 0; i < READS_AT_A_TIME && more; i++) {
                // Reading them one by one would cost a system call for each datagram.
                more = read();
            }
        } catch (Throwable e) {
            loop.context().brokenDown(e);
        }
    }

    /** Ends the flow to make room. The client's next datagram opens a new one. */
    void end() {
        portal.expire(this);
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // The descriptor is free in any case.
        }
        RelayLoop.forget(registration);
    }
}
