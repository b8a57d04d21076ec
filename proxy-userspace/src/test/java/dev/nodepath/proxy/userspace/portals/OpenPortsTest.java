package dev.nodepath.proxy.userspace.portals;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.Protocol;
import dev.nodepath.linux.address.IpFamily;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OpenPortsTest {
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    @Test
    void knowsAListeningSocketFromAConnectionThatItHasLeft() throws IOException {
        ServerSocket server = new ServerSocket(0, 1, LOOPBACK);
        int port = server.getLocalPort();
        try (Socket client = new Socket(LOOPBACK, port);
                Socket accepted = server.accept()) {
            assertThat(client.getPort()).isEqualTo(accepted.getLocalPort());
            assertThat(isOpen(Protocol.TCP, port)).isTrue();
            assertThat(isOpen(Protocol.UDP, port)).isFalse();
            server.close();
            assertThat(isOpen(Protocol.TCP, port)).isFalse();
        }
    }

    @Test
    void knowsADatagramSocket() throws IOException {
        int port;
        try (DatagramSocket socket = new DatagramSocket(0, LOOPBACK)) {
            port = socket.getLocalPort();
            assertThat(isOpen(Protocol.UDP, port)).isTrue();
        }
        assertThat(isOpen(Protocol.UDP, port)).isFalse();
    }

    private static boolean isOpen(Protocol protocol, int port) throws IOException {
        return new OpenPorts().anyOf(Set.of(new RedirectedPorts.Port(protocol, port)), IpFamily.IPV4);
    }
}
