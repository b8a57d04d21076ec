package dev.nodepath.proxy.iptables;

import dev.nodepath.linux.conntrack.PacketCounters;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.HashSet;
import java.util.OptionalLong;
import java.util.Set;

/** Counters that count nothing, of a kernel that may have none. */
final class FakePacketCounters implements PacketCounters {
    private final Set<String> names = new HashSet<>();
    private boolean failing;

    /** Whether the kernel has none. */
    void fail(boolean now) {
        failing = now;
    }

    @Override
    public void create(String name) throws LinuxNetException {
        if (failing) {
            throw new LinuxNetException("create packet counter " + name, Errno.EINVAL.number(), "");
        }
        names.add(name);
    }

    @Override
    public OptionalLong packets(String name) {
        return names.contains(name) ? OptionalLong.of(0) : OptionalLong.empty();
    }

    @Override
    public boolean isNamed(String name) {
        return false;
    }

    @Override
    public void delete(String name) {
        names.remove(name);
    }

    @Override
    public void close() {}
}
