package dev.nodepath.emulator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class NodeLeasesTest {
    private final AtomicLong nanoTime = new AtomicLong(Long.MAX_VALUE - 5);
    private final NodeLeases leases = new NodeLeases(nanoTime::get);

    @Test
    void expireWithoutRenewalAndComeBackWithOne() {
        leases.renew("n1");
        leases.renew("n2");
        nanoTime.addAndGet(NodeLeases.DURATION.toNanos());
        leases.renew("n2");
        assertThat(leases.expired()).isEmpty();
        nanoTime.incrementAndGet();
        assertThat(leases.expired()).containsExactly("n1");
        leases.renew("n1");
        assertThat(leases.expired()).isEmpty();
    }
}
