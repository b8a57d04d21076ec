package dev.nodepath.linux.conntrack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.netlink.NetlinkMessage;
import dev.nodepath.linux.netlink.Wire;
import org.junit.jupiter.api.Test;

/** Against bytes as Linux 6.18 sent them and took them. */
class PacketCounterMessagesTest {
    @Test
    void createsByName() {
        assertThat(PacketCounterMessages.create("drops").toBytes(7)).isEqualTo(Wire.bytes("""
                20 00 00 00  00 07  05 06  07 00 00 00  00 00 00 00  # ACCT_NEW, REQUEST ACK EXCL CREATE
                00 00 00 00
                0a 00 01 00  64 72 6f 70 73 00 00 00                 # NAME
                """));
    }

    @Test
    void asksAndDeletesByName() {
        assertThat(PacketCounterMessages.get("drops").toBytes(7)).startsWith(Wire.bytes("20 00 00 00  01 07  05 00"));
        assertThat(PacketCounterMessages.delete("drops").toBytes(7))
                .startsWith(Wire.bytes("20 00 00 00  03 07  05 00"));
    }

    @Test
    void readsThePackets() {
        NetlinkMessage answer = Wire.message("""
                00 00 00 00
                0a 00 01 00  64 72 6f 70 73 00 00 00
                0c 00 02 00  00 00 00 01 00 00 00 02                 # PKTS
                0c 00 03 00  00 00 00 00 00 00 00 54                 # BYTES
                """);
        assertThat(PacketCounterMessages.packets(answer)).hasValue((1L << 32) + 2);
    }

    @Test
    void anAnswerWithoutPacketsIsNone() {
        assertThat(PacketCounterMessages.packets(Wire.message("""
                00 00 00 00
                """))).isEmpty();
    }
}
