package dev.nodepath.linux.link;

import dev.nodepath.linux.netlink.NetlinkSocket;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import java.util.HashMap;
import java.util.Map;

/** The kernel's counters of links, over a socket that stays in the namespace where it was opened. */
public final class KernelLinkCounters implements LinkCounters {
    private final NetlinkSocket socket;

    private KernelLinkCounters(NetlinkSocket socket) {
        this.socket = socket;
    }

    /** Opens a netlink socket in the network namespace of the calling thread. */
    public static KernelLinkCounters open(Syscalls syscalls) throws LinuxNetException {
        return new KernelLinkCounters(NetlinkSocket.open(syscalls, NetlinkSocket.ROUTE));
    }

    @Override
    public Map<Integer, LinkTraffic> read() throws LinuxNetException {
        Map<Integer, LinkTraffic> links = new HashMap<>();
        socket.stream(
                "read the counters of links",
                CounterMessages.list(),
                message -> CounterMessages.read(message).ifPresent(link -> links.put(link.index(), link)));
        return links;
    }

    @Override
    public void close() {
        socket.close();
    }
}
