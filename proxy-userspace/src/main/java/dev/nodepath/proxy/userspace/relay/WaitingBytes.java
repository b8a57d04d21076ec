package dev.nodepath.proxy.userspace.relay;

/** The limit of bytes that wait for slow readers on one event loop. Called on the loop. */
final class WaitingBytes {
    private final long max;
    private long taken;

    WaitingBytes(long max) {
        this.max = max;
    }

    /** Reserves room for this many bytes. Returns whether there was room. */
    boolean take(int bytes) {
        boolean fits = bytes <= max - taken;
        if (fits) {
            taken += bytes;
        }
        return fits;
    }

    void giveBack(int bytes) {
        taken -= bytes;
    }

    /** Whether more than half of the room is taken. */
    boolean isScarce() {
        return taken > max / 2;
    }
}
