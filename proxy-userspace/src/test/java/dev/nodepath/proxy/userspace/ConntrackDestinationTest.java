package dev.nodepath.proxy.userspace;

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
    void refusesAnythingShorter() {
        assertThatThrownBy(() -> ConntrackDestination.parse(ByteBuffer.allocate(8)))
                .isInstanceOf(IOException.class)
                .hasMessage("SO_ORIGINAL_DST: 8 bytes (expected: 16)");
    }
}
