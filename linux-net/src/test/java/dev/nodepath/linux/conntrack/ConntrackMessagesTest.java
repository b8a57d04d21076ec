package dev.nodepath.linux.conntrack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.ConntrackFlow.Tuple;
import dev.nodepath.linux.netlink.Wire;
import org.junit.jupiter.api.Test;

/** Against bytes as Linux 6.18 sent them and took them. */
class ConntrackMessagesTest {
    private static final ConntrackFlow DNS = new ConntrackFlow(
            17,
            new Tuple(IpAddress.parse("10.244.0.5"), IpAddress.parse("10.96.0.10"), 40000, 53, 0),
            new Tuple(IpAddress.parse("10.244.0.7"), IpAddress.parse("10.244.0.5"), 5353, 40000, 0),
            0,
            0x01020304);

    @Test
    void listsOneProtocolOnly() {
        assertThat(ConntrackMessages.list(FlowFilter.of(IpFamily.IPV4, 17)).toBytes(7))
                .isEqualTo(Wire.bytes("""
                30 00 00 00  01 01  01 03  07 00 00 00  00 00 00 00  # CT_GET, REQUEST DUMP
                02 00 00 00                                          # AF_INET
                0c 00 19 80                                          # FILTER
                   08 00 01 00  08 00 00 00                          #   ORIG_FLAGS: protocol number
                10 00 01 80                                          # TUPLE_ORIG
                   0c 00 02 80                                       #   PROTO
                      05 00 01 00  11 00 00 00                       #     NUM 17
                """));
    }

    @Test
    void listsUnansweredFlowsToOneAddressOnly() {
        FlowFilter filter = FlowFilter.of(IpFamily.IPV4, 6)
                .to(IpAddress.parse("10.96.0.10"))
                .unanswered();
        assertThat(ConntrackMessages.list(filter).toBytes(7)).isEqualTo(Wire.bytes("""
                4c 00 00 00  01 01  01 03  07 00 00 00  00 00 00 00  # CT_GET, REQUEST DUMP
                02 00 00 00                                          # AF_INET
                0c 00 19 80                                          # FILTER
                   08 00 01 00  0a 00 00 00                          #   ORIG_FLAGS: destination, protocol number
                08 00 03 00  00 00 00 00                             # STATUS: not set
                08 00 1a 00  00 00 00 02                             # STATUS_MASK: SEEN_REPLY
                1c 00 01 80                                          # TUPLE_ORIG
                   0c 00 01 80                                       #   IP
                      08 00 02 00  0a 60 00 0a                       #     DST 10.96.0.10
                   0c 00 02 80                                       #   PROTO
                      05 00 01 00  06 00 00 00                       #     NUM 6
                """));
    }

    @Test
    void deletesByOriginalTupleAndId() {
        assertThat(ConntrackMessages.delete(DNS).toBytes(9)).isEqualTo(Wire.bytes("""
                50 00 00 00  02 01  05 00  09 00 00 00  00 00 00 00  # CT_DELETE, REQUEST ACK
                02 00 00 00
                34 00 01 80
                   14 00 01 80
                      08 00 01 00  0a f4 00 05
                      08 00 02 00  0a 60 00 0a
                   1c 00 02 80
                      05 00 01 00  11 00 00 00
                      06 00 02 00  9c 40 00 00
                      06 00 03 00  00 35 00 00
                08 00 0c 00  01 02 03 04                             # ID
                """));
    }

    @Test
    void namesTheZonesOfAFlow() {
        Tuple original = new Tuple(DNS.original().source(), DNS.original().destination(), 40000, 53, 5);
        ConntrackFlow zoned = new ConntrackFlow(17, original, DNS.reply(), 9, 1);
        String sent = java.util.HexFormat.of()
                .formatHex(ConntrackMessages.delete(zoned).toBytes(1));
        assertThat(sent).contains("0600030000050000", "0600120000090000");
        assertThat(zoned.isInDefaultZone()).isFalse();
        assertThat(DNS.isInDefaultZone()).isTrue();
    }

    @Test
    void readsATranslatedFlow() {
        ConntrackFlow flow = ConntrackMessages.read(Wire.message("""
                02 00 00 00
                34 00 01 80  14 00 01 80  08 00 01 00  0a f4 00 05  08 00 02 00  0a 60 00 0a
                             1c 00 02 80  05 00 01 00  11 00 00 00  06 00 02 00  9c 40 00 00  06 00 03 00  00 35 00 00
                34 00 02 80  14 00 01 80  08 00 01 00  0a f4 00 07  08 00 02 00  0a f4 00 05
                             1c 00 02 80  05 00 01 00  11 00 00 00  06 00 02 00  14 e9 00 00  06 00 03 00  9c 40 00 00
                08 00 0c 00  01 02 03 04
                08 00 03 00  00 00 01 88                             # STATUS
                """));
        assertThat(flow).isEqualTo(DNS);
        assertThat(DNS.isDestinationTranslated()).isTrue();
    }

    @Test
    void readsTheStateOfTcpAndWhatHasBeenCarried() {
        ConntrackFlow flow = ConntrackMessages.read(Wire.message("""
                02 00 00 00
                34 00 01 80  14 00 01 80  08 00 01 00  0a f4 00 05  08 00 02 00  0a 60 00 0a
                             1c 00 02 80  05 00 01 00  06 00 00 00  06 00 02 00  9c 40 00 00  06 00 03 00  00 50 00 00
                34 00 02 80  14 00 01 80  08 00 01 00  0a f4 00 07  08 00 02 00  0a f4 00 05
                             1c 00 02 80  05 00 01 00  06 00 00 00  06 00 02 00  1f 90 00 00  06 00 03 00  9c 40 00 00
                10 00 04 80  0c 00 01 80  05 00 01 00  03 00 00 00    # PROTOINFO: ESTABLISHED
                1c 00 09 80  0c 00 01 00  00 00 00 00  00 00 00 02    # COUNTERS_ORIG
                             0c 00 02 00  00 00 00 00  00 00 01 00
                1c 00 0a 80  0c 00 01 00  00 00 00 00  00 00 00 03
                             0c 00 02 00  00 00 00 01  00 00 00 00
                08 00 07 00  00 00 01 2c                              # TIMEOUT: 300 s
                08 00 0c 00  01 02 03 04
                08 00 03 00  00 00 01 8e
                """));
        assertThat(flow)
                .isEqualTo(new ConntrackFlow(
                        6,
                        new Tuple(DNS.original().source(), DNS.original().destination(), 40000, 80, 0),
                        new Tuple(DNS.reply().source(), DNS.reply().destination(), 8080, 40000, 0),
                        0,
                        0x01020304,
                        true,
                        new FlowProgress("ESTABLISHED", 5, 256 + (1L << 32), 300)));
    }

    @Test
    void leavesOutAnEntryWithoutItsId() {
        assertThat(ConntrackMessages.read(Wire.message("02 00 00 00"))).isNull();
    }
}
