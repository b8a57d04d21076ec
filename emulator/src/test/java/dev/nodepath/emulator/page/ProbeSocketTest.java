package dev.nodepath.emulator.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.emulator.page.ProbeAnswer.Kind;
import java.io.IOException;
import java.net.ConnectException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(900)
class ProbeSocketTest {
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    @Test
    void asksAgainIfADatagramWasLost() throws Exception {
        try (DatagramSocket server = new DatagramSocket(new InetSocketAddress(LOOPBACK, 0))) {
            FutureTask<ProbeAnswer> asked = begin(() -> ask(server, 30_000));
            byte[] lost = receive(server).getData();
            DatagramPacket again = receive(server);
            server.send(new DatagramPacket(new byte[7], 7, again.getSocketAddress()));

            assertThat(again.getData()).isEqualTo(lost);
            assertThat(asked.get().kind()).isEqualTo(Kind.ANSWERED);
            assertThat(asked.get().text()).isEqualTo("7 bytes");
        }
    }

    @Test
    void asksOnceWhereNobodyMayAnswer() throws Exception {
        try (DatagramSocket server = new DatagramSocket(new InetSocketAddress(LOOPBACK, 0))) {
            assertThat(ask(server, 100).kind()).isEqualTo(Kind.SILENT);

            receive(server);
            server.setSoTimeout(1);
            assertThatThrownBy(() -> receive(server)).isInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    void aConnectionThatIsResetAtOnceWasTaken() {
        assertThat(ProbeSocket.failed(new SocketException("Connection reset by peer"), 1, 2))
                .isEqualTo(new ProbeAnswer(Kind.CLOSED, 1, "", "", 2, ""));
        assertThat(ProbeSocket.failed(new ConnectException("Connection refused"), 1, 2)
                        .kind())
                .isEqualTo(Kind.REFUSED);
        assertThat(ProbeSocket.failed(new ConnectException("No route to host"), 1, 2)
                        .kind())
                .isEqualTo(Kind.UNREACHABLE);
    }

    private static ProbeAnswer ask(DatagramSocket server, int wait) throws IOException {
        return ProbeSocket.askUdp((InetSocketAddress) server.getLocalSocketAddress(), LOOPBACK, wait);
    }

    private static DatagramPacket receive(DatagramSocket server) throws IOException {
        DatagramPacket packet = new DatagramPacket(new byte[512], 512);
        server.receive(packet);
        return packet;
    }

    private static <T> FutureTask<T> begin(Callable<T> task) {
        FutureTask<T> future = new FutureTask<>(task);
        new Thread(future).start();
        return future;
    }
}
