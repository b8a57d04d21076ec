package dev.nodepath.apiserver.http;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits of the request heads: the request line and the headers. One object serves all connections of a server. A
 * connection's octets beyond {@value #FREE} count from the first octet of a head until its request is answered.
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
     * @param allMax octets of all heads together; only the part of each beyond {@value #FREE} counts
     */
    public HeadLimits(int headMax, long allMax) {
        this.headMax = headMax;
        this.allMax = allMax;
    }

    int headMax() {
        return headMax;
    }

    /** Takes more octets, if they are available. */
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
