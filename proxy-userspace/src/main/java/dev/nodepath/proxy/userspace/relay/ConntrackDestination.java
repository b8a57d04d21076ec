package dev.nodepath.proxy.userspace.relay;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.proxy.userspace.portals.Destination;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Reads the original destination from connection tracking, by the socket options SO_ORIGINAL_DST of
 * {@code include/uapi/linux/netfilter_ipv4.h} and IP6T_SO_ORIGINAL_DST of
 * {@code include/uapi/linux/netfilter_ipv6/ip6_tables.h}.
 */
public final class ConntrackDestination implements OriginalDestination {
    private static final int SOL_IP = 0;
    private static final int SOL_IPV6 = 41;
    private static final int SO_ORIGINAL_DST = 80;
    private static final int PORT_OFFSET = 2;

    /** {@code struct sockaddr_in}: family in host order, port, address. */
    private static final int SOCKADDR_IN_BYTES = 16;

    private static final int IPV4_OFFSET = 4;

    /** {@code struct sockaddr_in6}: family in host order, port, flow label, address, scope. */
    private static final int SOCKADDR_IN6_BYTES = 28;

    private static final int IPV6_OFFSET = 8;
    private static final int IPV6_BYTES = 16;

    @Override
    public Destination of(Socket client, IpFamily family) throws IOException {
        boolean ipv4 = family == IpFamily.IPV4;
        ByteBuffer address = ByteBuffer.allocate(ipv4 ? SOCKADDR_IN_BYTES : SOCKADDR_IN6_BYTES);
        try {
            client.getRawOpt(ipv4 ? SOL_IP : SOL_IPV6, SO_ORIGINAL_DST, address);
        } catch (IOException e) {
            throw new IOException(
                    "SO_ORIGINAL_DST: no translation of the connection from " + client.remoteAddress(), e);
        }
        return parse(address.flip());
    }

    /** Reads a {@code struct sockaddr_in} or {@code sockaddr_in6}; all but the family is in network order. */
    static Destination parse(ByteBuffer sockaddr) throws IOException {
        int start = sockaddr.position();
        IpAddress address = switch (sockaddr.remaining()) {
            case SOCKADDR_IN_BYTES ->
                new IpAddress(IpFamily.IPV4, 0, Integer.toUnsignedLong(sockaddr.getInt(start + IPV4_OFFSET)));
            case SOCKADDR_IN6_BYTES ->
                new IpAddress(
                        IpFamily.IPV6,
                        sockaddr.getLong(start + IPV6_OFFSET),
                        sockaddr.getLong(start + IPV6_OFFSET + IPV6_BYTES / 2));
            default ->
                throw new IOException("SO_ORIGINAL_DST: " + sockaddr.remaining() + " bytes (expected: "
                        + SOCKADDR_IN_BYTES + " or " + SOCKADDR_IN6_BYTES + ")");
        };
        return new Destination(address, Short.toUnsignedInt(sockaddr.getShort(start + PORT_OFFSET)));
    }
}
