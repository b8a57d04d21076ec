package dev.nodepath.linux.netlink;

import static dev.nodepath.linux.ContractFixture.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NetlinkReplyTest {
    private static final String ACK = """
            24 00 00 00  02 00  00 01  07 00 00 00  63 00 00 00  # ERROR, CAPPED, sequence 7
            00 00 00 00                                          # no error
            20 00 00 00  10 00  05 06  07 00 00 00  63 00 00 00  # header of the request
            """;

    private final NetlinkReply reply = new NetlinkReply(7);

    @Test
    void acknowledgementCompletesIt() throws Exception {
        assertThat(reply.isComplete()).isFalse();
        reply.accept(Wire.buffer(ACK));
        assertThat(reply.isComplete()).isTrue();
        assertThat(reply.orThrow("do")).isEmpty();
    }

    @Test
    void messagesComeBeforeTheAcknowledgement() throws Exception {
        reply.accept(Wire.buffer("""
                15 00 00 00  10 00  00 00  07 00 00 00  63 00 00 00  # NEWLINK
                01 02 03 04  05 00 00 00                             # 5 bytes and the padding
                """ + ACK));
        assertThat(reply.orThrow("do")).singleElement().satisfies(message -> {
            assertThat(message.type()).isEqualTo(16);
            assertThat(message.payload().limit()).isEqualTo(5);
            assertThat(message.payload().get(4)).isEqualTo((byte) 5);
        });
    }

    @Test
    void firstMessageOrErrorCompletesTheReplyToAQuestion() throws Exception {
        NetlinkReply answer = new NetlinkReply(7, true);
        answer.accept(Wire.buffer("""
                14 00 00 00  10 00  00 00  06 00 00 00  63 00 00 00  01 02 03 04  # of an earlier request
                """));
        assertThat(answer.isComplete()).isFalse();
        answer.accept(Wire.buffer("""
                14 00 00 00  10 00  00 00  07 00 00 00  63 00 00 00  01 02 03 04  # NEWLINK
                """));
        assertThat(answer.isComplete()).isTrue();
        assertThat(answer.orThrow("find link")).hasSize(1);

        NetlinkReply refusal = new NetlinkReply(7, true);
        refusal.accept(Wire.buffer("""
                24 00 00 00  02 00  00 01  07 00 00 00  63 00 00 00  # ERROR, CAPPED
                ed ff ff ff                                          # -ENODEV
                1c 00 00 00  12 00  01 00  07 00 00 00  00 00 00 00
                """));
        assertThat(refusal.isComplete()).isTrue();
        assertRefused(Errno.ENODEV, () -> refusal.orThrow("find link"));
    }

    @Test
    void errorBearsNumberAndText() {
        reply.accept(Wire.buffer("""
                30 00 00 00  02 00  00 03  07 00 00 00  63 00 00 00  # ERROR, CAPPED and ACK_TLVS
                ef ff ff ff                                          # -EEXIST
                99 00 00 00  10 00  05 06  07 00 00 00  63 00 00 00  # header of the request, its length not kept
                0a 00 01 00  74 61 6b 65 6e 00 00 00                 # "taken"
                """));
        LinuxNetException refusal = assertRefused(Errno.EEXIST, () -> reply.orThrow("create bridge br0"));
        assertThat(refusal).hasMessage("create bridge br0: EEXIST (taken)");
    }

    @Test
    void textStandsBehindTheWholeRequestIfThatIsRepeated() {
        reply.accept(Wire.buffer("""
                34 00 00 00  02 00  00 02  07 00 00 00  63 00 00 00  # ERROR, ACK_TLVS
                ea ff ff ff                                          # -EINVAL
                15 00 00 00  10 00  05 06  07 00 00 00  63 00 00 00  # a request of 21 bytes
                01 02 03 04  05 00 00 00                             # its body and padding
                08 00 01 00  62 61 64 00                             # "bad"
                """));
        assertThat(assertRefused(Errno.EINVAL, () -> reply.orThrow("do"))).hasMessage("do: EINVAL (bad)");
    }

    @Test
    void errorWithoutText() {
        reply.accept(Wire.buffer("""
                14 00 00 00  02 00  00 00  07 00 00 00  63 00 00 00
                01 fe ff ff                                          # -511, which has no name
                """));
        assertThat(assertRefused(Errno.UNKNOWN, () -> reply.orThrow("do"))).hasMessage("do: errno 511");
    }

    @Test
    void dumpEndsWithDone() throws Exception {
        String entry = "10 00 00 00  10 00  02 00  07 00 00 00  63 00 00 00\n";
        reply.accept(Wire.buffer(entry + entry));
        reply.accept(Wire.buffer(entry));
        assertThat(reply.isComplete()).isFalse();
        reply.accept(Wire.buffer("14 00 00 00  03 00  02 00  07 00 00 00  63 00 00 00  00 00 00 00"));
        assertThat(reply.isComplete()).isTrue();
        assertThat(reply.isInterrupted()).isFalse();
        assertThat(reply.orThrow("list")).hasSize(3);
    }

    @Test
    void dumpMayEndWithAnError() {
        reply.accept(Wire.buffer("""
                1c 00 00 00  03 00  02 02  07 00 00 00  63 00 00 00
                fe ff ff ff                                          # -ENOENT
                07 00 01 00  6e 6f 00 00                             # "no"
                """));
        assertThat(assertRefused(Errno.ENOENT, () -> reply.orThrow("list"))).hasMessage("list: ENOENT (no)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"10", "03"})
    void noticesThatTheListChanged(String type) {
        reply.accept(Wire.buffer("14 00 00 00 " + type + " 00  12 00  07 00 00 00  63 00 00 00  00 00 00 00"));
        assertThat(reply.isInterrupted()).isTrue();
    }

    @Test
    void lostPartsMakeItIncomplete() {
        reply.interrupt();
        assertThat(reply.isInterrupted()).isTrue();
    }

    @Test
    void answersToEarlierRequestsAreSkipped() {
        reply.accept(Wire.buffer(ACK.replace("07 00 00 00", "06 00 00 00")));
        assertThat(reply.isComplete()).isFalse();
        reply.accept(Wire.buffer(ACK));
        assertThat(reply.isComplete()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "10 00 00 00  10 00  02 00", // cut in the header
                "18 00 00 00  10 00  02 00  07 00 00 00  63 00 00 00", // cut in the body
                "00 00 00 00  10 00  02 00  07 00 00 00  63 00 00 00", // would be read for ever
                "ff ff ff ff  10 00  02 00  07 00 00 00  63 00 00 00"
            })
    void refusesWhatIsNotAWholeMessage(String datagram) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> reply.accept(Wire.buffer(datagram)))
                .withMessageContaining("netlink message length");
    }
}
