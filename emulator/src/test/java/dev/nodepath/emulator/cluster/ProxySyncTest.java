package dev.nodepath.emulator.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProxySyncTest {
    private static final Instant NOW = Instant.parse("2026-11-23T12:00:00Z");

    @Test
    void readsASync() throws Exception {
        ProxySync sync = ProxySync.read("""
                {"at":"2026-11-23T12:00:00Z","ok":true,"durationMs":18,"services":8,"changed":7,"waitedMs":40,\
                "trigger":"2026-11-23T11:59:59.5Z"}""");

        assertThat(sync)
                .isEqualTo(new ProxySync(
                        NOW, true, 18, 8, 7, Optional.of(40L), Optional.of(Instant.parse("2026-11-23T11:59:59.5Z"))));
        assertThat(sync.offered()).contains(NOW.minusMillis(58));
    }

    @Test
    void readsASyncWithoutATrigger() throws Exception {
        assertThat(ProxySync.read("""
                {"at":"2026-11-23T12:00:00Z","ok":true,"durationMs":198,"services":1,"changed":1,"waitedMs":0}"""))
                .isEqualTo(new ProxySync(NOW, true, 198, 1, 1, Optional.of(0L), Optional.empty()));
    }

    @Test
    void readsAFailure() throws Exception {
        assertThat(ProxySync.read("{\"at\":\"2026-11-23T12:00:00Z\",\"ok\":false}"))
                .isEqualTo(new ProxySync(NOW, false, 0, 0, 0, Optional.empty(), Optional.empty()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[warning][cds] an archive", "{}", "{\"at\":\"now\"}", "7"})
    void leavesOtherLinesAlone(String line) {
        assertThatThrownBy(() -> ProxySync.read(line)).isInstanceOf(IOException.class);
    }
}
