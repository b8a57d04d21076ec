package dev.nodepath.linux.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(900)
class DatagramBatchTest {
    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;
    private static final int SOCK_DGRAM_CLOEXEC = 2 | 0x80000;

    private final Syscalls syscalls = Syscalls.load();
    private final DatagramBatch batch = DatagramBatch.allocate(8);
    private int fd = -1;

    @AfterEach
    void close() {
        if (fd >= 0) {
            assertThat(syscalls.close(fd)).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void answersAlongThePathThatDatagramsCame(String address) throws Exception {
        IpAddress own = IpAddress.parse(address);
        int port = bind(own);
        try (DatagramSocket client = new DatagramSocket(0, own.toInetAddress())) {
            client.setSoTimeout(10_000);
            int[] sizes = {1, 0, 64, 65_000};
            for (int size : sizes) {
                client.send(new DatagramPacket(bytes(size), size, own.toInetAddress(), port));
            }
            int count = 0;
            while (count < sizes.length) {
                count += batch.receive(fd, count);
            }
            DatagramPath path = batch.path(0);
            assertThat(path).isEqualTo(new DatagramPath(own, client.getLocalPort(), 0, own));
            for (int slot = 0; slot < count; slot++) {
                assertThat(batch.isOnPathOf(slot, 0)).isTrue();
                assertThat(batch.length(slot)).isEqualTo(sizes[slot]);
                batch.address(slot, path);
            }
            assertThat(batch.send(fd, 0, count)).isEqualTo(count);
            for (int size : sizes) {
                DatagramPacket answer = new DatagramPacket(new byte[65_536], 65_536);
                client.receive(answer);
                assertThat(ByteBuffer.wrap(answer.getData(), 0, answer.getLength()))
                        .isEqualTo(ByteBuffer.wrap(bytes(size)));
                assertThat(answer.getAddress()).isEqualTo(own.toInetAddress());
            }
        }
    }

    @Test
    void tellsTheAddressThatTheClientMeantAndAnswersFromIt() throws Exception {
        int port = bind(IpAddress.parse("0.0.0.0"));
        try (DatagramSocket client = new DatagramSocket();
                DatagramSocket other = new DatagramSocket()) {
            client.setSoTimeout(10_000);
            InetAddress second = InetAddress.getByName("127.0.0.2");
            client.send(new DatagramPacket(bytes(3), 3, second, port));
            client.send(new DatagramPacket(bytes(3), 3, InetAddress.getByName("127.0.0.3"), port));
            other.send(new DatagramPacket(bytes(3), 3, second, port));
            int count = 0;
            while (count < 3) {
                count += batch.receive(fd, count);
            }
            assertThat(batch.path(0).local()).isEqualTo(IpAddress.parse("127.0.0.2"));
            assertThat(batch.isOnPathOf(1, 0)).as("another address").isFalse();
            assertThat(batch.isOnPathOf(2, 0)).as("another client").isFalse();
            batch.address(1, batch.path(0));
            assertThat(batch.send(fd, 1, 2)).isEqualTo(1);
            DatagramPacket answer = new DatagramPacket(new byte[10], 10);
            client.receive(answer);
            assertThat(answer.getAddress()).isEqualTo(second);
        }
    }

    @Test
    void tellsOfRefusalsAndOfNothing() throws Exception {
        int port = bind(IpAddress.parse("127.0.0.1"));
        assertThat(batch.receive(fd, 0)).isZero();
        try (DatagramSocket client = new DatagramSocket()) {
            client.send(new DatagramPacket(bytes(5), 5, InetAddress.getLoopbackAddress(), port));
            while (batch.receive(fd, 0) == 0) {
                // The datagram is on its way.
            }
        }
        try (DatagramSocket gone = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            assertThat(syscalls.connect(fd, sockaddr(IpAddress.parse("127.0.0.1"), gone.getLocalPort())))
                    .isZero();
        }
        assertThat(batch.forward(fd, 0, 1)).isEqualTo(1);
        assertThatThrownBy(() -> {
                    while (batch.receive(fd, 0) == 0) {
                        // The refusal is on its way.
                    }
                })
                .isInstanceOf(LinuxNetException.class)
                .hasMessage("recvmmsg: ECONNREFUSED");
    }

    private int bind(IpAddress address) throws LinuxNetException {
        boolean ipv4 = address.family() == IpFamily.IPV4;
        fd = Syscalls.orThrow("socket", syscalls.socket(ipv4 ? AF_INET : AF_INET6, SOCK_DGRAM_CLOEXEC, 0));
        byte[] on = {1, 0, 0, 0};
        Syscalls.orThrow("pktinfo", syscalls.setOption(fd, ipv4 ? 0 : 41, ipv4 ? 8 : 49, on));
        for (int port = 40_000; port < 41_000; port++) {
            if (syscalls.bind(fd, sockaddr(address, port)) == 0) {
                return port;
            }
        }
        throw new AssertionError("no port is free");
    }

    private static byte[] sockaddr(IpAddress address, int port) {
        ByteBuffer sockaddr = ByteBuffer.allocate(address.family() == IpFamily.IPV4 ? 16 : 28);
        sockaddr.order(ByteOrder.nativeOrder())
                .putShort((short) (address.family() == IpFamily.IPV4 ? AF_INET : AF_INET6));
        sockaddr.order(ByteOrder.BIG_ENDIAN).putShort((short) port);
        if (address.family() == IpFamily.IPV6) {
            sockaddr.putInt(0);
        }
        return sockaddr.put(address.toBytes()).array();
    }

    private static byte[] bytes(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }
}
