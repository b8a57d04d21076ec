package dev.nodepath.proxy.userspace;

import dev.nodepath.linux.IpAddress;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
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
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/**
 * The datagrams between a client and the endpoint it was given: a socket that is connected to the endpoint, so that the
 * kernel tells of its refusals (ICMP), and where to answer to.
 */
final class UdpFlow implements EpollIoHandle {
    /** Answers read before others get their turn. */
    private static final int READS_AT_A_TIME = 32;

    /** What Netty's natives return for a datagram without content. */
    private static final int EMPTY = -1;

    private final UdpPortal portal;
    private final Key key;
    private final IpAddress clientAddress;
    private final Channel answers;
    private final RelayEndpoint endpoint;
    private final Socket socket;
    private final IoRegistration registration;
    private final long startNanos;
    private long bytesFromClient;
    private long bytesToClient;
    private long usedAtNanos;

    /**
     * The identity of a flow.
     *
     * @param client where datagrams come from
     * @param socket what they came in through: it decides which address answers come from
     */
    record Key(InetSocketAddress client, Channel socket) {}

    /**
     * Opens the socket.
     *
     * @throws IOException if there is no descriptor or port left, or no route to the endpoint
     */
    UdpFlow(UdpPortal portal, RelayLoop loop, Key key, Channel answers, RelayEndpoint endpoint) throws IOException {
        this.portal = portal;
        this.key = key;
        this.clientAddress = IpAddress.of(key.client.getAddress());
        this.answers = answers;
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

    Key key() {
        return key;
    }

    IpAddress clientAddress() {
        return clientAddress;
    }

    /** The channel that the client's answers go out through. */
    Channel answers() {
        return answers;
    }

    RelayEndpoint endpoint() {
        return endpoint;
    }

    long usedAtNanos() {
        return usedAtNanos;
    }

    void used(long nowNanos) {
        usedAtNanos = nowNanos;
    }

    /**
     * Sends a datagram to the endpoint; one that the kernel has no room for is lost, as datagrams are.
     *
     * @throws IOException if the endpoint has refused an earlier one
     */
    void send(ByteBuf datagram) throws IOException {
        int count = datagram.readableBytes();
        ByteBuffer view = datagram.internalNioBuffer(datagram.readerIndex(), count);
        socket.send(view, view.position(), view.position() + count);
        endpoint.addBytesFromClient(count);
        bytesFromClient += count;
    }

    /** What it has carried, for the access log. */
    RelayLog.Access access(long nowNanos) {
        return new RelayLog.Access(
                bytesFromClient, bytesToClient, TimeUnit.NANOSECONDS.toMillis(nowNanos - startNanos));
    }

    @Override
    public FileDescriptor fd() {
        return socket;
    }

    @Override
    public void handle(IoRegistration registration, IoEvent event) {
        ByteBuffer buffer = portal.loop().buffer();
        try {
            for (int i = 0; i < READS_AT_A_TIME; i++) {
                int count = socket.recv(buffer, 0, buffer.capacity());
                if (count == 0) {
                    return;
                }
                int bytes = count == EMPTY ? 0 : count;
                endpoint.addBytesToClient(bytes);
                bytesToClient += bytes;
                portal.answered(this, buffer.slice(0, bytes));
            }
        } catch (IOException e) {
            portal.refused(this);
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // The descriptor is free in any case.
        }
        registration.cancel();
    }
}
