package dev.nodepath.proxy.userspace.relay;

/** How much may wait for slow readers on one event loop, and how much does. Everything is called on the loop itself. */
final class WaitingBytes {
    private final long max;
    private long taken;

    WaitingBytes(long max) {
        this.max = max;
    }

    /** Returns whether there was room for so many bytes; they are given back when they have gone. */
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

    /** Whether half of the room is taken, so that it is time to be sparing. */
    boolean isScarce() {
        return taken > max / 2;
    }
}
