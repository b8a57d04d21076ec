package dev.nodepath.dns.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.dns.wire.DnsRequest;
import dev.nodepath.dns.wire.QueryBytes;
import dev.nodepath.dns.wire.RequestReader;
import dev.nodepath.dns.wire.UpstreamMessages;
import dev.nodepath.dns.zone.ExampleZone;
import dev.nodepath.dns.zone.LiveZone;
import dev.nodepath.linux.FakeLinuxNet;
import dev.nodepath.linux.namespace.NetworkNamespace;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The test plays two upstream servers on loopback. */
class ForwarderTest {
    private static final EventLoopGroup LOOPS = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private static final String WWW = "www.example.org";
    private static final int SERVFAIL = 2;

    private final QueryCounters counters = new QueryCounters();
    private UdpClient first;
    private UdpClient second;
    private UdpClient client;
    private Forwarder forwarder;
    private DnsServer server;

    @BeforeEach
    void start() throws IOException {
        first = new UdpClient();
        second = new UdpClient();
        client = new UdpClient();
        NetworkNamespace namespace = new FakeLinuxNet().current();
        forwarder = new Forwarder(namespace, LOOPS, List.of(first.address(), second.address()), counters);
        server = new DnsServer(
                namespace,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                LOOPS,
                new LiveZone(ExampleZone.zone(), Clock.systemUTC()),
                Optional.of(forwarder),
                counters);
    }

    @AfterEach
    void stop() {
        server.close();
        forwarder.close();
        first.close();
        second.close();
        client.close();
    }

    @AfterAll
    static void stopLoops() {
        LOOPS.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    @Test
    void asksForNamesOutsideAndRemembersTheAnswer() throws IOException {
        ask(7, WWW);
        answer(first, 300);
        byte[] response = client.receive();
        assertThat(UpstreamMessages.id(response)).isEqualTo(7);
        assertThat(answers(response)).isEqualTo(1);

        byte[] again = client.ask(server.port(), QueryBytes.query(8, "WWW.example.ORG", "A"));
        assertThat(UpstreamMessages.id(again)).isEqualTo(8);
        assertThat(answers(again)).isEqualTo(1);
        assertThat(new String(again, StandardCharsets.ISO_8859_1))
                .contains("WWW")
                .contains("ORG");
        assertThat(counters.counts().forwarded()).isEqualTo(1);
        assertThat(counters.counts().cacheHits()).isEqualTo(1);
        assertThat(counters.counts().byCode()).containsEntry("NOERROR", 2L);
    }

    @Test
    void answersThatNobodyAskedForAreIgnored() throws IOException {
        ask(7, WWW);
        DatagramPacket query = first.packet();
        byte[] bytes = UdpClient.bytes(query);
        InetSocketAddress asker = (InetSocketAddress) query.getSocketAddress();
        byte[] right = answerTo(bytes, 300, "10.0.0.1");
        byte[] wrong = answerTo(bytes, 300, "6.6.6.6");
        second.send(asker, wrong);
        first.send(asker, UpstreamMessages.withId(wrong, UpstreamMessages.id(bytes) ^ 1));
        byte[] otherName = wrong.clone();
        otherName[13] = 'x';
        first.send(asker, otherName);
        first.send(asker, bytes);
        first.send(asker, new byte[1]);
        first.send(asker, right);
        byte[] response = client.receive();
        assertThat(response[response.length - 1]).isEqualTo((byte) 1);
        assertThat(response[response.length - 4]).isEqualTo((byte) 10);
    }

    @Test
    void asksTheNextServerIfOneIsSilentAndThenFails() throws IOException {
        ask(7, WWW);
        answer(second, 0);
        assertThat(answers(client.receive())).isEqualTo(1);
        ask(8, WWW);
        assertThat(UpstreamMessages.code(client.receive())).isEqualTo(SERVFAIL);
    }

    @Test
    void moreThanAThousandUnderWayFailAtOnce() throws InterruptedException {
        CountDownLatch failed = new CountDownLatch(100);
        for (int i = 0; i < Forwarder.OUTSTANDING_MAX + 100; i++) {
            byte[] query = QueryBytes.query(i, "n" + i + ".example.org", "A");
            DnsRequest request =
                    RequestReader.read(Unpooled.wrappedBuffer(query)).orElseThrow();
            forwarder.ask(request, query, response -> {}, failed::countDown);
        }
        assertThat(failed.await(Forwarder.TIMEOUT_MILLIS, TimeUnit.MILLISECONDS))
                .isTrue();
    }

    @Test
    void addsTheAddressesOfAnExternalName() throws IOException {
        client.send(address(), QueryBytes.query(7, "ext.shop.svc.cluster.local", "A"));
        answer(first, 300);
        byte[] response = client.receive();
        assertThat(answers(response)).isEqualTo(2);
        assertThat(response[response.length - 4]).isEqualTo((byte) 10);
    }

    @Test
    void asksForAddressesThatTheClusterDoesNotKnow() throws IOException {
        assertThat(answers(client.ask(server.port(), QueryBytes.query(7, "20.0.96.10.in-addr.arpa", "PTR"))))
                .isEqualTo(1);
        client.send(address(), QueryBytes.query(7, "8.8.8.8.in-addr.arpa", "PTR"));
        byte[] query = first.receive();
        assertThat(new String(query, StandardCharsets.ISO_8859_1)).contains("in-addr");
    }

    private void ask(int id, String name) throws IOException {
        client.send(address(), QueryBytes.query(id, name, "A"));
    }

    private InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());
    }

    private static void answer(UdpClient upstream, int ttl) throws IOException {
        DatagramPacket query = upstream.packet();
        upstream.send((InetSocketAddress) query.getSocketAddress(), answerTo(UdpClient.bytes(query), ttl, "10.0.0.1"));
    }

    /** The question with one address; options are left out. */
    private static byte[] answerTo(byte[] query, int ttl, String address) throws IOException {
        int end = 12;
        while (query[end] != 0) {
            end += query[end] + 1;
        }
        ByteBuf out = Unpooled.buffer().writeBytes(query, 0, end + 5);
        out.setShort(2, 0x8180).setShort(6, 1).setShort(10, 0);
        out.writeShort(0xC00C).writeShort(1).writeShort(1).writeInt(ttl).writeShort(4);
        out.writeBytes(InetAddress.getByName(address).getAddress());
        return ByteBufUtil.getBytes(out);
    }

    private static int answers(byte[] response) {
        return ByteBuffer.wrap(response).getShort(6);
    }
}
