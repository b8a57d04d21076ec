package dev.nodepath.linux.nftables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.nodepath.linux.netlink.NetlinkMessage;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The question for the generation, as bytes of Linux 6 on a little-endian machine. */
class NftQueriesTest {
    private static NetlinkMessage message(int type, String payload) {
        byte[] bytes = HexFormat.of().parseHex(payload.replace(" ", ""));
        return new NetlinkMessage(type, 0, 0, ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()));
    }

    @Test
    void asksForTheGeneration() {
        ByteBuffer request = ByteBuffer.wrap(NftQueries.generation().toBytes(7)).order(ByteOrder.nativeOrder());
        assertThat(request.remaining()).isEqualTo(20);
        assertThat(request.getInt(0)).isEqualTo(20);
        assertThat(request.getShort(4)).isEqualTo((short) 0x0A10);
        assertThat(request.getInt(8)).isEqualTo(7);
        assertThat(request.getInt(16)).isZero();
    }

    @Test
    void readsTheGenerationInNetworkByteOrder() {
        assertThat(NftQueries.generation(message(0x0A0F, "00 00 0000 0800 0100 00000102")))
                .isEqualTo(0x102);
    }

    @Test
    void refusesAnotherMessage() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NftQueries.generation(message(0x0A00, "00000000 0800 0100 00000102")));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NftQueries.generation(message(0x0A0F, "00000000")))
                .withMessageContaining("expected: an nf_tables generation");
    }
}
