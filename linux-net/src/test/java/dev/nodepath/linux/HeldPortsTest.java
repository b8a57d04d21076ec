package dev.nodepath.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.Test;

class HeldPortsTest {
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    @Test
    void letsWhoNamesItListenAgainAndAgain() throws Exception {
        int port = HeldPorts.next();
        for (int round = 0; round < 2; round++) {
            assertThatThrownBy(() -> new Socket(LOOPBACK, port)).isInstanceOf(ConnectException.class);
            try (ServerSocket server = new ServerSocket(port, 1, LOOPBACK);
                    Socket client = new Socket(LOOPBACK, port)) {
                assertThat(client.getPort()).isEqualTo(server.getLocalPort());
            }
        }
    }

    @Test
    void isNotTheEndOfAConnectionOfSomebodyElse() throws Exception {
        try (Socket other = new Socket()) {
            other.setReuseAddress(false);
            InetSocketAddress held = new InetSocketAddress(LOOPBACK, HeldPorts.next());
            assertThatThrownBy(() -> other.bind(held)).isInstanceOf(BindException.class);
        }
    }
}
