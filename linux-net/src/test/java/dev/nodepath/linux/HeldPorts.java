package dev.nodepath.linux;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * TCP ports on which a test may listen repeatedly, and which no other process gets meanwhile. A port that a test has
 * closed may be the next connection's of any process. So a socket of our own stays bound to each port without
 * listening: the kernel never chooses such a port, allows a socket that names it to listen beside it ({@code
 * SO_REUSEADDR}, which Java and Netty set), and refuses connections without a listener.
 */
public final class HeldPorts {
    /** Open until the process ends. */
    private static final List<Socket> HELD = new CopyOnWriteArrayList<>();

    private HeldPorts() {}

    /** Another port. */
    public static int next() throws IOException {
        Socket socket = hold();
        HELD.add(socket);
        return socket.getLocalPort();
    }

    /** Another port, which is held until the socket is closed. */
    public static Socket hold() throws IOException {
        Socket socket = new Socket();
        socket.setReuseAddress(true);
        socket.bind(new InetSocketAddress(0));
        return socket;
    }
}
