package dev.nodepath.proxy.userspace.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LogLimitTest {
    @Test
    void letsOneThroughInEachInterval() {
        AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1);
        LogLimit limit = new LogLimit(nanos::get);
        assertThat(limit.allows()).isTrue();
        assertThat(limit.allows()).isFalse();
        nanos.addAndGet(LogLimit.INTERVAL.toNanos() - 1);
        assertThat(limit.allows()).isFalse();
        nanos.addAndGet(1);
        assertThat(limit.allows()).isTrue();
        assertThat(limit.allows()).isFalse();
    }
}
