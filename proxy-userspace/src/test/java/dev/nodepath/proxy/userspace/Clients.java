package dev.nodepath.proxy.userspace;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;

/** What tests do as clients. */
final class Clients {
    private Clients() {}

    private static final byte[] PING = "ping".getBytes(US_ASCII);

    static void assertEchoes(Socket client) throws IOException {
        client.getOutputStream().write(PING);
        assertThat(client.getInputStream().readNBytes(PING.length)).isEqualTo(PING);
    }

    /** It is closed then. */
    static void assertReset(Socket client) {
        assertReset(() -> client);
    }

    /** The same of a new connection, which may hear of it while it still connects. */
    static void assertReset(Opening opening) {
        assertThatThrownBy(() -> {
                    try (Socket client = opening.open()) {
                        client.getInputStream().read();
                    }
                })
                .isInstanceOf(SocketException.class)
                .hasMessageContaining("reset");
    }

    /** Opens a connection. */
    interface Opening {
        Socket open() throws IOException;
    }

    static void reset(Socket socket) throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }
}
