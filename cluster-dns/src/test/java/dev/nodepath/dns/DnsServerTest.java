package dev.nodepath.dns;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.FakeLinuxNet;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Over loopback: the fake's namespaces run tasks in place. */
class DnsServerTest {
    private static final EventLoopGroup LOOPS = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private static final String WEB = "web.shop.svc.cluster.local";
    private static final String BIG = "big.shop.svc.cluster.local";
    private static final int CONNECTIONS_MAX = 3;
    private static final int IDLE_SECONDS = 1;
    private static final int LONG_SECONDS = 600;

    private final LiveZone zone = new LiveZone(ExampleZone.zone(), InstantSource.system());
    private DnsServer server;
    private UdpClient udp;

    @BeforeEach
    void start() throws IOException {
        server = server(IDLE_SECONDS);
        udp = new UdpClient();
    }

    private DnsServer server(int idleSeconds) throws IOException {
        return new DnsServer(
                new FakeLinuxNet().current(),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                LOOPS,
                zone,
                CONNECTIONS_MAX,
                idleSeconds);
    }

    @AfterEach
    void stop() {
        server.close();
        udp.close();
    }

    @AfterAll
    static void stopLoops() {
        LOOPS.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    @Test
    void answersOverUdp() throws IOException {
        assertThat(answers(udp.ask(server.port(), QueryBytes.query(7, WEB, "A"))))
                .isEqualTo(1);
        assertThat(code(udp.ask(server.port(), QueryBytes.query(8, "no." + WEB, "A"))))
                .isEqualTo(3);
        assertThat(code(udp.ask(server.port(), QueryBytes.query(9, "www.example.org", "AAAA"))))
                .isEqualTo(5);
    }

    @Test
    void answersManyThatCameAtOnce() throws IOException {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());
        Set<Integer> ids = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            udp.send(address, QueryBytes.query(i, WEB, "A"));
        }
        for (int i = 0; i < 100; i++) {
            ids.add(id(udp.receive()));
        }
        assertThat(ids).hasSize(100);
    }

    @Test
    void cutsOverUdpAndIsCompleteOverTcp() throws IOException {
        for (int size : new int[] {512, 1232, 4096}) {
            byte[] response = udp.ask(server.port(), QueryBytes.query(7, BIG, "A", size, 0));
            assertThat(response.length).isBetween(Math.min(size - 16, 12 + 200 * 16), size);
            assertThat((response[2] & 0x02) != 0).isEqualTo(size < 4096);
        }
        try (TcpClient client = new TcpClient(server.port())) {
            client.send(TcpClient.framed(QueryBytes.query(7, BIG, "A")));
            assertThat(answers(client.receive())).isEqualTo(200);
        }
    }

    @Test
    void answersPipelinedQueriesHoweverTheyAreCut() throws IOException {
        try (TcpClient client = new TcpClient(server.port())) {
            ByteBuffer all = ByteBuffer.allocate(10_000);
            for (int i = 0; i < 50; i++) {
                all.put(TcpClient.framed(QueryBytes.query(i, WEB, "A")));
            }
            all.flip();
            while (all.hasRemaining()) {
                byte[] part = new byte[Math.min(all.remaining(), 37)];
                all.get(part);
                client.send(part);
            }
            for (int i = 0; i < 50; i++) {
                assertThat(id(client.receive())).isEqualTo(i);
            }
        }
    }

    @Test
    void halfALengthKeepsNoConnection() throws IOException {
        try (TcpClient client = new TcpClient(server.port())) {
            client.send((byte) 0);
            assertThat(client.isClosed()).isTrue();
        }
    }

    @Test
    void singleBytesKeepNoConnection() throws Exception {
        try (TcpClient client = new TcpClient(server.port())) {
            client.send((byte) 0xFF, (byte) 0xFF);
            Eventually.isTrue("closed", () -> {
                try {
                    client.send((byte) 1);
                    return false;
                } catch (IOException e) {
                    return true;
                }
            });
        }
    }

    @Test
    void connectionsBeyondTheLimitAreClosed() throws IOException {
        server.close();
        server = server(LONG_SECONDS);
        try (TcpClient one = new TcpClient(server.port());
                TcpClient two = new TcpClient(server.port());
                TcpClient three = new TcpClient(server.port());
                TcpClient four = new TcpClient(server.port())) {
            assertThat(four.isClosed()).isTrue();
            assertThat(answers(udp.ask(server.port(), QueryBytes.query(7, WEB, "A"))))
                    .isEqualTo(1);
            one.end();
            Eventually.isTrue("a connection that is served", () -> {
                try (TcpClient next = new TcpClient(server.port())) {
                    next.send(TcpClient.framed(QueryBytes.query(7, WEB, "A")));
                    return answers(next.receive()) == 1;
                } catch (IOException e) {
                    return false;
                }
            });
            two.end();
            three.end();
        }
    }

    @Test
    void failsUntilItsZoneIsSynced() throws IOException {
        zone.change(now -> Zone.empty(ZoneConfig.DEFAULT));
        assertThat(code(udp.ask(server.port(), QueryBytes.query(7, WEB, "A")))).isEqualTo(2);
        zone.change(now -> ExampleZone.zone());
        assertThat(code(udp.ask(server.port(), QueryBytes.query(7, WEB, "A")))).isZero();
    }

    private static int answers(byte[] response) {
        return ByteBuffer.wrap(response).getShort(6);
    }

    private static int code(byte[] response) {
        return response[3] & 0xF;
    }

    private static int id(byte[] response) {
        return ByteBuffer.wrap(response).getShort();
    }
}
