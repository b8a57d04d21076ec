package dev.nodepath.proxy.userspace.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PipePoolTest {
    static {
        // It loads the native calls, as the start of a relay does.
        Epoll.ensureAvailability();
    }

    /** The kernel answers EINVAL, whoever asks. Only unprivileged users meet the limit of pages, EPERM. */
    private static final int REFUSED_CAPACITY = -1;

    @Test
    void givesNoMoreThanItsMaximumAndReusesEmptyOnes() {
        PipePool pool = new PipePool(1);
        Pipe pipe = Objects.requireNonNull(pool.take());
        assertThat(pool.take()).isNull();
        pipe.release();
        assertThat(pool.take()).isSameAs(pipe);
        pipe.release();
        pool.close();
    }

    @Test
    void givesNoneWhereTheKernelRefusesTheCapacityAndLeavesNoDescriptor() throws IOException {
        PipePool pool = new PipePool(2, REFUSED_CAPACITY);
        // The first use loads native libraries.
        assertThat(pool.take()).isNull();
        long before = descriptors();
        PipePool other = new PipePool(2, REFUSED_CAPACITY);
        assertThat(other.take()).isNull();
        assertThat(other.take()).isNull();
        assertThat(descriptors()).isEqualTo(before);
    }

    private static long descriptors() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.count();
        }
    }
}
