package dev.nodepath.proxy.userspace.relay;

import dev.nodepath.linux.io.SendBatch;
import io.netty.buffer.ByteBuf;
import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.epoll.Native;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.NotYetConnectedException;
import org.jspecify.annotations.Nullable;

/**
 * One of the two sockets of a relayed connection. epoll reports its events edge-triggered, so this class remembers them
 * until a read or a write shows otherwise. Output is watched during the connect, and after the send buffer was full
 * once. All calls are made on one event loop.
 */
final class Side implements EpollIoHandle {
    /** {@code EPOLLPRI} of {@code include/uapi/linux/eventpoll.h}: there are urgent bytes. */
    private static final int EPOLLPRI = 2;

    private static final EpollIoOps INPUT_OPS =
            EpollIoOps.valueOf(Native.EPOLLIN | Native.EPOLLRDHUP | EPOLLPRI | Native.EPOLLET);

    private static final EpollIoOps ALL_OPS = INPUT_OPS.with(EpollIoOps.EPOLLOUT);

    private static final int INPUT = Native.EPOLLIN | Native.EPOLLRDHUP | Native.EPOLLERR | EPOLLPRI;
    private static final int OUTPUT = Native.EPOLLOUT | Native.EPOLLERR;

    /** After this many events with output, output is no longer watched, unless the send buffer was full. */
    private static final int OUTPUT_EVENTS_MAX = 4;

    /** What Netty's natives return at the end of a stream. */
    private static final int END = -1;

    private static final int NO_SLOT = -1;

    private final Socket socket;
    private final Owner owner;
    private final WaitingOutput waiting;
    private final RoundSends sends;
    private final BulkInput bulk = new BulkInput();
    private @Nullable IoRegistration registration;
    private Input input = Input.EMPTY;
    private Output output;
    private Watch outputWatch;
    private final Nagle nagle;

    /** All epoll events so far. A failure of a call counts as EPOLLERR. */
    private int events;

    private int outputEvents;

    /** The slot of the write that waits for the end of this round. */
    private int slot = NO_SLOT;

    private boolean closed;

    /** Our knowledge of the stream from the peer. */
    private enum Input {
        /** A read would bring nothing. The next edge changes that. */
        EMPTY,
        /** A read may bring something. */
        READABLE,
        /** The peer has ended its stream, or the connection has failed, and everything is read. */
        ENDED
    }

    /** Our knowledge of the stream to the peer. */
    private enum Output {
        /** The connection is not established, or the send buffer is full. */
        BLOCKED,
        /** A write may succeed. */
        WRITABLE,
        /** We have ended the stream. */
        ENDED
    }

    /** Whether epoll reports output. */
    private enum Watch {
        /** It does not. */
        OFF,
        /** It does since the connect. It stops after {@link #OUTPUT_EVENTS_MAX} events. */
        SINCE_CONNECT,
        /** It does for good, because the send buffer was full once. */
        ALWAYS
    }

    /** Gets the events of a side. */
    interface Owner {
        /** The side may be readable or writable, or has failed, or a write at the end of a round was made. */
        void ready(Side side);

        /** This process cannot serve the connection any more. */
        void breakDown(Throwable cause);
    }

    private Side(Socket socket, Owner owner, WaitingBytes room, RoundSends sends, boolean connected) {
        this.socket = socket;
        this.owner = owner;
        this.waiting = new WaitingOutput(room);
        this.sends = sends;
        this.output = connected ? Output.WRITABLE : Output.BLOCKED;
        this.outputWatch = connected ? Watch.OFF : Watch.SINCE_CONNECT;
        this.nagle = new Nagle(connected);
    }

    static Side accepted(Socket socket, Owner owner, WaitingBytes room, RoundSends sends) {
        return new Side(socket, owner, room, sends, true);
    }

    /** The side of a socket that is connecting. {@link #connected} says when it is established. */
    static Side connecting(Socket socket, Owner owner, WaitingBytes room, RoundSends sends) {
        return new Side(socket, owner, room, sends, false);
    }

    Socket socket() {
        return socket;
    }

    @Override
    public FileDescriptor fd() {
        return socket;
    }

    /** Starts the events. The owner gets them from now on. */
    void registered(IoRegistration registration) {
        this.registration = registration;
        registration.submit(ops());
    }

    private EpollIoOps ops() {
        return outputWatch == Watch.OFF ? INPUT_OPS : ALL_OPS;
    }

    /** Whether epoll reported the connection as established. It reports a failure with other events than output. */
    boolean isConnected() {
        return output == Output.WRITABLE && !drains();
    }

    /** The connection is established. */
    void connected() {
        output = Output.WRITABLE;
    }

    /**
     * Changes what epoll reports. Netty keeps one object for events of input alone, and allocates one for each event
     * with output. A short connection saves the system call of this method.
     */
    private void watchOutput(Watch watch) {
        boolean changes = (outputWatch == Watch.OFF) != (watch == Watch.OFF);
        outputWatch = watch;
        if (registration != null && changes) {
            registration.submit(ops());
        }
    }

    @Override
    public void handle(IoRegistration registration, IoEvent event) {
        if (closed) {
            return;
        }
        int now = ((EpollIoEvent) event).ops().value();
        events |= now;
        if ((now & INPUT) != 0) {
            expectInput();
        }
        if ((now & OUTPUT) != 0 && output == Output.BLOCKED) {
            output = Output.WRITABLE;
        }
        owner.ready(this);
        if (outputWatch == Watch.SINCE_CONNECT
                && output != Output.BLOCKED
                && !closed
                && ++outputEvents > OUTPUT_EVENTS_MAX) {
            watchOutput(Watch.OFF);
        }
    }

    /** Whether epoll has reported one of these events. */
    private boolean has(int event) {
        return (events & event) != 0;
    }

    /** Whether more may follow a short read: an end, an error, or bytes behind an urgent one. */
    private boolean drains() {
        return has(~(Native.EPOLLIN | Native.EPOLLOUT));
    }

    /** Whether reading may bring something. */
    boolean readable() {
        return input == Input.READABLE;
    }

    /** Whether the peer has ended its stream, and we have read all of it. */
    boolean inputEnded() {
        return input == Input.ENDED;
    }

    /** Whether we have ended our stream to the peer. */
    boolean outputEnded() {
        return output == Output.ENDED;
    }

    /** Whether the connection has failed. Bytes from before the failure may still be there to read. */
    boolean failed() {
        return has(Native.EPOLLERR);
    }

    /** Whether bytes wait for room in the send buffer, or for the end of the round. */
    boolean isWaiting() {
        return slot != NO_SLOT || !waiting.isEmpty();
    }

    /** Whether so much comes in that a pipe costs less than copies. Urgent bytes cannot go through a pipe. */
    boolean isBulk() {
        return bulk.isBulk() && !has(EPOLLPRI);
    }

    /** Both streams have ended. */
    boolean isDone() {
        return inputEnded() && outputEnded();
    }

    /**
     * Reads once, into a direct buffer from its beginning.
     *
     * @return the number of bytes; 0 if there is nothing now, or if the stream has ended: see {@link #inputEnded}
     */
    int read(ByteBuffer buffer) {
        int capacity = buffer.capacity();
        int count;
        try {
            count = socket.recv(buffer, 0, capacity);
        } catch (IOException | NotYetConnectedException e) {
            fail();
            count = END;
        }
        if (count == END) {
            input = Input.ENDED;
            return 0;
        }
        if (count < capacity && has(Native.EPOLLRDHUP) && !has(EPOLLPRI) && !failed()) {
            // epoll reports the end when all bytes before it are there. This read took the last of them.
            input = Input.ENDED;
        } else if (count == 0 || (count < capacity && !drains())) {
            // Another edge reports more.
            input = Input.EMPTY;
        }
        bulk.read(count, capacity);
        return count;
    }

    /**
     * Reads once, into an empty pipe.
     *
     * @return the number of bytes; 0 if a read into a buffer has to find the reason
     */
    int read(Pipe pipe) {
        int count;
        try {
            count = pipe.fill(socket);
        } catch (IOException | NotYetConnectedException e) {
            // The kernel reports an error only once. A read would see a clean end now.
            fail();
            return 0;
        }
        bulk.filled(count);
        return count;
    }

    /**
     * Writes the first bytes of a direct buffer, and keeps the bytes that the kernel does not take. Nothing may be
     * waiting.
     *
     * @return false if there is no room to keep them: they are lost, and the connection must end
     */
    boolean write(ByteBuffer buffer, int count) {
        if (writeAtEndOfRound(buffer, count)) {
            return true;
        }
        int written = send(buffer, 0, count);
        int left = count - written;
        return left == 0 || failed() || waiting.keep(buffer.slice(written, left));
    }

    /** Leaves a small write to the end of the round. Returns whether that is possible. */
    private boolean writeAtEndOfRound(ByteBuffer buffer, int count) {
        if (output != Output.WRITABLE || !sends.takes(count) || !waiting.reserve(count)) {
            return false;
        }
        nagle.beforeWrite(socket);
        slot = sends.add(this, buffer, count);
        return true;
    }

    /** Gets the result of such a write. The owner goes on, and writes what is left. */
    void sent(SendBatch batch, int sentSlot) {
        waiting.giveBack(batch.length(sentSlot));
        if (closed) {
            return;
        }
        slot = NO_SLOT;
        int taken = batch.taken(sentSlot);
        try {
            if (taken < batch.length(sentSlot) && !failed()) {
                // There is room: the rest is no longer than the reservation just given back.
                waiting.keep(batch.content(sentSlot, taken));
            }
            owner.ready(this);
        } catch (Throwable e) {
            owner.breakDown(e);
        }
    }

    /**
     * Writes the bytes of a pipe, and keeps the pipe if the kernel does not take all of them. Nothing may be waiting.
     */
    void write(Pipe pipe) {
        waiting.keep(pipe);
        flushPipe();
    }

    private void flushPipe() {
        Pipe pipe = waiting.pipe();
        if (pipe == null || output != Output.WRITABLE) {
            return;
        }
        try {
            pipe.drain(socket);
        } catch (IOException | NotYetConnectedException e) {
            fail();
            return;
        }
        if (pipe.isEmpty()) {
            waiting.drop();
        } else {
            awaitRoom();
        }
    }

    private void awaitRoom() {
        output = Output.BLOCKED;
        watchOutput(Watch.ALWAYS);
    }

    /** Writes the waiting bytes. Returns whether none are left. */
    boolean flush() {
        flushPipe();
        ByteBuf bytes = waiting.copied();
        if (bytes != null && output == Output.WRITABLE) {
            ByteBuffer view = bytes.internalNioBuffer(bytes.readerIndex(), bytes.readableBytes());
            int sent = send(view, view.position(), view.limit());
            // A failed write has dropped them already.
            if (!failed() && bytes.skipBytes(sent).readableBytes() == 0) {
                waiting.drop();
            }
        }
        return !isWaiting();
    }

    private int send(ByteBuffer buffer, int from, int to) {
        nagle.beforeWrite(socket);
        int at = from;
        while (at < to && !failed()) {
            int sent;
            try {
                sent = socket.send(buffer, at, to);
            } catch (IOException | NotYetConnectedException e) {
                fail();
                break;
            }
            if (sent == 0) {
                awaitRoom();
                break;
            }
            at += sent;
        }
        return at - from;
    }

    /** Nothing can be sent any more. Earlier bytes are to be read now, up to the end or the error. */
    private void fail() {
        events |= Native.EPOLLERR;
        expectInput();
        waiting.drop();
    }

    /** Makes the next read happen, even before epoll has reported anything. */
    void expectInput() {
        if (input == Input.EMPTY) {
            input = Input.READABLE;
        }
    }

    /**
     * Ends our stream to the peer.
     *
     * @param last whether {@link #close} follows at once; if the peer has ended its stream too, the shutdown is left
     *     out
     */
    void endOutput(boolean last) {
        output = Output.ENDED;
        if (!inputEnded() || !last) {
            try {
                socket.shutdown(false, true);
            } catch (IOException | NotYetConnectedException e) {
                // A reset connection answers ENOTCONN. Netty calls that "not yet connected".
                fail();
            }
        }
    }

    /** Stops all calls of the owner, and frees the memory. */
    void mute() {
        closed = true;
        waiting.drop();
        if (slot != NO_SLOT) {
            sends.cancel(slot);
            slot = NO_SLOT;
        }
    }

    @Override
    public void close() {
        mute();
        try {
            socket.close();
        } catch (IOException e) {
            // The descriptor is closed in any case.
        }
        if (registration != null) {
            RelayLoop.forget(registration);
        }
    }
}
