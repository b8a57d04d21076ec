package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.namespace.NetworkNamespace;
import java.io.BufferedReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.TimeUnit;

/**
 * One TCP connection between two namespaces, each end in a process of its own: a JVM decides when it starts whether
 * there is IPv6, by the namespace that it starts in.
 */
final class TcpProbe {
    private static final int WAIT_MILLIS_MAX = 300_000;

    /** A lost SYN is sent again after a second, so a sooner connection needed no second one. */
    private static final int CONNECT_MILLIS_MAX = 900;

    private TcpProbe() {}

    /** {@code listen ADDRESS PORT} prints the port, then the address of the client; {@code connect ADDRESS PORT}. */
    public static void main(String[] arguments) throws Exception {
        InetAddress address = InetAddress.getByName(arguments[1]);
        if (arguments[0].equals("connect")) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(address, Integer.parseInt(arguments[2])), CONNECT_MILLIS_MAX);
                return;
            }
        }
        try (ServerSocket listening = new ServerSocket(Integer.parseInt(arguments[2]), 1, address)) {
            System.out.println(listening.getLocalPort());
            listening.setSoTimeout(WAIT_MILLIS_MAX);
            try (Socket accepted = listening.accept()) {
                System.out.println(accepted.getInetAddress().getHostAddress());
            }
        }
    }

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
        Process listening = start(server, "listen", address, String.valueOf(port));
        try (BufferedReader output = listening.inputReader()) {
            String bound = String.valueOf(output.readLine());
            Process connecting = start(client, "connect", target, targetPort == 0 ? bound : String.valueOf(targetPort));
            assertThat(connecting.waitFor(WAIT_MILLIS_MAX, TimeUnit.MILLISECONDS))
                    .isTrue();
            assertThat(connecting.exitValue()).isZero();
            return String.valueOf(output.readLine());
        } finally {
            listening.destroyForcibly().waitFor();
        }
    }

    /** Whether a connection is made at the first attempt. */
    static boolean isReachable(NetworkNamespace server, String address, NetworkNamespace client) throws Exception {
        Process listening = start(server, "listen", address, "0");
        try (BufferedReader output = listening.inputReader()) {
            Process connecting = start(client, "connect", address, String.valueOf(output.readLine()));
            assertThat(connecting.waitFor(WAIT_MILLIS_MAX, TimeUnit.MILLISECONDS))
                    .isTrue();
            return connecting.exitValue() == 0;
        } finally {
            listening.destroyForcibly().waitFor();
        }
    }

    private static Process start(NetworkNamespace namespace, String... arguments) throws Exception {
        return namespace.call(() -> new ProcessBuilder(TestJvm.command(TcpProbe.class, arguments))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }
}
