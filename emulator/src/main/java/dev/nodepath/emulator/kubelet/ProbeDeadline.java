package dev.nodepath.emulator.kubelet;

import java.net.SocketTimeoutException;
import java.time.Duration;

/** The time at which one try of a probe has failed. */
final class ProbeDeadline {
    private final long end;

    /** The timeout begins now. */
    ProbeDeadline(Duration timeout) {
        this.end = System.nanoTime() + timeout.toNanos();
    }

    /**
     * Milliseconds until then, at least one: a socket takes zero as no limit.
     *
     * @throws SocketTimeoutException if it is over
     */
    int left() throws SocketTimeoutException {
        long millis = (end - System.nanoTime()) / 1_000_000;
        if (millis <= 0) {
            throw new SocketTimeoutException("timeout");
        }
        return (int) Math.min(millis, Integer.MAX_VALUE);
    }
}
