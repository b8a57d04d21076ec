package dev.nodepath.linux.conntrack;

import dev.nodepath.linux.netlink.NetlinkMessage;
import dev.nodepath.linux.netlink.NetlinkSocket;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import java.util.Optional;
import java.util.OptionalLong;

/** The kernel's packet counters, over a socket that stays in the namespace where it was opened. */
public final class KernelPacketCounters implements PacketCounters {
    private final NetlinkSocket socket;

    private KernelPacketCounters(NetlinkSocket socket) {
        this.socket = socket;
    }

    /** Opens a netlink socket in the network namespace of the calling thread. */
    public static KernelPacketCounters open(Syscalls syscalls) throws LinuxNetException {
        return new KernelPacketCounters(NetlinkSocket.open(syscalls, NetlinkSocket.NETFILTER));
    }

    @Override
    public void create(String name) throws LinuxNetException {
        try {
            socket.exchange("create packet counter " + name, PacketCounterMessages.create(name));
        } catch (LinuxNetException e) {
            if (!e.isExists()) {
                throw e;
            }
        }
    }

    @Override
    public OptionalLong packets(String name) throws LinuxNetException {
        Optional<NetlinkMessage> counter = find(name);
        return counter.isPresent() ? PacketCounterMessages.packets(counter.get()) : OptionalLong.empty();
    }

    @Override
    public boolean isNamed(String name) throws LinuxNetException {
        return find(name).filter(PacketCounterMessages::isNamed).isPresent();
    }

    private Optional<NetlinkMessage> find(String name) throws LinuxNetException {
        try {
            return socket.exchange("read packet counter " + name, PacketCounterMessages.get(name)).stream()
                    .findFirst();
        } catch (LinuxNetException e) {
            if (e.isMissing()) {
                return Optional.empty();
            }
            throw e;
        }
    }

    @Override
    public void delete(String name) throws LinuxNetException {
        try {
            socket.exchange("delete packet counter " + name, PacketCounterMessages.delete(name));
        } catch (LinuxNetException e) {
            if (!e.isMissing()) {
                throw e;
            }
        }
    }

    @Override
    public void close() {
        socket.close();
    }
}
