package dev.nodepath.linux.io;

import static org.junit.jupiter.api.Assumptions.abort;

import dev.nodepath.linux.io.SendBatch.LibC;
import dev.nodepath.linux.syscall.LinuxNetException;

/** Batches for tests, which are aborted where the kernel or its administrator does not allow io_uring. */
public final class SendBatches {
    private static final LibC KERNEL = SendBatch.Bound.LIBC;

    private SendBatches() {}

    public static SendBatch open(int slots, int slotBytes) {
        return open(slots, slotBytes, KERNEL);
    }

    /** The kernel takes at most this many sends of each batch. */
    public static SendBatch taking(int sendsMax, int slots, int slotBytes) {
        return open(slots, slotBytes, (number, ring, submitted, awaited, flags, mask) -> {
            long taken = Math.min(submitted, sendsMax);
            return taken == 0 && submitted > 0
                    ? 0
                    : KERNEL.syscall(number, ring, taken, Math.min(awaited, taken), flags, mask);
        });
    }

    /** All calls fail with EBADF. */
    public static SendBatch broken(int slots, int slotBytes) {
        return open(
                slots,
                slotBytes,
                (number, ring, submitted, awaited, flags, mask) -> KERNEL.syscall(number, -1, 0, 0, 0, 0));
    }

    private static SendBatch open(int slots, int slotBytes, LibC libc) {
        try {
            return SendBatch.open(slots, slotBytes, libc);
        } catch (LinuxNetException e) {
            return abort("io_uring is not allowed here: " + e.getMessage());
        }
    }
}
