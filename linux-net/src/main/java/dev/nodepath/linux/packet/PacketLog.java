package dev.nodepath.linux.packet;

import dev.nodepath.linux.netlink.NetlinkMessage;
import dev.nodepath.linux.netlink.NetlinkRequest;
import dev.nodepath.linux.netlink.NetlinkSocket;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The packets of one network namespace that rules report to a group ({@code log group}). A group has one listener.
 * Packets that arrive while the socket's queue is full are lost.
 */
public final class PacketLog implements AutoCloseable {
    /** {@code NFNL_SUBSYS_ULOG} of {@code include/uapi/linux/netfilter/nfnetlink.h}. */
    private static final int SUBSYSTEM = 4;

    private static final int PACKET = SUBSYSTEM << 8;
    private static final int CONFIG = SUBSYSTEM << 8 | 1;

    /** {@code enum nfulnl_attr_config} of {@code include/uapi/linux/netfilter/nfnetlink_log.h}. */
    private static final int COMMAND = 1;

    private static final int MODE = 2;
    private static final int PACKETS_PER_MESSAGE = 5;

    private static final byte[] BIND = {1};
    private static final byte COPY_PACKET = 2;

    /** IP and transport headers, also with options. */
    private static final int COPIED_BYTES = 128;

    private static final int FAMILY_HEADER_BYTES = 4;
    private static final int PAYLOAD = 9;

    private final NetlinkSocket socket;

    private PacketLog(NetlinkSocket socket) {
        this.socket = socket;
    }

    /**
     * Listens in the namespace of the calling thread.
     *
     * @throws LinuxNetException EBUSY if the group has a listener
     */
    public static PacketLog open(Syscalls syscalls, int group) throws LinuxNetException {
        NetlinkSocket socket = NetlinkSocket.open(syscalls, NetlinkSocket.NETFILTER);
        try {
            socket.exchange("listen to packet log group " + group, bind(group));
            return new PacketLog(socket);
        } catch (LinuxNetException e) {
            socket.close();
            throw e;
        }
    }

    private static NetlinkRequest bind(int group) {
        return NetlinkRequest.acknowledged(CONFIG, 0)
                .putByte(0)
                .putByte(0)
                .putByte(group >> 8)
                .putByte(group)
                .attribute(COMMAND, BIND)
                .attribute(
                        MODE,
                        ByteBuffer.allocate(6)
                                .putInt(COPIED_BYTES)
                                .put(COPY_PACKET)
                                .array())
                .attribute(
                        PACKETS_PER_MESSAGE,
                        ByteBuffer.allocate(Integer.BYTES).putInt(1).array());
    }

    /**
     * The packets that have come since the last question, in their order.
     *
     * @param max of them; later ones stay for the next question
     */
    public List<PacketHeader> poll(int max) throws LinuxNetException {
        List<PacketHeader> packets = new ArrayList<>();
        while (packets.size() < max) {
            try {
                ByteBuffer datagram = socket.pollDatagram("read the packet log");
                if (!datagram.hasRemaining()) {
                    return packets;
                }
                NetlinkMessage.all(datagram).forEach(message -> read(message, packets));
            } catch (LinuxNetException e) {
                if (e.errno() != Errno.ENOBUFS) {
                    throw e;
                }
            }
        }
        return packets;
    }

    private static void read(NetlinkMessage message, List<PacketHeader> packets) {
        byte[] payload = message.type() == PACKET
                ? message.attributes(FAMILY_HEADER_BYTES).bytes(PAYLOAD)
                : null;
        if (payload != null) {
            PacketHeader.read(payload).ifPresent(packets::add);
        }
    }

    @Override
    public void close() {
        socket.close();
    }
}
