package dev.nodepath.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(900)
class LimitedCloseTest {
    private final List<String> done = new CopyOnWriteArrayList<>();

    @Test
    void returnsWhenItIsClosed() {
        new LimitedClose(() -> done.add("closed"), Duration.ofHours(1)).close();
        assertThat(done).containsExactly("closed");
    }

    @Test
    void interruptsWhatIsNotDoneInTimeAndWaitsForItsEnd() {
        AutoCloseable slow = () -> {
            try {
                new CountDownLatch(1).await();
            } finally {
                done.add("interrupted");
            }
        };
        new LimitedClose(slow, Duration.ofMillis(10)).close();
        assertThat(done).containsExactly("interrupted");
    }

    @Test
    void failsNobody() {
        AutoCloseable failing = () -> {
            throw new IllegalStateException("on purpose");
        };
        new LimitedClose(failing, Duration.ofHours(1)).close();
        assertThat(done).isEmpty();
    }
}
