package dev.nodepath.emulator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ProxySyncTest {
    private static final Instant NOW = Instant.parse("2026-11-23T12:00:00Z");

    @Test
    void readsASync() {
        String line =
                "INFO proxy.synced changed=7 services=8 duration_ms=18 waited_ms=40 trigger=2026-11-23T11:59:59.5Z latency_ms=410";

        assertThat(ProxySync.read(line, NOW))
                .contains(new ProxySync(
                        NOW, true, 18, 8, 7, Optional.of(40L), Optional.of(Instant.parse("2026-11-23T11:59:59.5Z"))))
                .hasValueSatisfying(sync -> assertThat(sync.offered()).contains(NOW.minusMillis(58)));
    }

    @Test
    void readsASyncWithoutATrigger() {
        assertThat(ProxySync.read("INFO proxy.synced changed=1 services=1 duration_ms=198", NOW))
                .contains(new ProxySync(NOW, true, 198, 1, 1, Optional.empty(), Optional.empty()));
    }

    @Test
    void readsAFailure() {
        assertThat(ProxySync.read("WARN proxy.sync_failed error=\"x\" retry_ms=100", NOW))
                .hasValueSatisfying(sync -> assertThat(sync.ok()).isFalse());
    }

    @Test
    void leavesOtherLinesAlone() {
        assertThat(ProxySync.read("INFO routes.synced wanted=1 duration_ms=59", NOW))
                .isEmpty();
    }
}
