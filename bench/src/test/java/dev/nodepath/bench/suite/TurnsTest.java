package dev.nodepath.bench.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TurnsTest {
    private final Turns<String> turns = new Turns<>(List.of("a", "b", "c"));
    private final List<String> taken = new ArrayList<>();

    @Test
    void everyoneTakesATurnBeforeAnyoneTakesTheNext() throws InterruptedException {
        for (int i = 0; i < 2; i++) {
            turns.round("x", i, (contender, round) -> taken.add(contender + round));
        }
        assertThat(taken).containsExactly("a0", "b0", "c0", "a1", "b1", "c1");
        assertThat(turns.failures()).isEmpty();
    }

    @Test
    void aFailureStopsNobodyElseAndIsToldOnce() throws InterruptedException {
        for (int i = 0; i < 2; i++) {
            turns.round("x", i, (contender, round) -> {
                if (contender.equals("b")) {
                    throw new IOException("connection refused\nand more");
                }
                taken.add(contender + round);
            });
        }
        assertThat(taken).containsExactly("a0", "c0", "a1", "c1");
        assertThat(turns.failures()).containsExactly("x, b: failed: connection refused");
    }

    @Test
    void anInterruptEndsTheRound() {
        assertThatThrownBy(() -> turns.round("x", 0, (contender, round) -> {
                    taken.add(contender);
                    Thread.currentThread().interrupt();
                }))
                .isInstanceOf(InterruptedException.class);
        assertThat(taken).containsExactly("a");
        assertThat(Thread.interrupted()).isFalse();
    }
}
