package dev.nodepath.dns;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.handler.codec.dns.DatagramDnsResponse;
import io.netty.handler.codec.dns.DatagramDnsResponseDecoder;
import io.netty.handler.codec.dns.DnsPtrRecord;
import io.netty.handler.codec.dns.DnsRawRecord;
import io.netty.handler.codec.dns.DnsRecord;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.handler.codec.dns.DnsResponseCode;
import io.netty.handler.codec.dns.DnsSection;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Netty's decoder reads the written responses. */
class ResponseWriterTest {
    private static final String WEB = "web.shop.svc.cluster.local";
    private static final String BIG = "big.shop.svc.cluster.local";

    @Test
    void ownersAreWrittenOnce() {
        ByteBuf response = respond(QueryBytes.query(7, WEB, "A"), 512);
        // Header, question, and for the record: pointer, type, class, TTL, length, address.
        assertThat(response.readableBytes()).isEqualTo(12 + WEB.length() + 2 + 4 + 2 + 10 + 4);
        DatagramDnsResponse read = decode(response);
        assertThat(read.<DnsRecord>recordAt(DnsSection.ANSWER).name()).isEqualTo(WEB + ".");
        assertThat(read.isAuthoritativeAnswer()).isTrue();
        assertThat(read.isRecursionDesired()).isTrue();
        assertThat(read.isRecursionAvailable()).isFalse();
        read.release();
    }

    @Test
    void echoesTheCaseOfTheQuestion() {
        String asked = "wEB.Shop.SVC.cluster.LOCAL";
        DatagramDnsResponse read = decode(respond(QueryBytes.query(7, asked, "A"), 512));
        assertThat(read.<DnsRecord>recordAt(DnsSection.QUESTION).name()).isEqualTo(asked + ".");
        assertThat(read.<DnsRecord>recordAt(DnsSection.ANSWER).name()).isEqualTo(asked + ".");
        read.release();
    }

    /** 12 bytes of header, 32 of question, 16 of each record, 11 of OPT. */
    @ParameterizedTest
    @CsvSource({"0, 29, 512", "512, 28, 512", "1232, 73, 1232", "4096, 200, 4096"})
    void leavesOutWholeRecords(int payloadSize, int expected, int limit) {
        byte[] query = payloadSize == 0 ? QueryBytes.query(7, BIG, "A") : QueryBytes.query(7, BIG, "A", payloadSize, 0);
        ByteBuf response = respond(query, limit);
        assertThat(response.readableBytes()).isLessThanOrEqualTo(limit);
        DatagramDnsResponse read = decode(response);
        assertThat(read.count(DnsSection.ANSWER)).isEqualTo(expected);
        assertThat(read.isTruncated()).isEqualTo(expected < 200);
        assertThat(read.count(DnsSection.ADDITIONAL)).isEqualTo(payloadSize == 0 ? 0 : 1);
        read.release();
    }

    @Test
    void overTcpEverythingIsThere() {
        DatagramDnsResponse read = decode(respond(QueryBytes.query(7, BIG, "A"), ResponseWriter.TCP_MAX));
        assertThat(read.isTruncated()).isFalse();
        Set<String> addresses = new HashSet<>();
        for (int i = 0; i < read.count(DnsSection.ANSWER); i++) {
            addresses.add(ByteBufUtil.hexDump(((DnsRawRecord) read.recordAt(DnsSection.ANSWER, i)).content()));
        }
        assertThat(addresses).hasSize(200);
        read.release();
    }

    @Test
    void additionalRecordsAreLeftOutSilently() {
        String name = "_sql._tcp.db.shop.svc.cluster.local";
        ByteBuf complete = respond(QueryBytes.query(7, name, "SRV"), 512);
        int size = complete.readableBytes();
        DatagramDnsResponse all = decode(complete);
        assertThat(all.count(DnsSection.ADDITIONAL)).isEqualTo(2);
        DatagramDnsResponse some = decode(respond(QueryBytes.query(7, name, "SRV"), size - 1));
        assertThat(some.count(DnsSection.ANSWER)).isEqualTo(2);
        assertThat(some.count(DnsSection.ADDITIONAL)).isEqualTo(1);
        assertThat(some.isTruncated()).isFalse();
        all.release();
        some.release();
    }

    @Test
    void targetsOfLocationsAreWrittenInFull() {
        ByteBuf response = respond(QueryBytes.query(7, "_http._tcp." + WEB, "SRV"), 512);
        String bytes = response.toString(StandardCharsets.ISO_8859_1);
        assertThat(bytes).contains("\3web\4shop\3svc\7cluster\5local\0");
        assertThat(bytes.split("cluster", -1)).hasSize(3);
    }

    @Test
    void namesInRecordsLeadToTheirTargets() {
        DatagramDnsResponse read = decode(respond(QueryBytes.query(7, "20.0.96.10.in-addr.arpa", "PTR"), 512));
        assertThat(read.<DnsPtrRecord>recordAt(DnsSection.ANSWER).hostname()).isEqualTo(WEB + ".");
        read.release();
        DatagramDnsResponse alias = decode(respond(QueryBytes.query(7, "inner.shop.svc.cluster.local", "A"), 512));
        assertThat(alias.<DnsRecord>recordAt(DnsSection.ANSWER, 1).name()).isEqualTo(WEB + ".");
        alias.release();
    }

    @Test
    void answersOptionsWithOptions() {
        DatagramDnsResponse read = decode(respond(QueryBytes.query(7, WEB, "A", 1232, 9), 512));
        DnsRecord opt = read.recordAt(DnsSection.ADDITIONAL);
        assertThat(opt.type()).isEqualTo(DnsRecordType.OPT);
        assertThat(opt.dnsClass()).isEqualTo(1232);
        // The upper bits of BADVERS (16), version 0, DO.
        assertThat(opt.timeToLive()).isEqualTo(0x01008000L);
        assertThat(read.code()).isEqualTo(DnsResponseCode.NOERROR);
        read.release();
    }

    @Test
    void answersWhatItCannotReadWithItsId() {
        DatagramDnsResponse read = decode(respond(ByteBufUtil.getBytes(QueryBytes.header(99, 1, 0)), 512));
        assertThat(read.id()).isEqualTo(99);
        assertThat(read.code()).isEqualTo(DnsResponseCode.FORMERR);
        assertThat(read.count(DnsSection.QUESTION)).isZero();
        read.release();
    }

    private static ByteBuf respond(byte[] query, int limit) {
        DnsRequest request = RequestReader.read(Unpooled.wrappedBuffer(query)).orElseThrow();
        Answer answer = request.error().equals(DnsResponseCode.NOERROR)
                ? ExampleZone.zone().answer(request.question().orElseThrow()).orElseThrow()
                : Answer.of(request.error());
        ByteBuf out = Unpooled.buffer();
        ResponseWriter.write(request, answer, limit, out);
        return out;
    }

    private static DatagramDnsResponse decode(ByteBuf response) {
        InetSocketAddress somebody = new InetSocketAddress(53);
        EmbeddedChannel channel = new EmbeddedChannel(new DatagramDnsResponseDecoder());
        channel.writeInbound(new DatagramPacket(response, somebody, somebody));
        DatagramDnsResponse read = channel.readInbound();
        channel.finish();
        return read;
    }
}
