package dev.nodepath.cni;

import dev.nodepath.linux.namespace.NetworkNamespace;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** One TCP connection between two namespaces. A socket stays in the namespace in which it was opened. */
final class TcpProbe {
    private static final int WAIT_MILLIS_MAX = 300_000;

    /** A lost SYN is sent again after a second, so a sooner connection needed no second one. */
    private static final int CONNECT_MILLIS_MAX = 900;

    private TcpProbe() {}

    /**
     * Connects once to an address of the server's namespace, and returns where the connection came from as seen there.
     */
    static String sourceSeen(NetworkNamespace server, String address, NetworkNamespace client) throws Exception {
        return sourceSeen(server, address, client, address);
    }

    /** Likewise, with the client connecting to an address that leads there. */
    static String sourceSeen(NetworkNamespace server, String address, NetworkNamespace client, String target)
            throws Exception {
        return sourceSeen(server, address, 0, client, target, 0);
    }

    /** Likewise, with these ports; 0 for any, and for the same. */
    static String sourceSeen(
            NetworkNamespace server, String address, int port, NetworkNamespace client, String target, int targetPort)
            throws Exception {
        try (ServerSocket listening = listen(server, address, port)) {
            connect(client, target, targetPort == 0 ? listening.getLocalPort() : targetPort)
                    .close();
            try (Socket accepted = listening.accept()) {
                return accepted.getInetAddress().getHostAddress();
            }
        }
    }

    /** Whether a connection is made at the first attempt. */
    static boolean isReachable(NetworkNamespace server, String address, NetworkNamespace client) throws Exception {
        try (ServerSocket listening = listen(server, address, 0)) {
            try {
                connect(client, address, listening.getLocalPort()).close();
                return true;
            } catch (IOException e) {
                return false;
            }
        }
    }

    private static ServerSocket listen(NetworkNamespace namespace, String address, int port) throws IOException {
        return namespace.call(() -> {
            ServerSocket listening = new ServerSocket(port, 1, InetAddress.getByName(address));
            listening.setSoTimeout(WAIT_MILLIS_MAX);
            return listening;
        });
    }

    private static Socket connect(NetworkNamespace namespace, String address, int port) throws IOException {
        return namespace.call(() -> {
            Socket socket = new Socket();
            socket.connect(new InetSocketAddress(InetAddress.getByName(address), port), CONNECT_MILLIS_MAX);
            return socket;
        });
    }
}
