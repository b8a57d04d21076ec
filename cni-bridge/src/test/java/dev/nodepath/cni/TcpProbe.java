package dev.nodepath.cni;

import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** One TCP connection between two namespaces. A socket stays in the namespace in which it was opened. */
final class TcpProbe {
    private static final int WAIT_MILLIS_MAX = 300_000;

    private static final String COUNTED = "TCPSynRetrans";

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

    /**
     * Connects at the first attempt.
     *
     * @throws IOException if nobody listens, or a SYN was lost: the kernel has sent it again
     */
    private static SocketChannel connect(NetworkNamespace namespace, String address, int port) throws IOException {
        return namespace.call(() -> {
            long before = sentAgain();
            SocketChannel channel = SocketChannel.open();
            channel.configureBlocking(false);
            channel.connect(new InetSocketAddress(InetAddress.getByName(address), port));
            Eventually.isTrue(address, () -> sentAgain() > before || isDecided(channel));
            if (sentAgain() > before || !channel.finishConnect()) {
                channel.close();
                throw new IOException(address + ": a SYN was lost");
            }
            return channel;
        });
    }

    private static boolean isDecided(SocketChannel channel) {
        try {
            return channel.finishConnect();
        } catch (IOException e) {
            return true;
        }
    }

    /** How many SYNs this thread's namespace has sent again; from {@code /proc/net/netstat}. */
    private static long sentAgain() throws IOException {
        List<String> lines = Files.readAllLines(Path.of("/proc/thread-self/net/netstat"));
        List<String> names = List.of(lines.get(0).split(" ", -1));
        return Long.parseLong(lines.get(1).split(" ", -1)[names.indexOf(COUNTED)]);
    }
}
