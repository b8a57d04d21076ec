package dev.nodepath.linux.nftables;

import dev.nodepath.linux.netlink.NetlinkMessage;
import dev.nodepath.linux.netlink.NetlinkSocket;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The trace of packets in one network namespace. The kernel sends an event before the packet goes on, so all events of
 * an answered packet can be read without waiting.
 */
public final class PacketTrace implements AutoCloseable {
    /** The group that gets the trace ({@code NFNLGRP_NFTRACE} of {@code include/uapi/linux/netfilter/nfnetlink.h}). */
    private static final int GROUP = 9;

    private final NetlinkSocket socket;

    private PacketTrace(NetlinkSocket socket) {
        this.socket = socket;
    }

    /** Opens it in the namespace of the calling thread. */
    public static PacketTrace open(Syscalls syscalls) throws LinuxNetException {
        return new PacketTrace(NetlinkSocket.openGroups(syscalls, NetlinkSocket.NETFILTER, GROUP));
    }

    /**
     * The events that have come since the last question, in their order.
     *
     * @param max of them; later ones stay for the next question
     * @throws LinuxNetException ENOBUFS if some were lost
     */
    public List<TraceEvent> poll(int max) throws LinuxNetException {
        List<TraceEvent> events = new ArrayList<>();
        while (events.size() < max) {
            ByteBuffer datagram = socket.pollDatagram("read the trace of packets");
            if (!datagram.hasRemaining()) {
                return events;
            }
            for (NetlinkMessage message : NetlinkMessage.all(datagram)) {
                TraceMessages.read(message).ifPresent(events::add);
            }
        }
        return events;
    }

    @Override
    public void close() {
        socket.close();
    }
}
