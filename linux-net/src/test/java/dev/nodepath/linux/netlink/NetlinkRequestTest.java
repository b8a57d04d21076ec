package dev.nodepath.linux.netlink;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NetlinkRequestTest {

    @Test
    void dumpHasHeaderWithLengthFlagsAndSequence() {
        assertThat(NetlinkRequest.dump(18).putInt(-1).toBytes(7)).isEqualTo(Wire.bytes("""
                14 00 00 00   12 00   01 03   07 00 00 00   00 00 00 00  # length, type, REQUEST DUMP, sequence, port
                ff ff ff ff
                """));
        assertThat(NetlinkRequest.dump(18).isDump()).isTrue();
    }

    @Test
    void changeAsksForAcknowledgement() {
        NetlinkRequest create =
                NetlinkRequest.acknowledged(16, NetlinkRequest.CREATE | NetlinkRequest.EXCL | NetlinkRequest.REPLACE);
        assertThat(create.toBytes(1)).isEqualTo(Wire.bytes("10 00 00 00  10 00  05 07  01 00 00 00  00 00 00 00"));
        assertThat(create.isDump()).isFalse();
    }

    @Test
    void attributesArePaddedButTheirLengthIsNot() {
        NetlinkRequest request = NetlinkRequest.acknowledged(1, 0)
                .byteAttribute(1, 255)
                .attribute(2, "lo")
                .attribute(3, 0x01020304)
                .attribute(4, new byte[] {9, 8, 7, 6, 5});
        assertThat(request.toBytes(0)).isEqualTo(Wire.bytes("""
                34 00 00 00  01 00  05 00  00 00 00 00  00 00 00 00
                05 00 01 00  ff 00 00 00
                07 00 02 00  6c 6f 00 00
                08 00 03 00  04 03 02 01
                09 00 04 00  09 08 07 06  05 00 00 00
                """));
    }

    @Test
    void nestedAttributesCountTheirPadding() {
        NetlinkRequest request = NetlinkRequest.acknowledged(1, 0);
        int outer = request.begin(18);
        int inner = request.begin(2 | NetlinkRequest.NESTED);
        request.byteAttribute(1, 1).end(inner).end(outer);
        assertThat(request.toBytes(0)).isEqualTo(Wire.bytes("""
                20 00 00 00  01 00  05 00  00 00 00 00  00 00 00 00
                10 00 12 00
                0c 00 02 80
                05 00 01 00  01 00 00 00
                """));
    }

    @Test
    void canBeSentAgainWithAnotherSequenceNumber() {
        NetlinkRequest request = NetlinkRequest.dump(18).putInt(0);
        byte[] first = request.toBytes(1);
        byte[] second = request.toBytes(2);
        assertThat(first[8]).isEqualTo((byte) 1);
        assertThat(second[8]).isEqualTo((byte) 2);
        assertThat(second).hasSameSizeAs(first);
    }
}
