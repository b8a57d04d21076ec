package dev.nodepath.linux.io;

import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import jnr.ffi.LibraryLoader;
import jnr.ffi.Pointer;
import jnr.ffi.Runtime;

/**
 * Datagrams that one system call receives or sends ({@code recvmmsg(2)}, {@code sendmmsg(2)}), in slots of native
 * memory. A received datagram can be sent on from its slot. Calls allocate nothing. For one thread at a time.
 */
public final class DatagramBatch {
    /** No datagram is longer. */
    public static final int DATAGRAM_BYTES_MAX = 65_536;

    private static final int SOL_IP = 0;
    private static final int SOL_IPV6 = 41;
    private static final int IP_PKTINFO = 8;
    private static final int IPV6_PKTINFO = 50;
    private static final int MSG_DONTWAIT = 0x40;
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;

    /** {@code struct mmsghdr} on 64-bit machines, and where its fields are. */
    private static final int HEADER_BYTES = 64;

    private static final int NAME = 0;
    private static final int NAME_LENGTH = 8;
    private static final int VECTOR = 16;
    private static final int VECTORS = 24;
    private static final int CONTROL = 32;
    private static final int CONTROL_LENGTH = 40;
    private static final int LENGTH = 56;

    /** {@code struct iovec}. */
    private static final int VECTOR_BYTES = 16;

    /** {@code struct sockaddr_in6} and, shorter, {@code struct sockaddr_in}, with room to the next multiple of 8. */
    private static final int NAME_BYTES = 32;

    private static final int SOCKADDR_IN_BYTES = 16;
    private static final int SOCKADDR_IN6_BYTES = 28;

    /** {@code struct cmsghdr} and behind it {@code struct in_pktinfo} or {@code in6_pktinfo}. */
    private static final int CONTROL_BYTES = 64;

    private static final int CMSG_LEVEL = 8;
    private static final int CMSG_TYPE = 12;
    private static final int CMSG_DATA = 16;
    private static final int IN_PKTINFO_BYTES = 12;
    private static final int IN6_PKTINFO_BYTES = 20;
    private static final int SPEC_DST = CMSG_DATA + 4;

    private final LibC libc;
    private final Runtime runtime;
    private final int size;
    private final ByteBuffer memory;
    private final long base;
    private final int vectors;
    private final int names;
    private final int controls;
    private final int contents;
    private final DatagramPath path = new DatagramPath();

    /** Public because JNR-FFI may generate a class in another package that implements it. */
    public interface LibC {
        /** {@code recvmmsg(2)}; pointers are passed as their addresses. */
        int recvmmsg(int fd, long headers, int count, int flags, long timeout);

        int sendmmsg(int fd, long headers, int count, int flags);
    }

    private DatagramBatch(LibC libc, int size) {
        this.libc = libc;
        this.runtime = Runtime.getRuntime(libc);
        this.size = size;
        this.vectors = size * HEADER_BYTES;
        this.names = vectors + size * VECTOR_BYTES;
        this.controls = names + size * NAME_BYTES;
        this.contents = controls + size * CONTROL_BYTES;
        this.memory =
                ByteBuffer.allocateDirect(contents + size * DATAGRAM_BYTES_MAX).order(ByteOrder.nativeOrder());
        this.base = Pointer.wrap(runtime, memory).address();
        for (int slot = 0; slot < size; slot++) {
            memory.putLong(header(slot) + NAME, base + name(slot));
            memory.putLong(header(slot) + VECTOR, base + vector(slot));
            memory.putLong(header(slot) + VECTORS, 1);
            memory.putLong(header(slot) + CONTROL, base + control(slot));
            memory.putLong(vector(slot), base + contents + (long) slot * DATAGRAM_BYTES_MAX);
        }
    }

    /**
     * A batch with this number of slots. Each takes 64 KiB of address space; its memory grows with its longest
     * datagram.
     */
    public static DatagramBatch allocate(int size) {
        return new DatagramBatch(LibraryLoader.create(LibC.class).load("c"), size);
    }

    /** How many slots there are. */
    public int size() {
        return size;
    }

    /**
     * Receives the waiting datagrams into the slots from {@code from} on.
     *
     * @param fd a socket; {@link #path} needs {@code IP_PKTINFO} or {@code IPV6_RECVPKTINFO} on it
     * @return how many datagrams came; 0 if none waits
     * @throws LinuxNetException ECONNREFUSED if the socket is connected and the other end has refused a datagram
     */
    public int receive(int fd, int from) throws LinuxNetException {
        for (int slot = from; slot < size; slot++) {
            memory.putInt(header(slot) + NAME_LENGTH, SOCKADDR_IN6_BYTES);
            memory.putLong(header(slot) + CONTROL_LENGTH, CONTROL_BYTES);
            memory.putLong(vector(slot) + Long.BYTES, DATAGRAM_BYTES_MAX);
        }
        return done("recvmmsg", libc.recvmmsg(fd, base + header(from), size - from, MSG_DONTWAIT, 0));
    }

    /** Sends slots to the other end of a connected socket. The rest is as in {@link #send}. */
    public int forward(int fd, int from, int to) throws LinuxNetException {
        for (int slot = from; slot < to; slot++) {
            memory.putInt(header(slot) + NAME_LENGTH, 0);
            memory.putLong(header(slot) + CONTROL_LENGTH, 0);
        }
        return send(fd, from, to);
    }

    /**
     * Sends slots, each along its path, see {@link #address}.
     *
     * @return the number of datagrams sent: fewer if the kernel refuses one, 0 if it has no room
     * @throws LinuxNetException if it refuses the first
     */
    public int send(int fd, int from, int to) throws LinuxNetException {
        for (int slot = from; slot < to; slot++) {
            memory.putLong(vector(slot) + Long.BYTES, length(slot));
        }
        return done("sendmmsg", libc.sendmmsg(fd, base + header(from), to - from, MSG_DONTWAIT | MSG_NOSIGNAL));
    }

    private int done(String operation, int result) throws LinuxNetException {
        if (result >= 0) {
            return result;
        }
        int errno = runtime.getLastError();
        if (errno == Errno.EAGAIN.number()) {
            return 0;
        }
        throw new LinuxNetException(operation, errno, "");
    }

    /** The length of a datagram, in bytes. */
    public int length(int slot) {
        return memory.getInt(header(slot) + LENGTH);
    }

    /** The path of a received datagram, valid until the next call. Allocates nothing. */
    public DatagramPath path(int slot) {
        int name = name(slot);
        int control = control(slot);
        int port = Short.toUnsignedInt(Short.reverseBytes(memory.getShort(name + 2)));
        if (memory.getShort(name) == AF_INET) {
            path.set(IpFamily.IPV4, 0, ipv4(name + 4), port, 0, 0, ipv4(control + SPEC_DST));
        } else {
            int link = memory.getInt(name + 24);
            int local = control + CMSG_DATA;
            path.set(IpFamily.IPV6, half(name + 8), half(name + 16), port, link, half(local), half(local + 8));
        }
        return path;
    }

    /** Whether two received datagrams have the same path. Allocates nothing. */
    public boolean isOnPathOf(int slot, int other) {
        int a = name(slot);
        int b = name(other);
        boolean same = memory.getLong(a) == memory.getLong(b);
        if (memory.getShort(a) == AF_INET) {
            // Of the first 8 bytes the last 4 are the address.
            return same && memory.getInt(control(slot) + SPEC_DST) == memory.getInt(control(other) + SPEC_DST);
        }
        for (int i = 8; same && i < 24; i += Long.BYTES) {
            same = memory.getLong(a + i) == memory.getLong(b + i)
                    && memory.getLong(control(slot) + CMSG_DATA + i - 8)
                            == memory.getLong(control(other) + CMSG_DATA + i - 8);
        }
        return same && memory.getInt(a + 24) == memory.getInt(b + 24);
    }

    /** Sets the path of a slot: its destination is the path's peer, its source the path's local address. */
    public void address(int slot, DatagramPath path) {
        boolean ipv4 = path.family() == IpFamily.IPV4;
        int name = name(slot);
        int control = control(slot);
        memory.putInt(header(slot) + NAME_LENGTH, ipv4 ? SOCKADDR_IN_BYTES : SOCKADDR_IN6_BYTES);
        memory.putShort(name, (short) (ipv4 ? AF_INET : AF_INET6));
        memory.putShort(name + 2, Short.reverseBytes((short) path.peerPort()));
        memory.putInt(control + CMSG_LEVEL, ipv4 ? SOL_IP : SOL_IPV6);
        memory.putInt(control + CMSG_TYPE, ipv4 ? IP_PKTINFO : IPV6_PKTINFO);
        int info = ipv4 ? IN_PKTINFO_BYTES : IN6_PKTINFO_BYTES;
        memory.putLong(control, CMSG_DATA + info);
        memory.putLong(header(slot) + CONTROL_LENGTH, CMSG_DATA + (info + Long.BYTES - 1) / Long.BYTES * Long.BYTES);
        if (ipv4) {
            putIpv4(name + 4, path.peerLow());
            memory.putInt(control + CMSG_DATA, 0);
            putIpv4(control + SPEC_DST, path.localLow());
        } else {
            memory.putInt(name + 4, 0);
            putIpv6(name + 8, path.peerHigh(), path.peerLow());
            memory.putInt(name + 24, path.peerLink());
            putIpv6(control + CMSG_DATA, path.localHigh(), path.localLow());
            memory.putInt(control + CMSG_DATA + 16, path.peerLink());
        }
    }

    private long ipv4(int at) {
        return Integer.toUnsignedLong(Integer.reverseBytes(memory.getInt(at)));
    }

    /** Half of an IPv6 address. */
    private long half(int at) {
        return Long.reverseBytes(memory.getLong(at));
    }

    private void putIpv4(int at, long address) {
        memory.putInt(at, Integer.reverseBytes((int) address));
    }

    private void putIpv6(int at, long high, long low) {
        memory.putLong(at, Long.reverseBytes(high));
        memory.putLong(at + 8, Long.reverseBytes(low));
    }

    private int header(int slot) {
        return slot * HEADER_BYTES;
    }

    private int vector(int slot) {
        return vectors + slot * VECTOR_BYTES;
    }

    private int name(int slot) {
        return names + slot * NAME_BYTES;
    }

    private int control(int slot) {
        return controls + slot * CONTROL_BYTES;
    }
}
