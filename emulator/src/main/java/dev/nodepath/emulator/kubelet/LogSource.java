package dev.nodepath.emulator.kubelet;

import dev.nodepath.apiserver.request.PieceSource;
import dev.nodepath.apiserver.stream.LogOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A container's log, in the form that a client asks for. With {@code follow} it looks every {@value #LOOK_MILLIS} ms
 * for new lines.
 */
final class LogSource implements PieceSource {
    private static final long LOOK_MILLIS = 100;
    private static final int PIECE_CHARACTERS = 32 * 1024;

    private final LogLines file;
    private final LogOptions options;
    private final BooleanSupplier runs;
    private final Deque<String> tail = new ArrayDeque<>();
    private long left;
    private boolean ended;
    private boolean closed;
    private @Nullable ScheduledExecutorService timer;

    /**
     * Opens a log.
     *
     * @param runs whether the Pod still runs; a log that is followed ends with it
     */
    LogSource(Path file, LogOptions options, BooleanSupplier runs) throws IOException {
        this.file = new LogLines(file);
        this.options = options;
        this.runs = runs;
        this.left = options.limitBytes().orElse(Long.MAX_VALUE);
        if (options.tailLines().isPresent()) {
            keepTail(options.tailLines().getAsLong());
        }
    }

    @Override
    public void start(Runnable ready) {
        ready.run();
        if (options.follow()) {
            ScheduledExecutorService looks = Executors.newSingleThreadScheduledExecutor(task -> {
                Thread thread = new Thread(task, "log");
                thread.setDaemon(true);
                return thread;
            });
            synchronized (this) {
                timer = looks;
            }
            var unused = looks.scheduleWithFixedDelay(ready, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    @Override
    public synchronized byte @Nullable [] poll() {
        if (closed) {
            return null;
        }
        boolean last = !options.follow() || !stillRuns();
        StringBuilder piece = new StringBuilder();
        for (String line = next(); line != null; line = next()) {
            append(piece, line);
            if (piece.length() >= PIECE_CHARACTERS) {
                break;
            }
        }
        byte[] bytes = piece.toString().getBytes(StandardCharsets.UTF_8);
        int length = (int) Math.min(bytes.length, left);
        left -= length;
        if ((piece.isEmpty() && last) || left == 0) {
            ended = true;
        }
        return length == 0 ? null : Arrays.copyOf(bytes, length);
    }

    @Override
    public synchronized boolean ended() {
        return ended;
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            if (timer != null) {
                timer.shutdownNow();
            }
            try {
                file.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private boolean stillRuns() {
        try {
            return runs.getAsBoolean();
        } catch (RuntimeException e) {
            return false;
        }
    }

    private void append(StringBuilder piece, String line) {
        int space = line.indexOf(' ');
        String time = space < 0 ? "" : line.substring(0, space);
        if (options.since().isPresent() && isBefore(time, options.since().get())) {
            return;
        }
        piece.append(options.timestamps() ? line : line.substring(space + 1)).append('\n');
    }

    private static boolean isBefore(String time, Instant since) {
        try {
            return Instant.parse(time).isBefore(since);
        } catch (DateTimeParseException e) {
            return false;
        }
    }

    private @Nullable String next() {
        String kept = tail.pollFirst();
        if (kept != null) {
            return kept;
        }
        try {
            return file.next();
        } catch (IOException e) {
            return null;
        }
    }

    private void keepTail(long lines) throws IOException {
        for (String line = file.next(); line != null; line = file.next()) {
            tail.addLast(line);
            if (tail.size() > lines) {
                tail.removeFirst();
            }
        }
    }
}
