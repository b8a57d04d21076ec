package dev.nodepath.linux.syscall;

import java.lang.ref.Reference;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import jnr.ffi.LibraryLoader;
import jnr.ffi.Pointer;
import jnr.ffi.Runtime;

/**
 * The system calls that the JDK does not offer. They all go through the C library's {@code syscall(2)}: binding one
 * function instead of a dozen takes a third of JNR-FFI's start time.
 *
 * <p>A method that returns a number returns the kernel's result. A negative number is a negated error number.
 * {@link #orThrow} turns it into an exception.
 */
public final class Syscalls {
    public static final int O_RDONLY = 0;
    public static final int O_WRONLY = 1;
    public static final int O_CREAT = 0x40;
    public static final int O_EXCL = 0x80;
    public static final int O_NONBLOCK = 0x800;
    public static final int O_CLOEXEC = 0x80000;
    public static final int MS_RDONLY = 1;
    public static final int MS_REMOUNT = 0x20;
    public static final int MS_BIND = 0x1000;
    public static final int MS_REC = 0x4000;
    public static final int MS_SHARED = 0x100000;

    /** The same on x86-64 and aarch64. */
    private static final int IO_URING_SETUP = 425;

    /** {@code openat2}, with one number on all processors. */
    private static final int OPENAT2 = 437;

    private static final int ARGUMENTS_MAX = 6;
    private static final int AT_FDCWD = -100;
    private static final int CLONE_NEWNET = 0x40000000;
    private static final int F_DUPFD_CLOEXEC = 1030;
    private static final int F_SETPIPE_SZ = 1031;
    private static final int LOCK_EX = 2;
    private static final int LOCK_NB = 4;
    private static final int MAP_POPULATE = 0x8000;
    private static final int MAP_SHARED = 1;
    private static final int MNT_DETACH = 2;
    private static final int MS_NODEV = 4;
    private static final int MSG_PEEK = 0x2;
    private static final int MSG_TRUNC = 0x20;
    private static final int MSG_DONTWAIT = 0x40;
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int MSG_CMSG_CLOEXEC = 0x40000000;
    private static final long NANOS_PER_SECOND = 1_000_000_000;
    private static final int O_PATH = 0x200000;
    private static final int PROT_READ = 1;
    private static final int PROT_WRITE = 2;
    /** {@code struct open_how} (linux/openat2.h): flags, mode, ways to resolve. */
    private static final int OPEN_HOW_BYTES = 3 * Long.BYTES;

    private static final int RESOLVE_NO_MAGICLINKS = 0x02;
    private static final int RESOLVE_BENEATH = 0x08;
    private static final int SHUT_RDWR = 2;
    private static final int SOCK_CLOEXEC = 0x80000;

    private final LibC libc;
    private final Runtime runtime;
    private final SyscallNumbers numbers;

    /** Public because JNR-FFI may generate a class in another package that implements it. */
    public interface LibC {
        /** {@code syscall(2)}; pointers are passed as their addresses. */
        long syscall(long number, long a, long b, long c, long d, long e, long f);
    }

    /** Bound at the first use and then shared: each binding takes milliseconds. */
    private static final class Bound {
        static final LibC LIBC = LibraryLoader.create(LibC.class).load("c");
    }

    private Syscalls(LibC libc, SyscallNumbers numbers) {
        this.libc = libc;
        this.runtime = Runtime.getRuntime(libc);
        this.numbers = numbers;
    }

    /**
     * Binds the C library.
     *
     * @throws UnsupportedOperationException on a processor whose system call numbers are unknown here
     */
    public static Syscalls load() {
        SyscallNumbers numbers = SyscallNumbers.ofArchitecture(System.getProperty("os.arch", ""));
        return new Syscalls(Bound.LIBC, numbers);
    }

    /** Returns a successful result, or throws the error. */
    public static int orThrow(String operation, long result) throws LinuxNetException {
        if (result < 0) {
            throw new LinuxNetException(operation, (int) -result, "");
        }
        return (int) result;
    }

    /** {@code O_NOFOLLOW}: the open of a symbolic link fails with ELOOP. Its number is the processor's. */
    public int noFollow() {
        return numbers.noFollow();
    }

    public long open(String path, int flags, int mode) {
        return call(numbers.openat(), AT_FDCWD, string(path), flags, mode);
    }

    /**
     * Opens a path below a folder as a handle (O_PATH), without its content. EXDEV if a link or {@code ..} leads out
     * of the folder, even one that was just put there; EAGAIN if the kernel cannot verify the path because a folder is
     * being renamed.
     */
    public long openBeneath(int folder, String path) {
        Pointer how = allocate(OPEN_HOW_BYTES);
        how.putLong(0, O_PATH | O_CLOEXEC);
        how.putLong(Long.BYTES, 0);
        how.putLong(2 * Long.BYTES, RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS);
        return call(OPENAT2, folder, string(path), how, OPEN_HOW_BYTES);
    }

    public long close(int fd) {
        return call(numbers.close(), fd);
    }

    /** Another descriptor of the same open file. */
    public long duplicate(int fd) {
        return call(numbers.fcntl(), fd, F_DUPFD_CLOEXEC, 0);
    }

    /** Sets the capacity of a pipe, and returns it. */
    public long setPipeSize(int fd, int bytes) {
        return call(numbers.fcntl(), fd, F_SETPIPE_SZ, bytes);
    }

    /** Reads at most {@code buffer.length} bytes. */
    public long read(int fd, byte[] buffer) {
        Pointer memory = allocate(buffer.length);
        long length = call(numbers.read(), fd, memory, buffer.length);
        if (length > 0) {
            memory.get(0, buffer, 0, (int) length);
        }
        return length;
    }

    public long write(int fd, byte[] bytes) {
        return call(numbers.write(), fd, copy(bytes), bytes.length);
    }

    public long mkdir(String path, int mode) {
        return call(numbers.mkdirat(), AT_FDCWD, string(path), mode);
    }

    public long unlink(String path) {
        return call(numbers.unlinkat(), AT_FDCWD, string(path), 0);
    }

    /** Takes an exclusive {@code flock(2)} without waiting: EAGAIN if another holds it. */
    public long tryLock(int fd) {
        return call(numbers.flock(), fd, LOCK_EX | LOCK_NB);
    }

    /** {@code mount(2)} without a file system type or data: binds and propagation changes. */
    public long mount(String source, String target, int flags) {
        return call(numbers.mount(), string(source), string(target), string("none"), flags, 0);
    }

    /**
     * Mounts a file system of a type without a device, such as {@code tmpfs}, with its options; without device files.
     */
    public long mountNew(String type, String target, String options) {
        Pointer name = string(type);
        return call(numbers.mount(), name, string(target), name, MS_NODEV, string(options));
    }

    /** Detaches a mount at once, also while it is used. */
    public long unmount(String path) {
        return call(numbers.umount2(), string(path), MNT_DETACH);
    }

    /** Moves the calling thread into a network namespace; EINVAL if the file is none. */
    public long enterNetwork(int fd) {
        return call(numbers.setns(), fd, CLONE_NEWNET);
    }

    /** Moves the calling thread into a new network namespace. */
    public long unshareNetwork() {
        return call(numbers.unshare(), CLONE_NEWNET);
    }

    public long socket(int domain, int type, int protocol) {
        return call(numbers.socket(), domain, type, protocol);
    }

    public long bind(int fd, byte[] address) {
        return call(numbers.bind(), fd, copy(address), address.length);
    }

    public long connect(int fd, byte[] address) {
        return call(numbers.connect(), fd, copy(address), address.length);
    }

    public long listen(int fd, int backlog) {
        return call(numbers.listen(), fd, backlog);
    }

    /** Waits for the next connection and returns its descriptor. */
    public long accept(int fd) {
        return call(numbers.accept4(), fd, 0, 0, SOCK_CLOEXEC);
    }

    /** Shuts down both directions and wakes waiting threads. */
    public long shutdown(int fd) {
        return call(numbers.shutdown(), fd, SHUT_RDWR);
    }

    /** The effective user ID of this process. */
    public int effectiveUser() {
        return (int) call(numbers.geteuid());
    }

    /** The length of the next message on a socket, which stays there. 0 if the peer has closed. */
    public long peek(int fd, boolean wait) {
        return call(numbers.recvfrom(), fd, allocate(1), 0, MSG_PEEK | MSG_TRUNC | (wait ? 0 : MSG_DONTWAIT), 0, 0);
    }

    /** Waits for one event of {@code poll(2)}, or an error, on a descriptor. Returns 1, or 0 after the timeout. */
    public long poll(int fd, int event, long nanos) {
        Pointer request = allocate(Long.BYTES);
        request.putInt(0, fd);
        request.putInt(Integer.BYTES, event);
        Pointer timeout = allocate(2 * Long.BYTES);
        timeout.putLong(0, nanos / NANOS_PER_SECOND);
        timeout.putLong(Long.BYTES, nanos % NANOS_PER_SECOND);
        return call(numbers.ppoll(), request, 1, timeout, 0, 0);
    }

    /** {@code sendmsg(2)} with a {@code struct msghdr}. A closed peer causes EPIPE without a signal. */
    public long sendMessage(int fd, Pointer header) {
        return call(numbers.sendmsg(), fd, header, MSG_NOSIGNAL);
    }

    /** {@code recvmsg(2)}. Received descriptors are close-on-exec. */
    public long receiveMessage(int fd, Pointer header) {
        return call(numbers.recvmsg(), fd, header, MSG_CMSG_CLOEXEC);
    }

    /** {@code recvmsg(2)} without waiting: EAGAIN if there is no message. For sockets that pass no descriptors. */
    public long receiveMessageNow(int fd, Pointer header) {
        return call(numbers.recvmsg(), fd, header, MSG_DONTWAIT);
    }

    public long setOption(int fd, int level, int option, byte[] value) {
        return call(numbers.setsockopt(), fd, level, option, copy(value), value.length);
    }

    /**
     * Reads an option of a fixed size. The kernel reads the buffer's content first and then overwrites it.
     *
     * @return 0 or an error number
     */
    public long getOption(int fd, int level, int option, byte[] value) {
        Pointer memory = copy(value);
        Pointer length = allocate(Integer.BYTES);
        length.putInt(0, value.length);
        long result = call(numbers.getsockopt(), fd, level, option, memory, length);
        if (result >= 0) {
            memory.get(0, value, 0, value.length);
        }
        return result;
    }

    public long send(int fd, byte[] datagram, byte[] address) {
        return call(numbers.sendto(), fd, copy(datagram), datagram.length, 0, copy(address), address.length);
    }

    /**
     * Receives one datagram and its source address.
     *
     * @return the whole length of the datagram, even if the buffer holds less
     */
    public long receive(int fd, Pointer buffer, int size, Pointer address, Pointer addressLength) {
        return call(numbers.recvfrom(), fd, buffer, size, MSG_TRUNC, address, addressLength);
    }

    /** As {@link #receive}, without waiting: EAGAIN if there is no datagram. */
    public long receiveNow(int fd, Pointer buffer, int size, Pointer address, Pointer addressLength) {
        return call(numbers.recvfrom(), fd, buffer, size, MSG_TRUNC | MSG_DONTWAIT, address, addressLength);
    }

    /** Makes the rings of {@code io_uring(7)}, and fills a {@code struct io_uring_params}. Returns their descriptor. */
    public long setUpRings(int entries, Pointer params) {
        return call(IO_URING_SETUP, entries, params);
    }

    /**
     * Maps memory that is shared with the kernel, to read and write.
     *
     * @throws LinuxNetException if that failed
     */
    public Pointer map(int fd, int offset, int bytes) throws LinuxNetException {
        long address = call(numbers.mmap(), 0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, offset);
        if (address < 0) {
            throw new LinuxNetException("mmap", (int) -address, bytes + " bytes at " + offset);
        }
        return Pointer.wrap(runtime, address, bytes);
    }

    /** Ends a mapping. */
    public long unmap(Pointer memory, int bytes) {
        return call(numbers.munmap(), memory, bytes);
    }

    /** Native memory that lives as long as the pointer is reachable. */
    public Pointer allocate(int size) {
        return runtime.getMemoryManager().allocateDirect(Math.max(1, size), false);
    }

    private Pointer copy(byte[] bytes) {
        Pointer memory = allocate(bytes.length);
        memory.put(0, bytes, 0, bytes.length);
        return memory;
    }

    /** The text with a zero byte behind it. */
    private Pointer string(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return copy(Arrays.copyOf(bytes, bytes.length + 1));
    }

    /** JNR-FFI keeps errno per thread. It is valid only after a failed call. */
    private long call(int number, Object... arguments) {
        long[] values = new long[ARGUMENTS_MAX];
        for (int i = 0; i < arguments.length; i++) {
            values[i] = arguments[i] instanceof Pointer pointer ? pointer.address() : (Integer) arguments[i];
        }
        try {
            long result = libc.syscall(number, values[0], values[1], values[2], values[3], values[4], values[5]);
            return result < 0 ? -runtime.getLastError() : result;
        } finally {
            Reference.reachabilityFence(arguments);
        }
    }
}
