package dev.nodepath.proxy.userspace.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PipePoolTest {
    static {
        // It loads the native calls, like the start of a relay.
        Epoll.ensureAvailability();
    }

    /** The kernel answers EINVAL to every user. Only unprivileged users get EPERM at the limit of pages. */
    private static final int REFUSED_CAPACITY = -1;

    private static final int REFUSALS = 200;

    @Test
    void givesNoMoreThanItsMaximumAndReusesEmptyOnes() {
        PipePool pool = new PipePool(1, System::nanoTime);
        Pipe pipe = Objects.requireNonNull(pool.take());
        assertThat(pool.take()).isNull();
        pipe.release();
        assertThat(pool.take()).isSameAs(pipe);
        pipe.release();
        pool.close();
    }

    /** Each would leave two. Other threads of this process open and close some, too. */
    @Test
    void givesNoneWhereTheKernelRefusesTheCapacityAndLeavesNoDescriptor() throws IOException {
        PipePool.Opener refusing = PipePool.opener(REFUSED_CAPACITY);
        long before = descriptors();
        for (int i = 0; i < REFUSALS; i++) {
            assertThat(new PipePool(1, System::nanoTime, refusing).take()).isNull();
        }
        assertThat(descriptors()).isLessThan(before + REFUSALS);
    }

    @Test
    void asksTheKernelAgainSomeTimeAfterARefusal() {
        AtomicLong now = new AtomicLong();
        AtomicBoolean refuses = new AtomicBoolean(true);
        AtomicInteger tries = new AtomicInteger();
        PipePool.Opener kernel = PipePool.opener(PipePool.CAPACITY);
        PipePool pool = new PipePool(1, now::get, asking -> {
            tries.incrementAndGet();
            if (refuses.get()) {
                throw new IOException("no more pages");
            }
            return kernel.open(asking);
        });
        assertThat(pool.take()).isNull();
        assertThat(pool.take()).isNull();
        assertThat(tries).hasValue(1);

        refuses.set(false);
        now.addAndGet(Duration.ofMinutes(1).toNanos());

        Pipe pipe = Objects.requireNonNull(pool.take());
        pipe.release();
        pool.close();
    }

    private static long descriptors() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.count();
        }
    }
}
