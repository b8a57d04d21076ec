package dev.nodepath.linux.io;

import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Arrays;
import jnr.ffi.LibraryLoader;
import jnr.ffi.Pointer;
import jnr.ffi.Runtime;

/**
 * Small sends on several sockets that one system call makes ({@code io_uring(7)}, {@code
 * include/uapi/linux/io_uring.h}). Each send copies its bytes into a slot. No send waits for room in a socket. Adding
 * and sending allocate nothing. For one thread at a time.
 */
public final class SendBatch implements AutoCloseable {
    /** The same on x86-64 and aarch64. */
    private static final int IO_URING_ENTER = 426;

    private static final int IORING_ENTER_GETEVENTS = 1;

    /** A send that fails does not keep the others from being made (Linux 5.18). */
    private static final int IORING_SETUP_SUBMIT_ALL = 1 << 7;

    private static final int IORING_FEAT_SINGLE_MMAP = 1;
    private static final int IORING_OFF_SQ_RING = 0;
    private static final int IORING_OFF_SQES = 0x10000000;
    private static final byte IORING_OP_SEND = 26;
    private static final int MSG_DONTWAIT = 0x40;
    private static final int MSG_NOSIGNAL = 0x4000;

    /** {@code struct io_uring_params}, and where its fields are. */
    private static final int PARAMS_BYTES = 120;

    private static final int PARAMS_ENTRIES = 0;
    private static final int PARAMS_COMPLETIONS = 4;
    private static final int PARAMS_FLAGS = 8;
    private static final int PARAMS_FEATURES = 20;
    private static final int SQ_OFFSETS = 40;
    private static final int CQ_OFFSETS = 80;

    /** The offsets within {@code struct io_sqring_offsets} and {@code struct io_cqring_offsets}. */
    private static final int HEAD = 0;

    private static final int TAIL = 4;
    private static final int MASK = 8;
    private static final int SQ_ARRAY = 24;
    private static final int CQ_ENTRIES = 20;

    /** {@code struct io_uring_sqe}, and where the fields of a send are. */
    private static final int SQE_BYTES = 64;

    private static final int SQE_FD = 4;
    private static final int SQE_ADDRESS = 16;
    private static final int SQE_LENGTH = 24;
    private static final int SQE_MESSAGE_FLAGS = 28;
    private static final int SQE_USER_DATA = 32;

    /** {@code struct io_uring_cqe}. */
    private static final int CQE_BYTES = 16;

    private static final int CQE_RESULT = 8;

    private final Syscalls syscalls;
    private final LibC libc;
    private final Runtime runtime;
    private final int ring;
    private final Pointer rings;
    private final int ringsBytes;
    private final Pointer entries;
    private final int entriesBytes;
    private final int sqHead;
    private final int sqTail;
    private final int sqMask;
    private final int sqArray;
    private final int cqHead;
    private final int cqTail;
    private final int cqMask;
    private final int cqEntries;
    private final int slotBytes;
    private final ByteBuffer content;
    private final int[] lengths;
    private final int[] results;
    private int size;

    /** Public because JNR-FFI may generate a class in another package that implements it. */
    public interface LibC {
        /** {@code syscall(2)}. JNR-FFI passes at most six arguments without an allocation. */
        long syscall(long number, long a, long b, long c, long d, long e);
    }

    /** Bound at the first use and then shared: each binding takes milliseconds. */
    static final class Bound {
        static final LibC LIBC = LibraryLoader.create(LibC.class).load("c");
    }

    private SendBatch(Syscalls syscalls, LibC libc, int ring, Pointer params, int slots, int slotBytes)
            throws LinuxNetException {
        this.syscalls = syscalls;
        this.libc = libc;
        this.runtime = params.getRuntime();
        this.ring = ring;
        this.slotBytes = slotBytes;
        this.content = ByteBuffer.allocateDirect(slots * slotBytes);
        this.lengths = new int[slots];
        this.results = new int[slots];
        this.sqHead = params.getInt(SQ_OFFSETS + HEAD);
        this.sqTail = params.getInt(SQ_OFFSETS + TAIL);
        this.sqArray = params.getInt(SQ_OFFSETS + SQ_ARRAY);
        this.cqHead = params.getInt(CQ_OFFSETS + HEAD);
        this.cqTail = params.getInt(CQ_OFFSETS + TAIL);
        this.cqEntries = params.getInt(CQ_OFFSETS + CQ_ENTRIES);
        int submissions = params.getInt(PARAMS_ENTRIES);
        int completions = params.getInt(PARAMS_COMPLETIONS);
        this.ringsBytes = Math.max(sqArray + submissions * Integer.BYTES, cqEntries + completions * CQE_BYTES);
        this.entriesBytes = submissions * SQE_BYTES;
        this.rings = syscalls.map(ring, IORING_OFF_SQ_RING, ringsBytes);
        try {
            this.entries = syscalls.map(ring, IORING_OFF_SQES, entriesBytes);
        } catch (LinuxNetException e) {
            unmap(rings, ringsBytes);
            throw e;
        }
        this.sqMask = rings.getInt(params.getInt(SQ_OFFSETS + MASK));
        this.cqMask = rings.getInt(params.getInt(CQ_OFFSETS + MASK));
        long address = Pointer.wrap(runtime, content).address();
        for (int slot = 0; slot < slots; slot++) {
            int entry = slot * SQE_BYTES;
            entries.putByte(entry, IORING_OP_SEND);
            entries.putLong(entry + SQE_ADDRESS, address + (long) slot * slotBytes);
            entries.putInt(entry + SQE_MESSAGE_FLAGS, MSG_DONTWAIT | MSG_NOSIGNAL);
            entries.putLong(entry + SQE_USER_DATA, slot);
        }
    }

    /**
     * Opens a batch. It takes one descriptor.
     *
     * @param slots how many sends there are at most, a power of two
     * @param slotBytes the bytes of one send at most
     * @throws LinuxNetException EPERM, EACCES or ENOSYS where io_uring is not allowed
     *     ({@code kernel.io_uring_disabled}, seccomp); EINVAL before Linux 5.18; EMFILE, ENFILE or ENOMEM
     */
    public static SendBatch open(int slots, int slotBytes) throws LinuxNetException {
        return open(slots, slotBytes, Bound.LIBC);
    }

    static SendBatch open(int slots, int slotBytes, LibC libc) throws LinuxNetException {
        Syscalls syscalls = Syscalls.load();
        Pointer params = syscalls.allocate(PARAMS_BYTES);
        params.setMemory(0, PARAMS_BYTES, (byte) 0);
        params.putInt(PARAMS_FLAGS, IORING_SETUP_SUBMIT_ALL);
        int ring = Syscalls.orThrow("io_uring_setup", syscalls.setUpRings(slots, params));
        boolean complete = false;
        try {
            if ((params.getInt(PARAMS_FEATURES) & IORING_FEAT_SINGLE_MMAP) == 0) {
                throw new LinuxNetException("io_uring_setup", Errno.EINVAL.number(), "the rings have no common memory");
            }
            SendBatch batch = new SendBatch(syscalls, libc, ring, params, slots, slotBytes);
            complete = true;
            return batch;
        } finally {
            if (!complete) {
                syscalls.close(ring);
            }
        }
    }

    private void unmap(Pointer memory, int bytes) {
        syscalls.unmap(memory, bytes);
    }

    /** How many sends it has. */
    public int size() {
        return size;
    }

    /** Whether a send of this many bytes fits. */
    public boolean takes(int bytes) {
        return size < lengths.length && bytes <= slotBytes;
    }

    /**
     * Adds a send, which {@link #takes}.
     *
     * @param bytes its first {@code count} bytes are copied
     * @return its slot
     */
    public int add(int fd, ByteBuffer bytes, int count) {
        int slot = size++;
        content.put(slot * slotBytes, bytes, 0, count);
        lengths[slot] = count;
        int entry = slot * SQE_BYTES;
        entries.putInt(entry + SQE_FD, fd);
        entries.putInt(entry + SQE_LENGTH, count);
        return slot;
    }

    /**
     * Takes a send out before its socket is closed. Its slot stays in use, and the kernel takes none of its bytes.
     */
    public void cancel(int slot) {
        entries.putInt(slot * SQE_BYTES + SQE_FD, -1);
    }

    /**
     * Makes all sends in the order in which they were added. Then {@link #taken} has the result of each.
     *
     * @throws LinuxNetException if the kernel refuses such calls by now; bytes that it has taken before still count
     */
    public void send() throws LinuxNetException {
        Arrays.fill(results, 0, size, 0);
        int tail = rings.getInt(sqTail);
        for (int slot = 0; slot < size; slot++) {
            rings.putInt(sqArray + (tail + slot & sqMask) * Integer.BYTES, slot);
        }
        VarHandle.releaseFence();
        rings.putInt(sqTail, tail + size);
        VarHandle.fullFence();
        long failure = Math.min(0, enter(size, size));
        int head = rings.getInt(sqHead);
        // The kernel may take fewer for lack of memory. The others are not to go with later ones.
        rings.putInt(sqTail, head);
        int missing = head - tail - takeResults();
        while (missing > 0 && isPassing(failure)) {
            // A signal has ended the wait.
            failure = Math.min(0, enter(0, missing));
            missing -= takeResults();
        }
        if (!isPassing(failure)) {
            throw new LinuxNetException("io_uring_enter", (int) -failure, "");
        }
    }

    private long enter(int submitted, int awaited) {
        // Without a signal mask the kernel does not look at the sixth argument, its size.
        long result = libc.syscall(IO_URING_ENTER, ring, submitted, awaited, IORING_ENTER_GETEVENTS, 0);
        return result < 0 ? -runtime.getLastError() : result;
    }

    /** Whether a call succeeded, or failed for a temporary reason. */
    private static boolean isPassing(long failure) {
        return failure == 0
                || failure == -Errno.EINTR.number()
                || failure == -Errno.EAGAIN.number()
                || failure == -Errno.EBUSY.number()
                || failure == -Errno.ENOMEM.number();
    }

    private int takeResults() {
        VarHandle.acquireFence();
        int head = rings.getInt(cqHead);
        int count = rings.getInt(cqTail) - head;
        for (int i = 0; i < count; i++) {
            int completion = cqEntries + (head + i & cqMask) * CQE_BYTES;
            results[(int) rings.getLong(completion)] = rings.getInt(completion + CQE_RESULT);
        }
        VarHandle.releaseFence();
        rings.putInt(cqHead, head + count);
        return count;
    }

    /**
     * How many bytes the kernel has taken. If these are not all bytes, a send of the rest tells the reason: no room,
     * or an error of the connection.
     */
    public int taken(int slot) {
        return Math.max(0, results[slot]);
    }

    /** How many bytes a send has. */
    public int length(int slot) {
        return lengths[slot];
    }

    /** The bytes of a send, from {@code from} on. They are valid until the next {@link #add}. */
    public ByteBuffer content(int slot, int from) {
        return content.slice(slot * slotBytes + from, lengths[slot] - from);
    }

    /** Forgets all sends. */
    public void clear() {
        size = 0;
    }

    @Override
    public void close() {
        unmap(rings, ringsBytes);
        unmap(entries, entriesBytes);
        syscalls.close(ring);
    }
}
