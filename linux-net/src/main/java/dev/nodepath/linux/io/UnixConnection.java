package dev.nodepath.linux.io;

import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import jnr.ffi.Pointer;

/**
 * One connection of a {@link UnixListener}: whole messages, each with at most one descriptor. For one thread at a
 * time.
 */
public final class UnixConnection implements AutoCloseable {
    private static final int SOCK_SEQPACKET_CLOEXEC = 5 | 0x80000;
    private static final int SOL_SOCKET = 1;
    private static final int SO_PEERCRED = 17;
    private static final int SO_RCVTIMEO = 20;
    private static final int SO_SNDTIMEO = 21;
    private static final int SCM_RIGHTS = 1;
    /**
     * {@code struct msghdr}, {@code struct iovec}, and {@code struct cmsghdr} with one descriptor, on 64-bit machines.
     */
    private static final int HEADER_BYTES = 56;

    private static final int VECTOR_BYTES = 16;
    private static final int CONTROL_BYTES = 24;
    private static final int CONTROL_LENGTH_OF_ONE = 20;

    private final Syscalls syscalls;
    private final int fd;
    private boolean closed;

    UnixConnection(Syscalls syscalls, int fd) {
        this.syscalls = syscalls;
        this.fd = fd;
    }

    /**
     * A message.
     *
     * @param content in host byte order
     * @param descriptor the file that came with it, to be closed by the receiver
     */
    public record Message(ByteBuffer content, Optional<Descriptor> descriptor) {}

    /** Connects to a listener. ECONNREFUSED if no process listens, ENOENT if the path is missing. */
    public static UnixConnection connect(Syscalls syscalls, Path path) throws LinuxNetException {
        UnixConnection connection = new UnixConnection(syscalls, socket(syscalls));
        try {
            Syscalls.orThrow("connect to " + path, syscalls.connect(connection.fd, UnixAddress.of(path)));
            return connection;
        } catch (LinuxNetException e) {
            connection.close();
            throw e;
        }
    }

    static int socket(Syscalls syscalls) throws LinuxNetException {
        return Syscalls.orThrow("open unix socket", syscalls.socket(UnixAddress.AF_UNIX, SOCK_SEQPACKET_CLOEXEC, 0));
    }

    /** Limits the time of one message in each direction. A longer wait fails with EAGAIN. Zero is no limit. */
    public void setTimeout(Duration timeout) throws LinuxNetException {
        byte[] value = bytes(16)
                .putLong(timeout.toSeconds())
                .putLong(timeout.toNanosPart() / 1000)
                .array();
        for (int option : new int[] {SO_RCVTIMEO, SO_SNDTIMEO}) {
            Syscalls.orThrow("set socket timeout", syscalls.setOption(fd, SOL_SOCKET, option, value));
        }
    }

    /** The user ID that opened the other end ({@code SO_PEERCRED}). */
    public int peerUser() throws LinuxNetException {
        byte[] credentials = new byte[12];
        Syscalls.orThrow("read peer's user", syscalls.getOption(fd, SOL_SOCKET, SO_PEERCRED, credentials));
        return ByteBuffer.wrap(credentials).order(ByteOrder.nativeOrder()).getInt(4);
    }

    /** Whether the other end is closed. Messages that it sent before can still be received. */
    public boolean isPeerGone() {
        return syscalls.peek(fd, false) == 0;
    }

    /**
     * Sends a message.
     *
     * @throws LinuxNetException EPIPE if the other end is closed, EMSGSIZE above the socket's buffer (some 200 KiB),
     *     EAGAIN if it had no room in time
     */
    public void send(byte[] bytes, Optional<Descriptor> descriptor) throws LinuxNetException {
        Pointer data = syscalls.allocate(bytes.length);
        data.put(0, bytes, 0, bytes.length);
        Pointer control = syscalls.allocate(CONTROL_BYTES);
        if (descriptor.isPresent()) {
            control.putLong(0, CONTROL_LENGTH_OF_ONE);
            control.putInt(8, SOL_SOCKET);
            control.putInt(12, SCM_RIGHTS);
            control.putInt(16, descriptor.get().number());
        }
        Pointer vector = vector(data, bytes.length);
        Pointer header = header(vector, control, descriptor.isPresent() ? CONTROL_BYTES : 0);
        Syscalls.orThrow("send message", retry(() -> syscalls.sendMessage(fd, header), data, control, vector));
    }

    /**
     * Waits for the next message.
     *
     * @return empty if the other end is closed
     * @throws LinuxNetException EAGAIN if there was none in time, EMSGSIZE if it is longer than the limit: it stays
     *     where it is
     */
    public Optional<Message> receive(int bytesMax) throws LinuxNetException {
        int length = Syscalls.orThrow("receive message", retry(() -> syscalls.peek(fd, true)));
        if (length == 0) {
            return Optional.empty();
        }
        if (length > bytesMax) {
            throw new LinuxNetException(
                    "receive message",
                    Errno.EMSGSIZE.number(),
                    "message of " + length + " bytes (limit: " + bytesMax + ")");
        }
        Pointer data = syscalls.allocate(length);
        Pointer control = syscalls.allocate(CONTROL_BYTES);
        Pointer vector = vector(data, length);
        Pointer header = header(vector, control, CONTROL_LENGTH_OF_ONE); // the kernel closes descriptors without room
        int received = Syscalls.orThrow(
                "receive message", retry(() -> syscalls.receiveMessage(fd, header), data, control, vector));
        byte[] bytes = new byte[received];
        data.get(0, bytes, 0, received);
        boolean withDescriptor = header.getLong(40) >= CONTROL_LENGTH_OF_ONE
                && control.getInt(8) == SOL_SOCKET
                && control.getInt(12) == SCM_RIGHTS;
        return Optional.of(new Message(
                ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()),
                withDescriptor ? Optional.of(new Descriptor(syscalls, control.getInt(16))) : Optional.empty()));
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            syscalls.close(fd);
        }
    }

    private Pointer vector(Pointer data, int length) {
        Pointer vector = syscalls.allocate(VECTOR_BYTES);
        vector.putLong(0, data.address());
        vector.putLong(8, length);
        return vector;
    }

    private Pointer header(Pointer vector, Pointer control, int controlBytes) {
        Pointer header = syscalls.allocate(HEADER_BYTES);
        header.setMemory(0, HEADER_BYTES, (byte) 0);
        header.putLong(16, vector.address());
        header.putLong(24, 1);
        header.putLong(32, control.address());
        header.putLong(40, controlBytes);
        return header;
    }

    /**
     * Repeats a call that a signal interrupts. The memory must stay reachable until then, because the kernel has only
     * its address.
     */
    private static long retry(LongSupplier call, Pointer... memory) {
        try {
            long result = call.getAsLong();
            while (result == -Errno.EINTR.number()) {
                result = call.getAsLong();
            }
            return result;
        } finally {
            Reference.reachabilityFence(memory);
        }
    }

    private static ByteBuffer bytes(int size) {
        return ByteBuffer.allocate(size).order(ByteOrder.nativeOrder());
    }
}
