package dev.nodepath.emulator.traffic;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;

/** One stream of bytes as fast as it goes, to a pod's bulk sink. Run it on a thread inside the client's namespace. */
public final class BulkLoad {
    private static final int WRITE_BYTES = 256 * 1024;
    /** The extra time after which a stalled stream is given up. */
    private static final Duration STALL_MAX = Duration.ofSeconds(10);

    private BulkLoad() {}

    /**
     * What was measured.
     *
     * @param bytes the sink's own count
     * @param elapsed until its answer arrived
     */
    public record Result(long bytes, Duration elapsed) {
        /** Gigabits a second. */
        public double gigabitsPerSecond() {
            return bytes * 8.0 / elapsed.toNanos();
        }
    }

    /**
     * Sends for this long, shuts down the output and waits for the sink's count.
     *
     * @throws IOException if the connection fails, or the sink's count differs from the bytes sent
     */
    public static Result run(InetSocketAddress target, Duration length) throws IOException {
        ByteBuffer data = ByteBuffer.allocateDirect(WRITE_BYTES);
        Thread watchdog = null;
        try (SocketChannel channel = SocketChannel.open()) {
            watchdog = watchdog(channel, length.plus(STALL_MAX));
            channel.connect(target);
            long start = System.nanoTime();
            long deadline = start + length.toNanos();
            long sent = 0;
            while (System.nanoTime() < deadline) {
                data.clear();
                sent += channel.write(data);
            }
            channel.shutdownOutput();
            long received = readCount(channel);
            Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
            if (received != sent) {
                throw new IOException("bulk sink got " + received + " bytes (expected: " + sent + ")");
            }
            return new Result(received, elapsed);
        } finally {
            if (watchdog != null) {
                watchdog.interrupt();
            }
        }
    }

    /** Closes a channel that blocks for too long, which ends every operation on it. */
    private static Thread watchdog(SocketChannel channel, Duration limit) {
        Thread thread = new Thread(
                () -> {
                    try {
                        Thread.sleep(limit.toMillis());
                        channel.close();
                    } catch (InterruptedException e) {
                        // The stream ended in time.
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                "bulk-watchdog");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static long readCount(SocketChannel channel) throws IOException {
        ByteBuffer count = ByteBuffer.allocate(Long.BYTES);
        while (count.hasRemaining()) {
            if (channel.read(count) < 0) {
                throw new EOFException("bulk sink closed without its count");
            }
        }
        return count.flip().getLong();
    }
}
