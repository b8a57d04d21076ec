package dev.nodepath.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EventLogTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "changed=3 duration_ms=12 proxy.synced | proxy.synced changed=3 duration_ms=12",
                "proxy.started | proxy.started",
                "A library speaks in prose. | A library speaks in prose.",
                "error=it broke proxy.sync_failed | proxy.sync_failed error=it broke"
            })
    void putsTheNameOfAnEventFirst(String message, String expected) {
        assertThat(format(new LogRecord(Level.INFO, message)))
                .isEqualTo("2026-11-20T10:00:00.123Z INFO " + expected + "\n");
    }

    @Test
    void keepsAnEventOnOneLine() {
        LogRecord record = new LogRecord(Level.SEVERE, "proxy.died");
        record.setThrown(new IllegalStateException("first\nsecond"));

        assertThat(format(record))
                .isEqualTo("2026-11-20T10:00:00.123Z ERROR proxy.died"
                        + " error=java.lang.IllegalStateException: first second\n");
    }

    private static String format(LogRecord record) {
        record.setInstant(Instant.parse("2026-11-20T10:00:00.123456Z"));
        return new EventLog().format(record);
    }
}
