package dev.nodepath.linux;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class EventuallyTest {
    @Test
    void aFailureNamesTheValueThatWasMissingAtLast() {
        assertThatThrownBy(() -> Eventually.isTrue(
                        Duration.ZERO,
                        () -> "a pod",
                        () -> Optional.<Boolean>empty().orElseThrow()))
                .isInstanceOf(AssertionError.class)
                .hasMessage("not in 0 s: a pod")
                .hasCauseInstanceOf(NoSuchElementException.class);
        assertThatThrownBy(() -> Eventually.isTrue(Duration.ZERO, () -> "a pod", () -> false))
                .isInstanceOf(AssertionError.class)
                .hasNoCause();
    }
}
