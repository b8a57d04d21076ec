package dev.nodepath.linux.iptables.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.nodepath.linux.netlink.NetlinkMessage;
import dev.nodepath.linux.nftables.NftablesMessages;
import dev.nodepath.linux.xtables.LegacyTables;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What goes over the wire to learn that tables changed; bytes of Linux 6 on a little-endian machine. */
class TableStateTest {
    private static NetlinkMessage message(int type, String payload) {
        byte[] bytes = HexFormat.of().parseHex(payload.replace(" ", ""));
        return new NetlinkMessage(type, 0, 0, ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()));
    }

    @Test
    void asksForTheGeneration() {
        ByteBuffer request =
                ByteBuffer.wrap(NftablesMessages.getGeneration().toBytes(7)).order(ByteOrder.nativeOrder());
        assertThat(request.remaining()).isEqualTo(20);
        assertThat(request.getInt(0)).isEqualTo(20);
        assertThat(request.getShort(4)).isEqualTo((short) 0x0A10);
        assertThat(request.getInt(8)).isEqualTo(7);
        assertThat(request.getInt(16)).isZero();
    }

    @Test
    void readsTheGenerationInNetworkByteOrder() {
        assertThat(NftablesMessages.generation(message(0x0A0F, "00 00 0000 0800 0100 00000102")))
                .isEqualTo(0x102);
    }

    @Test
    void refusesAnotherMessage() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NftablesMessages.generation(message(0x0A00, "00000000 0800 0100 00000102")));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NftablesMessages.generation(message(0x0A0F, "00000000")))
                .withMessageContaining("expected: an nf_tables generation");
    }

    @Test
    void readsTheShapeOfALegacyTable() {
        ByteBuffer info = ByteBuffer.wrap(LegacyTables.Shape.request("nat")).order(ByteOrder.nativeOrder());
        assertThat(info.remaining()).isEqualTo(84);
        assertThat(info.array()).startsWith('n', 'a', 't', 0);
        for (int hook = 0; hook < 5; hook++) {
            info.putInt(36 + 4 * hook, 100 * hook);
        }
        info.putInt(76, 12).putInt(80, 3456);
        assertThat(LegacyTables.Shape.parse(info.array()))
                .isEqualTo(new LegacyTables.Shape(12, 3456, List.of(0, 100, 200, 300, 400)));
        assertThatIllegalArgumentException().isThrownBy(() -> LegacyTables.Shape.request("n".repeat(32)));
    }
}
