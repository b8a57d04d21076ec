package dev.nodepath.agent.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.logging.ErrorManager;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

class LogOutputTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    /** How many more pieces are taken. */
    private int room = Integer.MAX_VALUE;

    /** Whether the reader takes a piece only when the writer waits for it. */
    private boolean slow;

    private long now;
    private Duration waited = Duration.ZERO;
    private final LogOutput log = new LogOutput(
            out,
            atMost -> {
                if (room > 0) {
                    room--;
                    return true;
                }
                waited = waited.plus(atMost);
                now += atMost.toNanos();
                return slow && !atMost.isZero();
            },
            new Formatter() {
                @Override
                public String format(LogRecord record) {
                    if (record.getMessage().isEmpty()) {
                        throw new IllegalStateException("format");
                    }
                    return record.getMessage() + "\n";
                }
            },
            () -> now);

    @Test
    void waitsOnceForAReaderThatIsStuckAndTellsWhatItMissed() {
        publish("first");
        room = 0;
        for (int i = 0; i < 1000; i++) {
            publish("lost");
        }
        assertThat(waited).isEqualTo(Duration.ofMillis(100));
        room = Integer.MAX_VALUE;
        publish("last");
        assertThat(out.toString(UTF_8)).isEqualTo("first\nlines=1000 log.lines_lost\nlast\n");
    }

    /** Every line would find a place if it were waited for, and traffic would go at the reader's pace. */
    @Test
    void waitsForASlowReaderATenthOfTheTime() {
        room = 0;
        slow = true;
        Duration work = Duration.ofMillis(1);
        for (int i = 0; i < 10_000; i++) {
            publish("line");
            now += work.toNanos();
        }
        assertThat(waited).isBetween(Duration.ofMillis(100), Duration.ofNanos(now / 10 + 100_000_000));
    }

    @Test
    void whoLogsDoesNotFailByWhatItLogs() {
        log.setErrorManager(new ErrorManager() {
            @Override
            public synchronized void error(String message, Exception exception, int code) {
                publish("error " + code);
            }
        });
        publish("");
        assertThat(out.toString(UTF_8)).isEqualTo("error " + ErrorManager.FORMAT_FAILURE + "\n");
    }

    @Test
    void beginsALineAnewAfterOneThatWasBroken() {
        room = 1;
        publish("x".repeat(5000));
        room = Integer.MAX_VALUE;
        publish("y".repeat(5000));
        assertThat(out.toString(UTF_8))
                .isEqualTo("x".repeat(4096) + "\nlines=1 log.lines_lost\n" + "y".repeat(5000) + "\n");
    }

    /** A pipe holds 64 KiB, this writes a MB. */
    @Test
    void aProcessWhoseLogNobodyReadsGoesOn() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Talker.class.getName())
                .start();
        try {
            assertThat(process.waitFor(5, TimeUnit.MINUTES)).as("ended").isTrue();
            assertThat(process.exitValue()).isZero();
            assertThat(process.errorReader(UTF_8).readLine()).contains("test.line number=0");
        } finally {
            process.destroyForcibly();
        }
    }

    private void publish(String message) {
        log.publish(new LogRecord(Level.INFO, message));
    }

    /** A process that logs. */
    static final class Talker {
        private Talker() {}

        public static void main(String[] args) {
            EventLog.configure();
            Logger logger = Logger.getLogger("test");
            for (int i = 0; i < 10_000; i++) {
                logger.info("number=" + i + " " + "x".repeat(100) + " test.line");
            }
        }
    }
}
