package dev.nodepath.linux.netlink;

import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import jnr.ffi.Pointer;

/**
 * A netlink socket ({@code netlink(7)}). It stays in the namespace of the thread that opened it. Any thread may use it,
 * one request at a time.
 */
public final class NetlinkSocket implements AutoCloseable {
    /** The kernel sends dumps in datagrams of up to 32 KiB if the buffer is large enough. */
    static final int RECEIVE_BUFFER_BYTES = 64 * 1024;

    /** The time limit for one datagram of a reply. */
    static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(30);

    /** The most repetitions of a dump that changed while it was read. */
    static final int DUMP_ATTEMPTS_MAX = 20;

    /** The most requests in one batch. Their replies must fit the socket's queue. */
    public static final int BATCH_MAX = 128;

    /** Links, addresses and routes ({@code rtnetlink(7)}). */
    public static final int ROUTE = 0;

    /** The parts of netfilter, conntrack among them. */
    public static final int NETFILTER = 12;

    private static final int AF_NETLINK = 16;
    private static final int SOCK_RAW_CLOEXEC = 3 | 0x80000;
    private static final int SOL_SOCKET = 1;
    private static final int SO_SNDBUF = 7;
    private static final int SO_RCVTIMEO = 20;
    private static final int SO_RCVBUF = 8;
    private static final int SO_SNDBUFFORCE = 32;
    private static final int SO_RCVBUFFORCE = 33;
    /**
     * The queue of notifications, which takes memory only while it is filled. One transaction of nf_tables may
     * announce a hundred thousand elements.
     */
    private static final int NOTIFICATION_BYTES_MAX = 32 << 20;

    /** {@code netlink_sendmsg} of the kernel refuses a datagram longer than the send buffer less 32 bytes. */
    private static final int SEND_OVERHEAD_BYTES = 32;

    /** No node's setting makes a send buffer smaller than this ({@code SOCK_MIN_SNDBUF}). */
    private static final int SEND_BYTES_MIN = 4096;

    /** The queue of the replies to a batch. One reply takes less than 2 KiB of it. */
    private static final int BATCH_REPLIES_BYTES = BATCH_MAX * 2048;

    private static final int SOL_NETLINK = 270;
    private static final int NETLINK_ADD_MEMBERSHIP = 1;
    private static final int NETLINK_CAP_ACK = 10;
    private static final int NETLINK_EXT_ACK = 11;
    private static final int NETLINK_GET_STRICT_CHK = 12;
    private static final int ADDRESS_BYTES = 12;
    /** {@code nlmsg_pid} in a message. */
    private static final int PORT_OFFSET = 12;
    /** {@code struct sockaddr_nl} of the kernel: port ID 0, no groups. */
    private static final byte[] KERNEL =
            nativeBytes(ADDRESS_BYTES).putShort((short) AF_NETLINK).array();

    /** Opens a socket, in the namespace that its maker has chosen. */
    public interface Opener {
        /** Opens it; the caller closes it. */
        NetlinkSocket open() throws LinuxNetException;
    }

    private final Syscalls syscalls;
    private final int fd;
    private final Pointer buffer;
    private final Pointer sender;
    private final Pointer senderLength;
    private int sequence;
    private int sendMax = SEND_BYTES_MIN;
    private int queueBytes;
    private int port;
    private boolean closed;
    /** Whether a request has not had its whole answer. */
    private boolean waiting;

    private NetlinkSocket(Syscalls syscalls, int fd) {
        this.syscalls = syscalls;
        this.fd = fd;
        this.buffer = syscalls.allocate(RECEIVE_BUFFER_BYTES);
        this.sender = syscalls.allocate(ADDRESS_BYTES);
        this.senderLength = syscalls.allocate(Integer.BYTES);
    }

    /** Takes over the open socket of another. */
    private NetlinkSocket(NetlinkSocket other) {
        this.syscalls = other.syscalls;
        this.fd = other.fd;
        this.buffer = other.buffer;
        this.sender = other.sender;
        this.senderLength = other.senderLength;
        this.sequence = other.sequence;
        this.sendMax = other.sendMax;
        this.queueBytes = other.queueBytes;
        this.port = other.port;
    }

    /** Opens a socket to one part of the kernel, such as {@link #ROUTE}, in the namespace of the calling thread. */
    public static NetlinkSocket open(Syscalls syscalls, int protocol) throws LinuxNetException {
        int fd = Syscalls.orThrow("open netlink socket", syscalls.socket(AF_NETLINK, SOCK_RAW_CLOEXEC, protocol));
        NetlinkSocket socket = new NetlinkSocket(syscalls, fd);
        try {
            socket.prepare();
            return socket;
        } catch (LinuxNetException e) {
            socket.close();
            throw e;
        }
    }

    /** Opens a socket that also receives the notifications of these groups, in the namespace of the calling thread. */
    public static NetlinkSocket openGroups(Syscalls syscalls, int protocol, int... groups) throws LinuxNetException {
        NetlinkSocket socket = open(syscalls, protocol);
        try {
            socket.enlargeQueue(NOTIFICATION_BYTES_MAX);
            for (int group : groups) {
                byte[] number = nativeBytes(4).putInt(group).array();
                Syscalls.orThrow(
                        "join netlink group " + group,
                        syscalls.setOption(socket.fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, number));
            }
            return socket;
        } catch (LinuxNetException e) {
            socket.close();
            throw e;
        }
    }

    /** Without CAP_NET_ADMIN in the first user namespace the limit is {@code net.core.rmem_max}. */
    private void enlargeQueue(int bytes) throws LinuxNetException {
        if (bytes > queueBytes) {
            byte[] wanted = nativeBytes(4).putInt(bytes).array();
            if (syscalls.setOption(fd, SOL_SOCKET, SO_RCVBUFFORCE, wanted) < 0) {
                Syscalls.orThrow("set netlink receive buffer", syscalls.setOption(fd, SOL_SOCKET, SO_RCVBUF, wanted));
            }
            queueBytes = bytes;
        }
    }

    private void send(String operation, byte[] datagram) throws LinuxNetException {
        makeRoom(datagram.length);
        waiting = true;
        Syscalls.orThrow(operation, syscalls.send(fd, datagram, KERNEL));
    }

    private void prepare() throws LinuxNetException {
        setTimeout(ANSWER_TIMEOUT);
        Syscalls.orThrow("bind netlink socket", syscalls.bind(fd, KERNEL));
        // An older kernel without one of these options sends less precise errors.
        byte[] on = nativeBytes(4).putInt(1).array();
        syscalls.setOption(fd, SOL_NETLINK, NETLINK_CAP_ACK, on);
        syscalls.setOption(fd, SOL_NETLINK, NETLINK_EXT_ACK, on);
        syscalls.setOption(fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, on);
    }

    /**
     * Sends a request and waits for the whole reply. It repeats a dump that changed meanwhile.
     *
     * @param operation the words for an error message
     * @throws LinuxNetException if the kernel refused the request; EAGAIN if there was no answer in {@link
     *     #ANSWER_TIMEOUT} or the list kept changing; ENOBUFS if the answer to a change was lost
     * @throws IllegalStateException if the socket is closed
     */
    public synchronized List<NetlinkMessage> exchange(String operation, NetlinkRequest request)
            throws LinuxNetException {
        checkOpen(operation);
        boolean dump = request.isDump();
        for (int attempt = 1; attempt <= DUMP_ATTEMPTS_MAX; attempt++) {
            NetlinkReply reply = new NetlinkReply(++sequence, request.isQuestion());
            send(operation, request.toBytes(sequence));
            receive(operation, reply, dump);
            if (!dump || !reply.isInterrupted()) {
                return reply.orThrow(operation);
            }
        }
        throw new LinuxNetException(
                operation, Errno.EAGAIN.number(), "changed during each of " + DUMP_ATTEMPTS_MAX + " readings");
    }

    /**
     * Streams a dump that is too long to keep. It does not repeat a dump that changed meanwhile, so entries may be
     * missing or duplicate.
     *
     * @throws LinuxNetException as {@link #exchange}
     */
    public synchronized void stream(String operation, NetlinkRequest dump, Consumer<NetlinkMessage> consumer)
            throws LinuxNetException {
        checkOpen(operation);
        NetlinkReply reply = new NetlinkReply(++sequence, consumer);
        send(operation, dump.toBytes(sequence));
        receive(operation, reply, true);
        List<NetlinkMessage> none = reply.orThrow(operation);
        assert none.isEmpty();
    }

    /**
     * Sends acknowledged requests in one batch. The kernel handles each one independently.
     *
     * @param requests at most {@link #BATCH_MAX}
     * @return for each request the error number, 0 if it was done
     * @throws LinuxNetException if replies were lost or late. It is unknown then which requests succeeded.
     */
    public synchronized List<Integer> batch(String operation, List<NetlinkRequest> requests) throws LinuxNetException {
        checkOpen(operation);
        List<NetlinkReply> replies = new ArrayList<>();
        ByteArrayOutputStream datagram = new ByteArrayOutputStream();
        for (NetlinkRequest request : requests) {
            replies.add(new NetlinkReply(++sequence));
            datagram.writeBytes(request.toBytes(sequence));
        }
        enlargeQueue(BATCH_REPLIES_BYTES);
        send(operation, datagram.toByteArray());
        List<Integer> errors = new ArrayList<>();
        for (NetlinkReply reply : replies) {
            // The kernel works in order, and sends each acknowledgement in its own datagram.
            receive(operation, reply, false);
            errors.add(reply.errorNumber());
        }
        return errors;
    }

    /**
     * Sends messages that the kernel takes together or not at all. One of them asks for an acknowledgement.
     *
     * @return the messages that the kernel refused, with their numbers in the transaction; none if it took all
     * @throws LinuxNetException EMSGSIZE if the transaction is larger than the send buffer; EAGAIN if there was no
     *     answer in {@link #ANSWER_TIMEOUT}; ENOBUFS if the answer was lost
     */
    public synchronized List<NetlinkRefusal> transact(String operation, NetlinkTransaction transaction)
            throws LinuxNetException {
        checkOpen(operation);
        int first = sequence + 1;
        sequence += transaction.messages();
        send(operation, transaction.toBytes(first));
        NetlinkTransactionReply reply = new NetlinkTransactionReply(first, transaction.acknowledged());
        try {
            while (!reply.isComplete()) {
                reply.accept(next(operation));
            }
        } catch (LinuxNetException e) {
            if (e.errno() != Errno.ENOBUFS) {
                throw e;
            }
            // The kernel reports the overflow first. Refusals that were lost follow from those in the queue.
            for (ByteBuffer queued = pollDatagram(operation); queued.hasRemaining(); queued = pollDatagram(operation)) {
                reply.accept(queued);
            }
            if (reply.refusals().isEmpty()) {
                throw e;
            }
        }
        return reply.refusals();
    }

    /**
     * The largest transaction, in bytes. A process with CAP_NET_ADMIN in the first user namespace has no limit but
     * memory. Any other is limited by {@code net.core.wmem_max}.
     */
    public synchronized int transactionBytesMax() throws LinuxNetException {
        return makeRoom(Integer.MAX_VALUE / 4);
    }

    /** Enlarges the send buffer, and returns the largest datagram that it takes. */
    private int makeRoom(int bytes) throws LinuxNetException {
        if (bytes > sendMax) {
            // The kernel doubles the value, and counts the bookkeeping of the datagram too.
            byte[] wanted = nativeBytes(4).putInt(bytes).array();
            if (syscalls.setOption(fd, SOL_SOCKET, SO_SNDBUFFORCE, wanted) < 0) {
                Syscalls.orThrow("set netlink send buffer", syscalls.setOption(fd, SOL_SOCKET, SO_SNDBUF, wanted));
            }
            byte[] real = new byte[4];
            Syscalls.orThrow("read netlink send buffer", syscalls.getOption(fd, SOL_SOCKET, SO_SNDBUF, real));
            sendMax = ByteBuffer.wrap(real).order(ByteOrder.nativeOrder()).getInt() - SEND_OVERHEAD_BYTES;
        }
        return sendMax;
    }

    private ByteBuffer next(String operation) throws LinuxNetException {
        while (true) {
            senderLength.putInt(0, ADDRESS_BYTES);
            long length = syscalls.receive(fd, buffer, RECEIVE_BUFFER_BYTES, sender, senderLength);
            if (length == -Errno.EINTR.number()) {
                continue;
            }
            ByteBuffer datagram = datagram(operation, Syscalls.orThrow(operation, length));
            if (isFromKernel()) {
                return datagram;
            }
        }
    }

    /**
     * Waits for a notification.
     *
     * @return the datagram, or an empty one after the timeout
     * @throws LinuxNetException ENOBUFS if some were lost
     */
    public synchronized ByteBuffer awaitDatagram(String operation, Duration limit) throws LinuxNetException {
        checkOpen(operation);
        setTimeout(limit);
        senderLength.putInt(0, ADDRESS_BYTES);
        long length = syscalls.receive(fd, buffer, RECEIVE_BUFFER_BYTES, sender, senderLength);
        if (length == -Errno.EAGAIN.number() || length == -Errno.EINTR.number()) {
            return ByteBuffer.allocate(0);
        }
        ByteBuffer datagram = datagram(operation, Syscalls.orThrow(operation, length));
        return isFromKernel() ? datagram : ByteBuffer.allocate(0);
    }

    /**
     * The next notification, without waiting for one.
     *
     * @return the datagram, or an empty one if there is none
     * @throws LinuxNetException ENOBUFS if some were lost
     */
    public synchronized ByteBuffer pollDatagram(String operation) throws LinuxNetException {
        checkOpen(operation);
        while (true) {
            senderLength.putInt(0, ADDRESS_BYTES);
            long length = syscalls.receiveNow(fd, buffer, RECEIVE_BUFFER_BYTES, sender, senderLength);
            if (length == -Errno.EAGAIN.number()) {
                return ByteBuffer.allocate(0);
            }
            ByteBuffer datagram = datagram(operation, Syscalls.orThrow(operation, length));
            if (isFromKernel()) {
                return datagram;
            }
        }
    }

    private void setTimeout(Duration limit) throws LinuxNetException {
        long micros = Math.max(1, limit.toNanosPart() / 1000L);
        byte[] timeout =
                nativeBytes(16).putLong(limit.toSeconds()).putLong(micros).array();
        Syscalls.orThrow("set netlink timeout", syscalls.setOption(fd, SOL_SOCKET, SO_RCVTIMEO, timeout));
    }

    private void checkOpen(String operation) {
        if (closed) {
            throw new IllegalStateException(operation + ": the network namespace handle is closed");
        }
    }

    /** Receives until the reply is complete. It reads a dump to its end even if parts were lost. */
    private void receive(String operation, NetlinkReply reply, boolean dump) throws LinuxNetException {
        waiting = true;
        while (!reply.isComplete()) {
            senderLength.putInt(0, ADDRESS_BYTES);
            long length = syscalls.receive(fd, buffer, RECEIVE_BUFFER_BYTES, sender, senderLength);
            if (length == -Errno.EINTR.number()) {
                continue;
            }
            if (length == -Errno.ENOBUFS.number() && dump) {
                reply.interrupt();
                continue;
            }
            if (length == -Errno.EAGAIN.number()) {
                throw new LinuxNetException(
                        operation, Errno.EAGAIN.number(), "no answer in " + ANSWER_TIMEOUT.toSeconds() + " s");
            }
            accept(operation, reply, Syscalls.orThrow(operation, length));
        }
        waiting = false;
    }

    private void accept(String operation, NetlinkReply reply, int length) throws LinuxNetException {
        ByteBuffer datagram = datagram(operation, length);
        if (isFromKernel()) {
            reply.accept(datagram);
        }
    }

    private boolean isFromKernel() {
        return senderLength.getInt(0) == ADDRESS_BYTES && sender.getInt(4) == 0;
    }

    /** The port ID of the socket, which the kernel names in announcements of its changes; 0 before the first answer. */
    public synchronized int port() {
        return port;
    }

    private ByteBuffer datagram(String operation, int length) throws LinuxNetException {
        if (length > RECEIVE_BUFFER_BYTES) {
            throw new LinuxNetException(
                    operation,
                    Errno.EIO.number(),
                    "answer of " + length + " bytes (limit: " + RECEIVE_BUFFER_BYTES + ")");
        }
        byte[] datagram = new byte[length];
        buffer.get(0, datagram, 0, length);
        if (length >= PORT_OFFSET + Integer.BYTES) {
            port = buffer.getInt(PORT_OFFSET);
        }
        return ByteBuffer.wrap(datagram);
    }

    /**
     * Closes this handle, and returns another one of the same socket. Empty if an answer is still to come: then the
     * socket is closed too.
     */
    synchronized Optional<NetlinkSocket> passOn() {
        if (closed || waiting) {
            close();
            return Optional.empty();
        }
        closed = true;
        return Optional.of(new NetlinkSocket(this));
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            syscalls.close(fd);
        }
    }

    private static ByteBuffer nativeBytes(int size) {
        return ByteBuffer.allocate(size).order(ByteOrder.nativeOrder());
    }
}
