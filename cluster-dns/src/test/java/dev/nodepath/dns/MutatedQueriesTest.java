package dev.nodepath.dns;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.dns.DnsResponseCode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Malformed queries get an error or no answer, leave no buffer, and do not hinder other queries. */
class MutatedQueriesTest {
    private static final int MESSAGES = 100_000;
    private static final byte[] GOOD = QueryBytes.query(4711, "web.shop.svc.cluster.local", "A");
    private static final List<byte[]> SEEDS = List.of(
            GOOD,
            QueryBytes.query(1, "_sql._tcp.db.shop.svc.cluster.local", "SRV", 1232, 0),
            QueryBytes.query(2, "big.shop.svc.cluster.local", "A", 4096, 0),
            QueryBytes.query(3, "5.1.244.10.in-addr.arpa", "PTR"),
            QueryBytes.query(4, "ext.shop.svc.cluster.local", "AAAA", 512, 1));
    /** FORMERR, SERVFAIL, NOTIMP and REFUSED; NOERROR and NXDOMAIN as a mutation may leave a question whole. */
    private static final Set<Integer> CODES = Set.of(0, 1, 2, 3, 4, 5);

    private final long seed = new Random().nextLong();
    private final Random random = new Random(seed);
    private final Resolver resolver = new Resolver(new LiveZone(ExampleZone.zone(), InstantSource.system()));

    @Test
    void datagrams() {
        System.out.println("MutatedQueriesTest.datagrams seed " + seed);
        InetSocketAddress client = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        EmbeddedChannel channel = new EmbeddedChannel(new UdpQueries(resolver));
        for (int i = 0; i < MESSAGES; i++) {
            byte[] bytes = mutated();
            ByteBuf message = Unpooled.directBuffer().writeBytes(bytes);
            channel.writeInbound(new DatagramPacket(message, client, client));
            assertThat(message.refCnt()).as(describe(bytes)).isZero();
            @Nullable DatagramPacket response = channel.readOutbound();
            check(bytes, response == null ? null : response.content());
            assertThat(channel.<Object>readOutbound()).isNull();
            if (i % 100 == 0) {
                channel.writeInbound(new DatagramPacket(Unpooled.wrappedBuffer(GOOD), client, client));
                DatagramPacket good = channel.readOutbound();
                assertThat(good.content().getUnsignedShort(6)).isEqualTo(1);
                good.release();
            }
        }
        assertThat(channel.finish()).isFalse();
    }

    @Test
    void framesOfAConnection() {
        System.out.println("MutatedQueriesTest.framesOfAConnection seed " + seed);
        EmbeddedChannel channel =
                new EmbeddedChannel(new LengthFieldBasedFrameDecoder(0xFFFF + 2, 0, 2, 0, 2), new TcpQueries(resolver));
        for (int i = 0; i < MESSAGES; i++) {
            byte[] bytes = mutated();
            ByteBuf message = Unpooled.directBuffer().writeShort(bytes.length).writeBytes(bytes);
            channel.writeInbound(message);
            assertThat(message.refCnt()).as(describe(bytes)).isZero();
            check(bytes, channel.readOutbound());
            assertThat(channel.isOpen()).as(describe(bytes)).isTrue();
        }
        assertThat(channel.finish()).isFalse();
    }

    private void check(byte[] query, @Nullable ByteBuf response) {
        boolean silent = query.length < 12 || (query[2] & 0x80) != 0;
        assertThat(response == null).as(describe(query)).isEqualTo(silent);
        if (response == null) {
            return;
        }
        assertThat(response.getUnsignedShort(0))
                .as(describe(query))
                .isEqualTo((query[0] & 0xFF) << 8 | (query[1] & 0xFF));
        assertThat(response.getByte(2) & 0x80).as(describe(query)).isNotZero();
        int code = response.getByte(3) & 0xF;
        assertThat(CODES).as(describe(query)).contains(code);
        boolean formError = RequestReader.read(Unpooled.wrappedBuffer(query))
                .orElseThrow()
                .error()
                .equals(DnsResponseCode.FORMERR);
        assertThat(code == DnsResponseCode.FORMERR.intValue())
                .as(describe(query))
                .isEqualTo(formError);
        response.release();
        assertThat(response.refCnt()).isZero();
    }

    private byte[] mutated() {
        byte[] bytes = SEEDS.get(random.nextInt(SEEDS.size())).clone();
        int changes = 1 + random.nextInt(4);
        for (int i = 0; i < changes && bytes.length > 0; i++) {
            int at = random.nextInt(bytes.length);
            switch (random.nextInt(6)) {
                case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                case 1 -> bytes[at] = (byte) random.nextInt(256);
                case 2 -> bytes = Arrays.copyOf(bytes, at);
                case 3 -> bytes = Arrays.copyOf(bytes, bytes.length + random.nextInt(1000));
                case 4 -> bytes[at] = (byte) 0xC0;
                default -> bytes[random.nextInt(Math.min(bytes.length, 12))] = (byte) random.nextInt(256);
            }
        }
        return bytes;
    }

    private String describe(byte[] query) {
        return "seed " + seed + " query " + ByteBufUtil.hexDump(query);
    }
}
