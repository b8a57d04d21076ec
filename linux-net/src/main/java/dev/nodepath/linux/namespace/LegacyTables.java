package dev.nodepath.linux.namespace;

import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.io.Descriptor;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads the size of a legacy iptables table without listing it: {@code IPT_SO_GET_INFO} and {@code IP6T_SO_GET_INFO}
 * ({@code include/uapi/linux/netfilter_ipv4/ip_tables.h}). It stays in the namespace where it was opened. A query
 * creates a missing table, empty.
 */
public final class LegacyTables implements AutoCloseable {
    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;
    private static final int SOCK_RAW_CLOEXEC = 3 | 0x80000;
    private static final int IPPROTO_RAW = 255;
    private static final int SOL_IP = 0;
    private static final int SOL_IPV6 = 41;
    private static final int GET_INFO = 64;

    private final Syscalls syscalls;
    private final Descriptor socket;
    private final int level;

    private LegacyTables(Syscalls syscalls, Descriptor socket, int level) {
        this.syscalls = syscalls;
        this.socket = socket;
        this.level = level;
    }

    /**
     * The sizes of a table. Tables of the same sizes may differ: a rule may be replaced by one of the same length.
     *
     * @param entries the number of rules, including the ends of chains
     * @param sizeBytes of all rules
     * @param hookEntries the offset of each built-in chain, in bytes. They change with the chains before them.
     */
    public record Shape(int entries, int sizeBytes, List<Integer> hookEntries) {
        /** {@code struct ipt_getinfo}: name, valid hooks, begin of each chain, its policy, entries, size. */
        static final int BYTES = 84;

        private static final int NAME_BYTES = 32;
        private static final int HOOK_ENTRIES_OFFSET = 36;
        private static final int HOOKS = 5;
        private static final int ENTRIES_OFFSET = 76;
        private static final int SIZE_OFFSET = 80;

        /** Reads the kernel's {@code struct ipt_getinfo}. */
        public static Shape parse(byte[] info) {
            ByteBuffer buffer = ByteBuffer.wrap(info).order(ByteOrder.nativeOrder());
            List<Integer> hookEntries = new ArrayList<>(HOOKS);
            for (int hook = 0; hook < HOOKS; hook++) {
                hookEntries.add(buffer.getInt(HOOK_ENTRIES_OFFSET + hook * Integer.BYTES));
            }
            return new Shape(buffer.getInt(ENTRIES_OFFSET), buffer.getInt(SIZE_OFFSET), List.copyOf(hookEntries));
        }

        /** The {@code struct ipt_getinfo} that asks for a table. A name is at most 31 bytes. */
        public static byte[] request(String table) {
            byte[] name = table.getBytes(StandardCharsets.UTF_8);
            if (name.length >= NAME_BYTES) {
                throw new IllegalArgumentException("table: \"" + table + "\" (expected: at most 31 bytes)");
            }
            return ByteBuffer.allocate(BYTES).put(name).array();
        }
    }

    /** Opens a raw socket in the network namespace of the calling thread. Needs CAP_NET_RAW. */
    public static LegacyTables open(Syscalls syscalls, IpFamily family) throws LinuxNetException {
        boolean ipv4 = family == IpFamily.IPV4;
        long result = syscalls.socket(ipv4 ? AF_INET : AF_INET6, SOCK_RAW_CLOEXEC, IPPROTO_RAW);
        int fd = Syscalls.orThrow("open raw " + family + " socket", result);
        return new LegacyTables(syscalls, new Descriptor(syscalls, fd), ipv4 ? SOL_IP : SOL_IPV6);
    }

    /**
     * The sizes of a table, such as {@code nat}; empty if the kernel has no such table.
     *
     * @throws LinuxNetException EPERM without CAP_NET_ADMIN, ENOPROTOOPT without legacy iptables in the kernel
     * @throws IllegalStateException if this is closed
     */
    public synchronized Optional<Shape> shape(String table) throws LinuxNetException {
        byte[] info = Shape.request(table);
        long result = syscalls.getOption(socket.number(), level, GET_INFO, info);
        if (result == -Errno.ENOENT.number()) {
            return Optional.empty();
        }
        int done = Syscalls.orThrow("read size of legacy table " + table, result);
        return done == 0 ? Optional.of(Shape.parse(info)) : Optional.empty();
    }

    @Override
    public synchronized void close() {
        socket.close();
    }
}
