package dev.nodepath.proxy.userspace.relay;

/** Decides whether a peer's input is so large that a pipe costs less than copies. */
final class BulkInput {
    /** After this many reads in a row that have filled the buffer, bytes go through a pipe. */
    private static final int FULL_READS = 4;

    /** After this many fills in a row with less than {@link #SMALL_FILL}, bytes are copied again. */
    private static final int SMALL_FILLS = 8;

    private static final int SMALL_FILL = 32 << 10;

    private int fullReads;
    private int smallFills;

    boolean isBulk() {
        return fullReads >= FULL_READS;
    }

    /** A read into a buffer has brought this much. Between two fills of a pipe it may bring little. */
    void read(int bytes, int capacity) {
        if (!isBulk()) {
            fullReads = bytes == capacity ? fullReads + 1 : 0;
        }
    }

    /** A fill of a pipe has brought this much. */
    void filled(int bytes) {
        smallFills = bytes < SMALL_FILL ? smallFills + 1 : 0;
        if (smallFills == SMALL_FILLS) {
            smallFills = 0;
            fullReads = 0;
        }
    }
}
