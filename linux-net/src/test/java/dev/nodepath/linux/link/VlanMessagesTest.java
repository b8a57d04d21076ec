package dev.nodepath.linux.link;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.netlink.NetlinkMessage;
import dev.nodepath.linux.netlink.Wire;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

class VlanMessagesTest {
    @Test
    void anAccessVlanIsPvidAndUntagged() {
        assertThat(VlanMessages.add(5, PortVlan.access(100)).toBytes(1)).isEqualTo(Wire.bytes("""
                34 00 00 00  13 00  05 00  01 00 00 00  00 00 00 00  # SETLINK, REQUEST ACK
                07 00 00 00  05 00 00 00  00 00 00 00  00 00 00 00   # AF_BRIDGE, link 5
                14 00 1a 00                                          # AF_SPEC
                06 00 00 00  01 00 00 00                             # BRIDGE_FLAGS: MASTER
                08 00 02 00  06 00 64 00                             # VLAN_INFO: PVID UNTAGGED, 100
                """));
    }

    @Test
    void aTrunkIsARange() {
        assertThat(VlanMessages.add(5, new PortVlan(200, 210, false, false)).toBytes(1))
                .isEqualTo(Wire.bytes("""
                3c 00 00 00  13 00  05 00  01 00 00 00  00 00 00 00
                07 00 00 00  05 00 00 00  00 00 00 00  00 00 00 00
                1c 00 1a 00
                06 00 00 00  01 00 00 00
                08 00 02 00  08 00 c8 00                             # RANGE_BEGIN, 200
                08 00 02 00  10 00 d2 00                             # RANGE_END, 210
                """));
    }

    @Test
    void aVlanIsDeletedByItsId() {
        assertThat(VlanMessages.delete(5, 1).toBytes(1)).isEqualTo(Wire.bytes("""
                34 00 00 00  11 00  05 00  01 00 00 00  00 00 00 00  # DELLINK
                07 00 00 00  05 00 00 00  00 00 00 00  00 00 00 00
                14 00 1a 00
                06 00 00 00  01 00 00 00
                08 00 02 00  00 00 01 00
                """));
    }

    @Test
    void aBridgesOwnEndIsInAVlanByItself() {
        assertThat(VlanMessages.addOwn(5, 100).toBytes(1)).isEqualTo(Wire.bytes("""
                34 00 00 00  13 00  05 00  01 00 00 00  00 00 00 00
                07 00 00 00  05 00 00 00  00 00 00 00  00 00 00 00
                14 00 1a 00
                06 00 00 00  02 00 00 00                             # BRIDGE_FLAGS: SELF
                08 00 02 00  00 00 64 00
                """));
    }

    @Test
    void readsTheRangesOfATrunk() {
        ByteBuffer payload = ByteBuffer.wrap(Wire.bytes("""
                07 00 00 00  05 00 00 00  00 00 00 00  00 00 00 00
                1c 00 1a 00
                08 00 02 00  06 00 01 00                             # PVID UNTAGGED, 1
                08 00 02 00  08 00 c8 00                             # RANGE_BEGIN, 200
                08 00 02 00  10 00 ca 00                             # RANGE_END, 202
                """)).order(ByteOrder.nativeOrder());
        assertThat(VlanMessages.read(new NetlinkMessage(16, 0, 0, payload), 5))
                .containsExactly(PortVlan.access(1), PortVlan.tagged(200), PortVlan.tagged(201), PortVlan.tagged(202));
    }

    @Test
    void readsTheVlansOfOnePort() {
        ByteBuffer payload = ByteBuffer.wrap(Wire.bytes("""
                07 00 00 00  05 00 00 00  00 00 00 00  00 00 00 00
                14 00 1a 00
                08 00 02 00  06 00 64 00
                08 00 02 00  00 00 c8 00
                """)).order(ByteOrder.nativeOrder());
        NetlinkMessage message = new NetlinkMessage(16, 0, 0, payload);
        assertThat(VlanMessages.read(message, 5)).containsExactly(PortVlan.access(100), PortVlan.tagged(200));
        assertThat(VlanMessages.read(message, 6)).isEmpty();
    }
}
