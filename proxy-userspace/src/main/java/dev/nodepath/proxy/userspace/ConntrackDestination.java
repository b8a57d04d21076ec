package dev.nodepath.proxy.userspace;

import dev.nodepath.linux.IpAddress;
import dev.nodepath.linux.IpFamily;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Asks the kernel's connection tracking, by the socket option SO_ORIGINAL_DST of
 * {@code include/uapi/linux/netfilter_ipv4.h}. IPv4 only.
 */
final class ConntrackDestination implements OriginalDestination {
    private static final int SOL_IP = 0;
    private static final int SO_ORIGINAL_DST = 80;
    private static final int SOCKADDR_IN_BYTES = 16;
    private static final int PORT_OFFSET = 2;
    private static final int ADDRESS_OFFSET = 4;

    @Override
    public Destination of(Socket client) throws IOException {
        ByteBuffer address = ByteBuffer.allocate(SOCKADDR_IN_BYTES);
        try {
            client.getRawOpt(SOL_IP, SO_ORIGINAL_DST, address);
        } catch (IOException e) {
            throw new IOException(
                    "SO_ORIGINAL_DST: no translation of the connection from " + client.remoteAddress(), e);
        }
        return parse(address.flip());
    }

    /** Reads a {@code struct sockaddr_in}: family in host order, then port and address in network order. */
    static Destination parse(ByteBuffer sockaddr) throws IOException {
        if (sockaddr.remaining() != SOCKADDR_IN_BYTES) {
            throw new IOException(
                    "SO_ORIGINAL_DST: " + sockaddr.remaining() + " bytes (expected: " + SOCKADDR_IN_BYTES + ")");
        }
        int start = sockaddr.position();
        int port = Short.toUnsignedInt(sockaddr.getShort(start + PORT_OFFSET));
        long address = Integer.toUnsignedLong(sockaddr.getInt(start + ADDRESS_OFFSET));
        return new Destination(new IpAddress(IpFamily.IPV4, 0, address), port);
    }
}
