package dev.nodepath.linux.iptables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.nodepath.linux.namespace.LegacyTables;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The messages that ask whether tables changed; bytes of Linux 6 on a little-endian machine. */
class TableStateTest {
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
