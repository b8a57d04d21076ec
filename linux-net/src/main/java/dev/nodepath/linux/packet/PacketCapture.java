package dev.nodepath.linux.packet;

import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import jnr.ffi.Pointer;

/**
 * The first packets of connections on all links of one network namespace, in both directions: TCP packets with SYN,
 * and all UDP packets. A packet is in the queue before it is delivered, so the packets before an answer can be read
 * without waiting.
 */
public final class PacketCapture implements AutoCloseable {
    /** The queue. A packet takes about 1 KiB of it; at the limit further ones are lost and counted. */
    private static final int QUEUE_BYTES = 4 << 20;

    private static final int AF_PACKET = 17;
    /** Packets come from the network header on. */
    private static final int SOCK_DGRAM_CLOEXEC = 2 | 0x80000;
    /** {@code ETH_P_ALL}: with a single protocol, outgoing packets would not be seen. */
    private static final int EVERY_PROTOCOL = 0x0003;

    private static final int SOL_SOCKET = 1;
    private static final int SO_RCVBUF = 8;
    private static final int SO_ATTACH_FILTER = 26;
    private static final int SO_RCVBUFFORCE = 33;
    private static final int SO_TIMESTAMPNS = 35;
    private static final int SOL_PACKET = 263;
    private static final int PACKET_STATISTICS = 6;
    private static final int PACKET_OUTGOING = 4;

    /** {@code struct sockaddr_ll}, and where its fields are. */
    private static final int ADDRESS_BYTES = 20;

    private static final int ADDRESS_LINK = 4;
    private static final int ADDRESS_TYPE = 10;

    /** {@code struct cmsghdr} and behind it {@code struct timespec}. */
    private static final int CONTROL_BYTES = 64;

    private static final int CONTROL_TYPE = 12;
    private static final int CONTROL_SECONDS = 16;
    private static final int CONTROL_NANOS = 24;
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    /** Where it is in a TCP header. */
    private static final int TCP_SEQUENCE = 4;

    /** {@code struct msghdr} and {@code struct iovec} on 64-bit machines. */
    private static final int HEADER_BYTES = 56;

    private static final int VECTOR_BYTES = 16;

    private final Syscalls syscalls;
    private final int fd;
    private final Pointer address;
    private final Pointer packet;
    private final Pointer control;
    private final Pointer vector;
    private final Pointer header;
    private boolean closed;

    private PacketCapture(Syscalls syscalls, int fd) {
        this.syscalls = syscalls;
        this.fd = fd;
        this.address = syscalls.allocate(ADDRESS_BYTES);
        this.packet = syscalls.allocate(CaptureFilter.KEPT_BYTES);
        this.control = syscalls.allocate(CONTROL_BYTES);
        this.vector = syscalls.allocate(VECTOR_BYTES);
        this.header = syscalls.allocate(HEADER_BYTES);
    }

    /**
     * Opens it in the namespace of the calling thread; any thread may use it then.
     *
     * @throws LinuxNetException EPERM without CAP_NET_RAW
     */
    public static PacketCapture open(Syscalls syscalls) throws LinuxNetException {
        // Without a protocol nothing comes before the filter is there.
        int fd = Syscalls.orThrow(
                "open packet socket", syscalls.socket(AF_PACKET, SOCK_DGRAM_CLOEXEC, /* protocol= */ 0));
        PacketCapture capture = new PacketCapture(syscalls, fd);
        try {
            capture.begin();
            return capture;
        } catch (LinuxNetException e) {
            capture.close();
            throw e;
        }
    }

    private void begin() throws LinuxNetException {
        byte[] queue = bytes(4).putInt(QUEUE_BYTES).array();
        if (syscalls.setOption(fd, SOL_SOCKET, SO_RCVBUFFORCE, queue) < 0) {
            Syscalls.orThrow("set packet queue", syscalls.setOption(fd, SOL_SOCKET, SO_RCVBUF, queue));
        }
        byte[] on = bytes(4).putInt(1).array();
        Syscalls.orThrow("ask for times of packets", syscalls.setOption(fd, SOL_SOCKET, SO_TIMESTAMPNS, on));
        attach(CaptureFilter.program());
        Syscalls.orThrow("capture packets", syscalls.bind(fd, everyLink()));
    }

    private void attach(byte[] program) throws LinuxNetException {
        Pointer memory = syscalls.allocate(program.length);
        memory.put(0, program, 0, program.length);
        byte[] filter = bytes(16)
                .putShort((short) (program.length / CaptureFilter.INSTRUCTION_BYTES))
                .putLong(8, memory.address())
                .array();
        try {
            Syscalls.orThrow("filter packets", syscalls.setOption(fd, SOL_SOCKET, SO_ATTACH_FILTER, filter));
        } finally {
            // The option has the address alone.
            Reference.reachabilityFence(memory);
        }
    }

    private static byte[] everyLink() {
        byte[] address = bytes(ADDRESS_BYTES).putShort((short) AF_PACKET).array();
        ByteBuffer.wrap(address).putShort(2, (short) EVERY_PROTOCOL); // in network order
        return address;
    }

    /**
     * The packets that have come since the last question, in the order of their coming.
     *
     * @param max of them; later ones stay for the next question
     */
    public synchronized List<CapturedPacket> poll(int max) throws LinuxNetException {
        List<CapturedPacket> packets = new ArrayList<>();
        for (int i = 0; i < max && !closed; i++) {
            prepare();
            long length = syscalls.receiveMessageNow(fd, header);
            if (length == -Errno.EAGAIN.number()) {
                return packets;
            }
            read(Syscalls.orThrow("read captured packet", length)).ifPresent(packets::add);
        }
        return packets;
    }

    /** The number of packets lost since the last call because the queue was full. */
    public synchronized int lost() throws LinuxNetException {
        byte[] counts = new byte[8];
        Syscalls.orThrow("count lost packets", syscalls.getOption(fd, SOL_PACKET, PACKET_STATISTICS, counts));
        return ByteBuffer.wrap(counts).order(ByteOrder.nativeOrder()).getInt(4);
    }

    private void prepare() {
        vector.putLong(0, packet.address());
        vector.putLong(8, CaptureFilter.KEPT_BYTES);
        header.putLong(0, address.address());
        header.putInt(8, ADDRESS_BYTES);
        header.putLong(16, vector.address());
        header.putLong(24, 1);
        header.putLong(32, control.address());
        header.putLong(40, CONTROL_BYTES);
        header.putInt(48, 0);
        control.putInt(CONTROL_TYPE, 0);
    }

    private Optional<CapturedPacket> read(int length) {
        byte[] bytes = new byte[Math.min(length, CaptureFilter.KEPT_BYTES)];
        packet.get(0, bytes, 0, bytes.length);
        Optional<PacketHeader> outer = PacketHeader.read(bytes);
        boolean vxlan = outer.filter(PacketCapture::isVxlan).isPresent();
        byte[] own = vxlan ? inner(bytes) : bytes;
        return PacketHeader.read(own).map(header -> captured(header, sequence(header, own), vxlan));
    }

    private static boolean isVxlan(PacketHeader outer) {
        return outer.protocol() == CaptureFilter.UDP && outer.destinationPort() == CaptureFilter.VXLAN_PORT;
    }

    private static byte[] inner(byte[] bytes) {
        int start = PacketHeader.headerBytes(bytes) + CaptureFilter.VXLAN_BYTES;
        return start < bytes.length ? Arrays.copyOfRange(bytes, start, bytes.length) : new byte[0];
    }

    private static int sequence(PacketHeader header, byte[] packet) {
        int at = PacketHeader.headerBytes(packet) + TCP_SEQUENCE;
        return header.protocol() == CaptureFilter.TCP && packet.length >= at + 4
                ? ByteBuffer.wrap(packet).getInt(at)
                : 0;
    }

    private CapturedPacket captured(PacketHeader of, int sequence, boolean encapsulated) {
        long nanos = control.getInt(CONTROL_TYPE) == SO_TIMESTAMPNS
                ? control.getLong(CONTROL_SECONDS) * NANOS_PER_SECOND + control.getLong(CONTROL_NANOS)
                : 0;
        boolean outgoing = address.getByte(ADDRESS_TYPE) == PACKET_OUTGOING;
        return new CapturedPacket(address.getInt(ADDRESS_LINK), outgoing, nanos, of, sequence, encapsulated);
    }

    private static ByteBuffer bytes(int count) {
        return ByteBuffer.allocate(count).order(ByteOrder.nativeOrder());
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            syscalls.close(fd);
        }
    }
}
