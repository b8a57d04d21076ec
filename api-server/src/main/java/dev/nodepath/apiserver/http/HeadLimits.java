package dev.nodepath.apiserver.http;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How much the heads of requests may take: the request line and the headers. One object is for all connections of a
 * server. What a connection holds beyond {@value #FREE} octets counts from its first octet until the request is
 * answered.
 */
public final class HeadLimits {
    static final int FREE = 8 * 1024;

    private final int headMax;
    private final long allMax;
    private final AtomicLong held = new AtomicLong();

    /**
     * Limits with nothing held yet.
     *
     * @param headMax octets of one head
     * @param allMax octets of all heads together, as far as they are longer than {@value #FREE}
     */
    public HeadLimits(int headMax, long allMax) {
        this.headMax = headMax;
        this.allMax = allMax;
    }

    int headMax() {
        return headMax;
    }

    /** Takes so many octets more, if they are there. */
    boolean take(long octets) {
        if (held.addAndGet(octets) > allMax) {
            held.addAndGet(-octets);
            return false;
        }
        return true;
    }

    void give(long octets) {
        held.addAndGet(-octets);
    }

    long held() {
        return held.get();
    }
}
