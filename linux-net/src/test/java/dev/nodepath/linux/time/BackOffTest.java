package dev.nodepath.linux.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BackOffTest {
    private static final BackOff WAITS = new BackOff(Duration.ofSeconds(2), Duration.ofSeconds(10));

    @ParameterizedTest
    @CsvSource({"-1, 0", "0, 0", "1, 2", "2, 4", "3, 8", "4, 10", "100, 10", "2147483647, 10"})
    void doublesUpToTheLimit(int failures, long seconds) {
        assertThat(WAITS.after(failures)).isEqualTo(Duration.ofSeconds(seconds));
    }

    @Test
    void subtractsAtMostHalfAtRandom() {
        Random random = new Random(1);
        assertThat(random.ints(100, 1, 6).mapToObj(failures -> WAITS.after(failures, random)))
                .allMatch(wait -> wait.compareTo(Duration.ofSeconds(1)) >= 0 && wait.compareTo(WAITS.max()) <= 0)
                .doesNotHaveDuplicates();
        assertThat(WAITS.after(0, random)).isZero();
    }

    @Test
    void refusesImpossibleBounds() {
        Duration second = Duration.ofSeconds(1);
        assertThatThrownBy(() -> new BackOff(Duration.ZERO, second)).hasMessage("first: PT0S (expected: > 0)");
        assertThatThrownBy(() -> new BackOff(second, Duration.ZERO)).hasMessage("max: PT0S (expected: >= PT1S)");
    }
}
