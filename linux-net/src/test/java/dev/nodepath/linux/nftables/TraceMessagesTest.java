package dev.nodepath.linux.nftables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.netlink.NetlinkMessage;
import dev.nodepath.linux.netlink.Wire;
import dev.nodepath.linux.nftables.TraceEvent.Kind;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Events of a chain that was jumped to. */
class TraceMessagesTest {
    private static final int TRACE = 0x0a11;

    private static TraceEvent event(int type, String rest) {
        byte[] bytes = Wire.bytes("""
                02 00 00 00
                06 00 01 00  74 00 00 00                 # TABLE
                09 00 02 00  6d 6f 72 65 00 00 00 00     # CHAIN
                08 00 04 00  00 00 00 0%d                # TYPE
                08 00 06 00  00 00 00 01                 # ID
                """.formatted(type) + rest);
        return TraceMessages.read(
                        new NetlinkMessage(TRACE, 0, 0, ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder())))
                .orElseThrow();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"Linux 6.1, 2", "Linux 6.18, 3"})
    void aRuleThatReturnsIsARule(String kernel, int type) {
        TraceEvent event = event(type, """
                0c 00 03 00  00 00 00 00 00 00 00 07     # RULE_HANDLE
                0c 00 05 80  08 00 01 00 ff ff ff fb     # VERDICT: RETURN
                """);
        assertThat(event.kind()).isEqualTo(Kind.RULE);
        assertThat(event.handle()).isEqualTo(7);
        assertThat(event.verdict()).contains(NftVerdict.RETURN);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"Linux 6.1, 2", "Linux 6.18, 3"})
    void theEndOfAChainIsNoRule(String kernel, int type) {
        TraceEvent event = event(type, """
                0c 00 05 80  08 00 01 00 ff ff ff ff     # VERDICT: CONTINUE
                """);
        assertThat(event.kind()).isEqualTo(Kind.RETURN);
        assertThat(event.handle()).isZero();
    }
}
