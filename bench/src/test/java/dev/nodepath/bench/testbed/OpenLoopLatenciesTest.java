package dev.nodepath.bench.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class OpenLoopLatenciesTest {
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long START = 5_000_000_000L;
    private static final long MAX = TimeUnit.SECONDS.toNanos(60);

    @Test
    void spacesRequestsEvenlyFromTheStart() {
        OpenLoopLatencies schedule = new OpenLoopLatencies(START, 1000, 3, MAX);
        assertThat(schedule.nanosUntilDue(START)).isZero();
        assertThat(schedule.take()).isEqualTo(START);
        assertThat(schedule.nanosUntilDue(START)).isEqualTo(MILLI);
        assertThat(schedule.take()).isEqualTo(START + MILLI);
        assertThat(schedule.take()).isEqualTo(START + 2 * MILLI);
        assertThat(schedule.nanosUntilDue(START + MAX)).isEqualTo(Long.MAX_VALUE);
    }

    /**
     * One connection, 1000 requests a second for 10 s, each answered after 0.1 ms, except for a pause of 1 s after 5
     * s. Of the 10,000 requests 1000 become due in the pause, and wait up to 1000 ms for its end. Then 10 are answered
     * in each millisecond while one more becomes due, so the queue takes 1000 / 9 ms to empty. A closed loop would
     * have recorded one slow request.
     */
    @Test
    void countsWhatWaitsBehindAPauseAsSlow() {
        OpenLoopLatencies schedule = new OpenLoopLatencies(START, 1000, 10_000, MAX);
        long now = START;
        boolean paused = false;
        while (schedule.nanosUntilDue(now) != Long.MAX_VALUE) {
            now += Math.max(0, schedule.nanosUntilDue(now));
            long due = schedule.take();
            if (!paused && due >= START + 5000 * MILLI) {
                now += 1000 * MILLI;
                paused = true;
            }
            now += MILLI / 10;
            schedule.answered(due, now);
        }
        assertThat(schedule.count()).isEqualTo(10_000);
        assertThat(schedule.millis(50)).isBetween(0.099, 0.101);
        assertThat(schedule.millis(88)).isBetween(0.099, 0.101);
        // 10 % of all wait: the 95th percentile is in their middle, the 99th near the beginning of the pause.
        assertThat(schedule.millis(95)).isBetween(490.0, 560.0);
        assertThat(schedule.millis(99)).isBetween(890.0, 915.0);
        assertThat(schedule.millis(100)).isBetween(999.0, 1002.0);
    }

    @Test
    void countsRequestsThatWereNeverSentAsSlowAsTheyAre() {
        OpenLoopLatencies schedule = new OpenLoopLatencies(START, 10, 10, MAX);
        schedule.answered(schedule.take(), START + MILLI);
        assertThat(schedule.giveUp(START + 2000 * MILLI)).isEqualTo(9);
        assertThat(schedule.count()).isEqualTo(10);
        assertThat(schedule.millis(100)).isBetween(1899.0, 1902.0);
        assertThat(schedule.giveUp(START + MAX)).isZero();
    }

    @Test
    void recordsNoMoreThanItsLargestValue() {
        OpenLoopLatencies schedule = new OpenLoopLatencies(START, 10, 1, 10 * MILLI);
        schedule.answered(schedule.take(), START + MAX);
        assertThat(schedule.millis(100)).isBetween(10.0, 20.0);
    }
}
