package dev.nodepath.agent.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.nodepath.linux.io.OutputPipe;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.logging.ErrorManager;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.jspecify.annotations.Nullable;

/**
 * Writes log lines to standard error. A slow or stuck reader, such as a container runtime with a full disk, must not
 * stop traffic: all threads together wait for it at most a tenth of the time. Lines that cannot be written are dropped,
 * and their number is logged later.
 */
final class LogOutput extends Handler {
    private static final Duration PATIENCE = Duration.ofMillis(100);
    private static final long REST_NANOS = 9 * PATIENCE.toNanos();

    private final OutputStream out;
    private final LongSupplier nanoTime;
    private @Nullable Room room;
    private long linesLost;
    private boolean lineBroken;

    /** The time from which a wait may begin. */
    private long restedAtNanos;

    /** Waits until a write would not wait; see {@link OutputPipe#awaitRoom}. */
    @FunctionalInterface
    interface Room {
        boolean await(Duration atMost);
    }

    LogOutput(OutputStream out, @Nullable Room room, Formatter formatter, LongSupplier nanoTime) {
        this.out = out;
        this.room = room;
        this.nanoTime = nanoTime;
        this.restedAtNanos = nanoTime.getAsLong();
        setFormatter(formatter);
    }

    static LogOutput onStandardError(Formatter formatter) {
        return new LogOutput(new FileOutputStream(FileDescriptor.err), null, formatter, System::nanoTime);
    }

    @Override
    public synchronized void publish(LogRecord record) {
        if (!isLoggable(record)) {
            return;
        }
        String line;
        try {
            line = getFormatter().format(record);
        } catch (RuntimeException e) {
            // Logging must not fail its caller.
            reportError(null, e, ErrorManager.FORMAT_FAILURE);
            return;
        }
        boolean stuck = linesLost > 0 && !goOn();
        if (stuck || !write(line)) {
            linesLost++;
        }
    }

    /** Writes the number of dropped lines, if possible. */
    private boolean goOn() {
        String told = getFormatter().format(new LogRecord(Level.WARNING, "lines=" + linesLost + " log.lines_lost"));
        if (!write(lineBroken ? "\n" + told : told)) {
            return false;
        }
        linesLost = 0;
        return true;
    }

    /** Returns whether the whole line was accepted. */
    private boolean write(String line) {
        byte[] bytes = line.getBytes(UTF_8);
        for (int at = 0; at < bytes.length; at += OutputPipe.BYTES_AT_A_TIME) {
            if (!hasRoom()) {
                lineBroken |= at > 0;
                return false;
            }
            try {
                out.write(bytes, at, Math.min(OutputPipe.BYTES_AT_A_TIME, bytes.length - at));
            } catch (IOException e) {
                // The reader is gone.
                return true;
            }
        }
        lineBroken = false;
        return true;
    }

    private boolean hasRoom() {
        if (room().await(Duration.ZERO)) {
            return true;
        }
        if (linesLost > 0 || nanoTime.getAsLong() - restedAtNanos < 0) {
            return false;
        }
        boolean taken = room().await(PATIENCE);
        restedAtNanos = nanoTime.getAsLong() + REST_NANOS;
        return taken;
    }

    /** Made at the first line, because many commands write none. */
    private Room room() {
        Room known = room;
        if (known == null) {
            // Errors and lines while it is made must be readable too.
            known = atMost -> true;
            room = known;
            try {
                known = OutputPipe.ofStandardError()::awaitRoom;
                room = known;
            } catch (LinkageError | RuntimeException e) {
                // Without native calls the process has worse problems than its log.
            }
        }
        return known;
    }

    @Override
    public void flush() {
        // Nothing is kept.
    }

    @Override
    public void close() {
        // Standard error stays open as long as the process lives.
    }
}
