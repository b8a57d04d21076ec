package dev.nodepath.linux.io;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.syscall.Syscalls;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class NameLockTest {
    @Test
    void oneHasItUntilItIsClosed() throws Exception {
        Syscalls syscalls = Syscalls.load();
        String name = "nodepath-test-" + UUID.randomUUID();

        try (NameLock first = NameLock.tryAcquire(syscalls, name).orElseThrow()) {
            assertThat(NameLock.tryAcquire(syscalls, name)).isEmpty();
            assertThat(first).isNotNull();
        }
        NameLock.tryAcquire(syscalls, name).orElseThrow().close();
    }
}
