package dev.nodepath.proxy.userspace.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class ConntrackDestinationTest {
    @Test
    void readsSockaddrIn() throws IOException {
        byte[] sockaddr = {2, 0, (byte) 0x9c, 0x40, 10, 96, 0, (byte) 200, 0, 0, 0, 0, 0, 0, 0, 0};
        assertThat(ConntrackDestination.parse(ByteBuffer.wrap(sockaddr))).hasToString("10.96.0.200:40000");
    }

    @Test
    void readsSockaddrIn6() throws IOException {
        ByteBuffer sockaddr = ByteBuffer.allocate(28);
        sockaddr.put(0, (byte) 10)
                .putShort(2, (short) 40_000)
                .putLong(8, 0xfd00_0010_0096_0000L)
                .putLong(16, 0x200L);
        assertThat(ConntrackDestination.parse(sockaddr)).hasToString("[fd00:10:96::200]:40000");
    }

    @Test
    void refusesAnythingShorter() {
        assertThatThrownBy(() -> ConntrackDestination.parse(ByteBuffer.allocate(8)))
                .isInstanceOf(IOException.class)
                .hasMessage("SO_ORIGINAL_DST: 8 bytes (expected: 16 or 28)");
    }
}
