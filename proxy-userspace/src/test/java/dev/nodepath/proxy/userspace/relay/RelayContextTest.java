package dev.nodepath.proxy.userspace.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.proxy.userspace.RelayFixture;
import dev.nodepath.proxy.userspace.metrics.RelayMetrics;
import org.junit.jupiter.api.Test;

/** How connections and flows share the descriptors that they may take. */
class RelayContextTest {
    private static final int DESCRIPTORS = 640;
    private static final int FLOWS_LEFT_ALONE = 10;

    private final RelayMetrics metrics = new RelayMetrics();
    private final RelayContext context = new RelayContext(
            RelayConfigTest.CONFIG,
            (client, family) -> RelayFixture.SERVICE,
            metrics,
            new RelayLog(System::nanoTime),
            DESCRIPTORS);

    @Test
    void connectionsLeaveDescriptorsToFlows() {
        while (context.hasDescriptors()) {
            metrics.active.incrementAndGet();
        }
        assertThat(metrics.active.get()).isEqualTo((DESCRIPTORS - FLOWS_LEFT_ALONE) / 2);
        while (context.hasRoomForFlow()) {
            metrics.flowsActive.incrementAndGet();
        }
        assertThat(metrics.flowsActive.get()).isEqualTo(FLOWS_LEFT_ALONE);
    }

    @Test
    void flowsTakeWhatConnectionsDoNotNeedAndNoMore() {
        while (context.hasRoomForFlow()) {
            metrics.flowsActive.incrementAndGet();
        }
        assertThat(metrics.flowsActive.get()).isEqualTo(DESCRIPTORS);
        assertThat(context.hasDescriptors()).isFalse();
    }
}
