package dev.nodepath.emulator.kubelet;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The input of a process, which clients write. A thread of its own writes: a process that reads nothing does not block
 * a client that is gone, or one that only ends the input.
 */
final class ProcessInput {
    /** A client that has sent more waits until the process reads. */
    private static final int WAITING_MAX = 64 * 1024;

    private final Process process;
    private final Deque<byte[]> waiting = new ArrayDeque<>();
    private int octets;
    private boolean closed;
    private @Nullable Thread writer;

    ProcessInput(Process process) {
        this.process = process;
    }

    /**
     * Adds input. It waits while the process does not read.
     *
     * @param gone whether the client is gone; see {@link #wake}
     */
    synchronized void write(byte[] piece, BooleanSupplier gone) {
        try {
            while (octets > WAITING_MAX && !closed && !gone.getAsBoolean()) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        if (!closed && !gone.getAsBoolean()) {
            waiting.add(piece);
            octets += piece.length;
            begin();
        }
    }

    /** A client may be gone: a waiting writer looks again. */
    synchronized void wake() {
        notifyAll();
    }

    /** Ends the input after the bytes so far. */
    synchronized void close() {
        closed = true;
        begin();
    }

    /** The process has ended. */
    synchronized void end() {
        closed = true;
        waiting.clear();
        notifyAll();
    }

    private void begin() {
        if (writer == null) {
            writer = new Thread(this::copy, "process-input");
            writer.setDaemon(true);
            writer.start();
        }
        notifyAll();
    }

    /** The end of the process explains unread input. */
    private void copy() {
        try (OutputStream input = process.getOutputStream()) {
            for (Optional<byte[]> piece = next(); piece.isPresent(); piece = next()) {
                input.write(piece.get());
                input.flush();
                written(piece.get().length);
            }
        } catch (IOException e) {
            // It has ended, or reads no further.
            end();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The next piece; empty at the end. */
    private synchronized Optional<byte[]> next() throws InterruptedException {
        while (waiting.isEmpty() && !closed) {
            wait();
        }
        return Optional.ofNullable(waiting.poll());
    }

    private synchronized void written(int length) {
        octets -= length;
        notifyAll();
    }
}
