package dev.nodepath.agent.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceSnapshot;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SyncLinesTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private boolean room = true;
    private final SyncLines lines =
            new SyncLines(out, patience -> room, InstantSource.fixed(Instant.parse("2026-11-30T12:00:00Z")));

    private void sync(Optional<Duration> waited) {
        lines.synced(ServiceSnapshot.EMPTY, ChangeSet.NONE, Duration.ofMillis(18), waited);
    }

    @Test
    void writesALineForEachChangeAndEachFailure() {
        sync(Optional.of(Duration.ofMillis(40)));
        sync(Optional.empty());
        lines.failed(new IllegalStateException("no kernel"), Duration.ofSeconds(1));
        assertThat(out).hasToString("""
                {"at":"2026-11-30T12:00:00Z","ok":true,"durationMs":18,"services":0,"changed":0,"waitedMs":40}
                {"at":"2026-11-30T12:00:00Z","ok":false}
                """);
    }

    @Test
    void doesNotWaitForAReaderThatIsStuck() {
        room = false;
        sync(Optional.of(Duration.ZERO));
        room = true;
        lines.failed(new IllegalStateException("no kernel"), Duration.ofSeconds(1));
        assertThat(out).hasToString("{\"at\":\"2026-11-30T12:00:00Z\",\"ok\":false}\n");
    }
}
