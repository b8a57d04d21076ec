package dev.nodepath.dns;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.handler.codec.dns.DnsResponseCode;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestReaderTest {
    private static final String NAME = "web.shop.svc.cluster.local";

    @Test
    void readsAQuestionWithItsCaseAndItsOptions() {
        DnsRequest request = read(QueryBytes.query(7, "WEB.shop", "AAAA", 1400, 0));
        assertThat(request.id()).isEqualTo(7);
        assertThat(request.error()).isEqualTo(DnsResponseCode.NOERROR);
        assertThat(request.recursionDesired()).isTrue();
        assertThat(request.question().orElseThrow().type()).isEqualTo(DnsRecordType.AAAA);
        assertThat(request.question().orElseThrow().name().labels()).containsExactly("WEB", "shop");
        assertThat(request.question().orElseThrow().name()).isEqualTo(DomainName.of("web.shop."));
        assertThat(request.edns()).contains(new Edns(1400, 0, true));
    }

    @ParameterizedTest
    @CsvSource({"0, 512", "100, 512", "512, 512", "1232, 1232", "4096, 4096", "65535, 4096"})
    void limitsResponsesToWhatTheClientTakes(int payloadSize, int limit) {
        assertThat(read(QueryBytes.query(7, NAME, "A", payloadSize, 0)).udpLimit())
                .isEqualTo(limit);
        assertThat(read(QueryBytes.query(7, NAME, "A")).udpLimit()).isEqualTo(512);
    }

    @Test
    void responsesAndFragmentsGetNoResponse() {
        byte[] response = QueryBytes.query(7, NAME, "A");
        response[2] |= (byte) 0x80;
        assertThat(RequestReader.read(Unpooled.wrappedBuffer(response))).isEmpty();
        for (int length = 0; length < 12; length++) {
            assertThat(RequestReader.read(Unpooled.wrappedBuffer(response, 0, length)))
                    .isEmpty();
        }
    }

    @Test
    void otherOpcodesAreNotImplemented() {
        for (int opcode = 1; opcode < 16; opcode++) {
            byte[] query = QueryBytes.query(7, NAME, "A");
            query[2] = (byte) (opcode << 3);
            assertThat(read(query).error()).isEqualTo(DnsResponseCode.NOTIMP);
            assertThat(read(query).opcode()).isEqualTo(opcode);
        }
    }

    @ParameterizedTest
    @CsvSource({"ANY, NOTIMP", "AXFR, REFUSED", "IXFR, REFUSED", "A, NOERROR"})
    void typesThatAskForManyRecordsAreNotServed(String type, String code) {
        assertThat(read(QueryBytes.query(7, NAME, type)).error().toString()).startsWithIgnoringCase(code);
    }

    @Test
    void otherClassesAreRefused() {
        for (int dnsClass : List.of(0, 2, 3, 254, 255)) {
            byte[] query = QueryBytes.query(7, NAME, "A");
            query[query.length - 1] = (byte) dnsClass;
            assertThat(read(query).error()).isEqualTo(DnsResponseCode.REFUSED);
        }
    }

    @Test
    void otherVersionsOfEdnsAreRefused() {
        assertThat(read(QueryBytes.query(7, NAME, "A", 1232, 1)).error()).isEqualTo(DnsResponseCode.BADVERS_OR_BADSIG);
    }

    @Test
    void brokenMessagesAreFormErrors() {
        ByteBuf twoQuestions =
                QueryBytes.question(QueryBytes.question(QueryBytes.header(7, 2, 0), NAME, "A"), NAME, "AAAA");
        ByteBuf loop =
                QueryBytes.header(7, 1, 0).writeShort(0xC00C).writeShort(1).writeShort(1);
        ByteBuf intoTheHeader =
                QueryBytes.header(7, 1, 0).writeShort(0xC004).writeShort(1).writeShort(1);
        ByteBuf behindALabel =
                QueryBytes.header(7, 1, 0).writeByte(1).writeByte('a').writeShort(0xC00C);
        ByteBuf label = QueryBytes.header(7, 1, 0).writeByte(64).writeZero(64).writeZero(5);
        ByteBuf longName = QueryBytes.header(7, 1, 0);
        for (int i = 0; i < 5; i++) {
            longName.writeByte(63).writeBytes(new byte[63]);
        }
        ByteBuf cut = QueryBytes.question(QueryBytes.header(7, 1, 0), NAME, "A");
        ByteBuf twoOptions = QueryBytes.question(QueryBytes.header(7, 1, 2), NAME, "A");
        ByteBuf namedOption = QueryBytes.question(QueryBytes.header(7, 1, 1), NAME, "A")
                .writeByte(1)
                .writeByte('a');
        ByteBuf longOption = QueryBytes.question(QueryBytes.header(7, 1, 1), NAME, "A");
        for (ByteBuf out : List.of(twoOptions, twoOptions, namedOption)) {
            out.writeByte(0).writeShort(41).writeShort(1232).writeInt(0).writeShort(0);
        }
        longOption.writeByte(0).writeShort(41).writeShort(1232).writeInt(0).writeShort(9);
        ByteBuf ownerLoop = QueryBytes.question(QueryBytes.header(7, 1, 1), NAME, "A");
        ownerLoop.writeShort(0xC000 | ownerLoop.writerIndex()).writeZero(10);
        for (ByteBuf broken : List.of(
                twoQuestions,
                QueryBytes.header(7, 0, 0),
                loop,
                intoTheHeader,
                behindALabel,
                label,
                longName.writeByte(0).writeInt(0x10001),
                cut.writerIndex(cut.writerIndex() - 1),
                twoOptions,
                namedOption,
                longOption,
                ownerLoop,
                QueryBytes.question(QueryBytes.header(7, 1, 1), NAME, "A"),
                QueryBytes.question(QueryBytes.header(7, 1, 0xFFFF), NAME, "A"))) {
            assertThat(RequestReader.read(broken).orElseThrow().error()).isEqualTo(DnsResponseCode.FORMERR);
        }
    }

    private static DnsRequest read(byte[] message) {
        return RequestReader.read(Unpooled.wrappedBuffer(message)).orElseThrow();
    }
}
