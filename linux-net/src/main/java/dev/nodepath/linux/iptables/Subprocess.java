package dev.nodepath.linux.iptables;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs a command to its end. It writes the input and reads both outputs at the same time, so that no full pipe blocks
 * the command.
 */
final class Subprocess {
    private static final long HEAP_BYTES = Runtime.getRuntime().maxMemory();

    /**
     * The listing of a table of a million rules is about 200 MB. A command that writes more is killed and fails. A
     * small heap lowers the limit, because the parsed listing would fill it.
     */
    static final long OUTPUT_LIMIT_BYTES = Math.min(512L << 20, HEAP_BYTES / 2);

    /** The memory of an output kept as text: its pieces and two copies. */
    private static final long WHOLE_LIMIT_BYTES = Math.min(OUTPUT_LIMIT_BYTES, HEAP_BYTES / 4);

    private static final int CHUNK_BYTES = 64 << 10;
    private static final int ERRORS_LIMIT_BYTES = 64 << 10;

    /** How long a pipe may stay open after the end of the command. A child of the command may hold it. */
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

    private Subprocess() {}

    /** The exit code and the outputs of a command. */
    record Result<T>(int exitCode, T output, String errors) {}

    /** Parses a command's output while the command runs, on another thread. */
    interface Reader<T> {
        T read(InputStream output) throws IOException;
    }

    /**
     * Runs a command in the network namespace of the calling thread.
     *
     * @param input its input, in pieces. Another thread takes them while the command reads.
     * @param reader such as {@link #whole}
     * @throws IOException if it cannot be started, writes more than the limit, or takes too long. It is killed then.
     */
    static <T> Result<T> run(List<String> command, Stream<String> input, Duration limit, Reader<T> reader)
            throws IOException {
        Process process = new ProcessBuilder(command).start();
        try {
            FutureTask<T> output = new FutureTask<>(() -> readOutput(process, reader));
            FutureTask<String> errors = new FutureTask<>(() -> read(process.getErrorStream(), Subprocess::beginning));
            start("output", output);
            start("errors", errors);
            Feed fed = new Feed(process.getOutputStream(), input);
            start("input", fed);
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IOException("not done after " + limit.toMillis() + " ms");
            }
            T written = await(output);
            fed.check();
            return new Result<>(process.exitValue(), written, await(errors));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("interrupted").initCause(e);
        } finally {
            process.destroyForcibly();
        }
    }

    /** Does not wait for a command whose output cannot be used. */
    private static <T> T readOutput(Process process, Reader<T> reader) throws IOException {
        try {
            return read(new LimitedInput(process.getInputStream(), OUTPUT_LIMIT_BYTES), reader);
        } catch (IOException | RuntimeException e) {
            process.destroyForcibly();
            throw e;
        }
    }

    private static <T> T read(InputStream pipe, Reader<T> reader) throws IOException {
        try (pipe) {
            return reader.read(pipe);
        }
    }

    private static <T> T await(FutureTask<T> read) throws IOException, InterruptedException {
        try {
            return read.get(CLOSE_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new IOException("output not closed " + CLOSE_LIMIT.toMillis() + " ms after its end", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException cause ? cause : new IOException("output could not be read", e);
        }
    }

    /** The output as text. */
    static String whole(InputStream pipe) throws IOException {
        return new String(new LimitedInput(pipe, WHOLE_LIMIT_BYTES).readAllBytes(), StandardCharsets.UTF_8);
    }

    /** Reads the rest too, so that no full pipe blocks the command. */
    private static String beginning(InputStream pipe) throws IOException {
        String text = new String(pipe.readNBytes(ERRORS_LIMIT_BYTES), StandardCharsets.UTF_8);
        pipe.transferTo(OutputStream.nullOutputStream());
        return text;
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

        /** Notes a failure before it closes the pipe, because the command may end then. */
        private void write(OutputStream stdin) throws IOException {
            try {
                for (Iterator<String> pieces = input.iterator(); pieces.hasNext(); ) {
                    stdin.write(pieces.next().getBytes(StandardCharsets.UTF_8));
                }
            } catch (RuntimeException e) {
                failure = e;
            }
        }

        /** Otherwise a command that read half of its input would seem to succeed. */
        void check() throws IOException {
            if (failure != null) {
                throw new IOException("input could not be made", failure);
            }
        }
    }
}
