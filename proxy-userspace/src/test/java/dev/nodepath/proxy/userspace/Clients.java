package dev.nodepath.proxy.userspace;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;

/** The tests' actions as clients. */
public final class Clients {
    private Clients() {}

    private static final byte[] PING = "ping".getBytes(US_ASCII);

    public static void assertEchoes(Socket client) throws IOException {
        client.getOutputStream().write(PING);
        assertThat(client.getInputStream().readNBytes(PING.length)).isEqualTo(PING);
    }

    /** It is closed then. */
    public static void assertReset(Socket client) {
        assertReset(() -> client);
    }

    /** The same for a new connection, which may be reset while it still connects. */
    public static void assertReset(Opening opening) {
        assertThatThrownBy(() -> {
                    try (Socket client = opening.open()) {
                        client.getInputStream().read();
                    }
                })
                .isInstanceOf(SocketException.class)
                .hasMessageContaining("reset");
    }

    /** Opens a connection. */
    public interface Opening {
        Socket open() throws IOException;
    }

    public static void reset(Socket socket) throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }
}
