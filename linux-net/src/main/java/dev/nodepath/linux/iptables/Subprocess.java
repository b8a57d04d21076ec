package dev.nodepath.linux.iptables;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Runs a command to its end, its input fed and both outputs read at the same time, so that no full pipe stops it. */
final class Subprocess {
    /** The listing of a table of a million rules is about 200 MB. What a command writes beyond this is not kept. */
    private static final int OUTPUT_LIMIT_BYTES = 512 << 20;

    private static final int CHUNK_BYTES = 64 << 10;
    private static final int ERRORS_LIMIT_BYTES = 64 << 10;

    /** How long a pipe may stay open after the command has ended, held by a child that it left behind. */
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

    private Subprocess() {}

    /** How a command ended, and what it wrote. */
    record Result(int exitCode, String output, String errors) {}

    /**
     * Runs a command in the network namespace of the calling thread.
     *
     * @param input what it reads, in pieces that are taken on another thread as it reads them
     * @throws IOException if it cannot be started, writes more than the limit, or is not done in time; it is killed
     *     then
     */
    static Result run(List<String> command, Stream<String> input, Duration limit) throws IOException {
        Process process = new ProcessBuilder(command).start();
        try {
            Drain output = new Drain(process.getInputStream(), OUTPUT_LIMIT_BYTES);
            Drain errors = new Drain(process.getErrorStream(), ERRORS_LIMIT_BYTES);
            start("output", output);
            start("errors", errors);
            Feed fed = new Feed(process.getOutputStream(), input);
            start("input", fed);
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IOException("not done after " + limit.toMillis() + " ms");
            }
            String written = output.await();
            if (output.overflowed()) {
                throw new IOException("wrote more than " + OUTPUT_LIMIT_BYTES + " bytes");
            }
            fed.check();
            return new Result(process.exitValue(), written, errors.await());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("interrupted").initCause(e);
        } finally {
            process.destroyForcibly();
        }
    }

    private static void start(String name, Runnable task) {
        Thread thread = new Thread(task, "subprocess-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Takes the pieces of the input and writes them to a pipe. */
    private static final class Feed implements Runnable {
        private final OutputStream pipe;
        private final Stream<String> input;
        private volatile @Nullable RuntimeException failure;

        Feed(OutputStream pipe, Stream<String> input) {
            this.pipe = pipe;
            this.input = input;
        }

        @Override
        public void run() {
            try (OutputStream stdin = new BufferedOutputStream(pipe, CHUNK_BYTES)) {
                write(stdin);
            } catch (IOException e) {
                // The command ended, or closed its input, before it had read everything: its exit code tells why.
            }
        }

        /** Notes a failure before the pipe is closed, as the command may end then. */
        private void write(OutputStream stdin) throws IOException {
            try {
                for (Iterator<String> pieces = input.iterator(); pieces.hasNext(); ) {
                    stdin.write(pieces.next().getBytes(StandardCharsets.UTF_8));
                }
            } catch (RuntimeException e) {
                failure = e;
            }
        }

        /** Otherwise a command that read half of its input could pass for one that read all of it. */
        void check() throws IOException {
            if (failure != null) {
                throw new IOException("input could not be made", failure);
            }
        }
    }

    /** Reads a pipe to its end and keeps what fits. */
    private static final class Drain implements Runnable {
        private final InputStream pipe;
        private final int limitBytes;
        private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
        private final CountDownLatch closed = new CountDownLatch(1);
        private boolean overflowed;

        Drain(InputStream pipe, int limitBytes) {
            this.pipe = pipe;
            this.limitBytes = limitBytes;
        }

        @Override
        public void run() {
            byte[] chunk = new byte[CHUNK_BYTES];
            try (pipe) {
                for (int read = pipe.read(chunk); read >= 0; read = pipe.read(chunk)) {
                    int fits = Math.min(read, limitBytes - kept.size());
                    kept.write(chunk, 0, fits);
                    overflowed |= fits < read;
                }
            } catch (IOException e) {
                // The command was killed; what it wrote no longer matters.
            } finally {
                closed.countDown();
            }
        }

        String await() throws IOException, InterruptedException {
            if (!closed.await(CLOSE_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IOException("output not closed " + CLOSE_LIMIT.toMillis() + " ms after its end");
            }
            return kept.toString(StandardCharsets.UTF_8);
        }

        boolean overflowed() {
            return overflowed;
        }
    }
}
