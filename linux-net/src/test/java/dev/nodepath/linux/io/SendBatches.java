package dev.nodepath.linux.io;

import dev.nodepath.linux.syscall.LinuxNetException;

/** Batches whose kernel takes less than it is given. */
public final class SendBatches {
    private SendBatches() {}

    /** Of each batch at most this many sends are taken. */
    public static SendBatch taking(int sendsMax, int slots, int slotBytes) throws LinuxNetException {
        SendBatch.LibC libc = SendBatch.loadLibC();
        return SendBatch.open(slots, slotBytes, (number, ring, submitted, awaited, flags, mask) -> {
            long taken = Math.min(submitted, sendsMax);
            return taken == 0 && submitted > 0
                    ? 0
                    : libc.syscall(number, ring, taken, Math.min(awaited, taken), flags, mask);
        });
    }

    /** All calls fail with EBADF. */
    public static SendBatch broken(int slots, int slotBytes) throws LinuxNetException {
        SendBatch.LibC libc = SendBatch.loadLibC();
        return SendBatch.open(
                slots,
                slotBytes,
                (number, ring, submitted, awaited, flags, mask) -> libc.syscall(number, -1, 0, 0, 0, 0));
    }
}
