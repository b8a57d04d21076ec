package dev.nodepath.proxy.userspace.relay;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.InetSocketAddress;

/** Dials from an address that is not this host's, by {@code include/uapi/linux/in.h} and {@code in6.h}. */
final class TransparentSource {
    private static final int SOL_IP = 0;
    private static final int IP_TRANSPARENT = 19;
    private static final int IP_BIND_ADDRESS_NO_PORT = 24;
    private static final int SOL_IPV6 = 41;
    private static final int IPV6_TRANSPARENT = 75;

    private TransparentSource() {}

    /**
     * Binds a socket before its connect, which chooses the port.
     *
     * @throws IOException EPERM without CAP_NET_ADMIN
     */
    static void bind(Socket socket, IpAddress source) throws IOException {
        if (source.family() == IpFamily.IPV4) {
            socket.setIntOpt(SOL_IP, IP_TRANSPARENT, 1);
        } else {
            socket.setIntOpt(SOL_IPV6, IPV6_TRANSPARENT, 1);
        }
        // Else the port would have to be free towards every endpoint.
        socket.setIntOpt(SOL_IP, IP_BIND_ADDRESS_NO_PORT, 1);
        socket.bind(new InetSocketAddress(source.toInetAddress(), 0));
    }
}
