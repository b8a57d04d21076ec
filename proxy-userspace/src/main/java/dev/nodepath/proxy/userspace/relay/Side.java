package dev.nodepath.proxy.userspace.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
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
 * One of the two sockets of a connection. It is registered with epoll edge-triggered, for output only from the moment that
 * the kernel has once taken less than it was given: what it last told is remembered here until a read or a write says
 * otherwise.
 */
final class Side implements EpollIoHandle {
    /** {@code EPOLLPRI} of {@code include/uapi/linux/eventpoll.h}: there are urgent bytes. */
    private static final int EPOLLPRI = 2;

    private static final EpollIoOps INPUT_OPS =
            EpollIoOps.valueOf(Native.EPOLLIN | Native.EPOLLRDHUP | EPOLLPRI | Native.EPOLLET);

    private static final EpollIoOps ALL_OPS = INPUT_OPS.with(EpollIoOps.EPOLLOUT);

    private static final int INPUT = Native.EPOLLIN | Native.EPOLLRDHUP | Native.EPOLLERR | EPOLLPRI;
    private static final int OUTPUT = Native.EPOLLOUT | Native.EPOLLERR;

    /** Events with output after which it is no more watched, if the kernel takes all. */
    private static final int OUTPUT_TOLD_MAX = 4;

    /** Of {@code include/uapi/linux/in.h} and {@code tcp.h}. */
    private static final int IPPROTO_TCP = 6;

    private static final int TCP_CORK = 3;
    private static final int TCP_QUICKACK = 12;

    /** What Netty's natives return at the end of a stream. */
    private static final int END = -1;

    private final Socket socket;
    private final Owner owner;
    private final WaitingBytes room;
    private @Nullable IoRegistration registration;

    /** What waits to be written here; null if nothing does. */
    private @Nullable ByteBuf waiting;

    private boolean readable;
    private boolean writable;
    private boolean outputWatched;
    private boolean outputNeeded;

    /** Whether TCP_NODELAY is not set; accepted sockets inherit it. */
    private boolean sendsLater;

    private boolean hasSent;
    private int outputTold;

    /** Whether the other end has ended its stream, as epoll tells when all that it sent before can be read. */
    private boolean hungUp;

    private boolean urgent;

    /** Whether a short read may be followed by more: an end, an error, or bytes behind an urgent one. */
    private boolean drains;

    private boolean inputEnded;
    private boolean outputEnded;
    private boolean failed;
    private boolean closed;

    /** Who is told that something has become possible. */
    interface Owner {
        /** The side can be read from or written to, or has failed. */
        void ready(Side side);
    }

    private Side(Socket socket, Owner owner, WaitingBytes room, boolean connected) {
        this.socket = socket;
        this.owner = owner;
        this.room = room;
        this.writable = connected;
        this.outputWatched = !connected;
        this.sendsLater = !connected;
    }

    static Side accepted(Socket socket, Owner owner, WaitingBytes room) {
        return new Side(socket, owner, room, true);
    }

    /** A socket whose connection is under way; {@link #connected} ends that. */
    static Side connecting(Socket socket, Owner owner, WaitingBytes room) {
        return new Side(socket, owner, room, false);
    }

    Socket socket() {
        return socket;
    }

    @Override
    public FileDescriptor fd() {
        return socket;
    }

    /** From now on the owner is told. */
    void registered(IoRegistration registration) {
        this.registration = registration;
        registration.submit(outputWatched ? ALL_OPS : INPUT_OPS);
    }

    /** Whether the connection has come about, as far as epoll has told: what has failed is told with more than output. */
    boolean isConnected() {
        return writable && !drains;
    }

    /** The connection has come about. */
    void connected() {
        writable = true;
    }

    /**
     * Events of input alone are objects that Netty keeps; with output among them each is a new one. A connection that is over
     * after a few events is spared the system call.
     */
    private void watchOutput(boolean watched) {
        if (registration != null && outputWatched != watched) {
            outputWatched = watched;
            registration.submit(watched ? ALL_OPS : INPUT_OPS);
        }
    }

    @Override
    public void handle(IoRegistration registration, IoEvent event) {
        if (closed) {
            return;
        }
        int events = ((EpollIoEvent) event).ops().value();
        readable |= (events & INPUT) != 0;
        writable |= (events & OUTPUT) != 0;
        drains |= (events & ~(Native.EPOLLIN | Native.EPOLLOUT)) != 0;
        hungUp |= (events & Native.EPOLLRDHUP) != 0;
        urgent |= (events & EPOLLPRI) != 0;
        failed |= (events & Native.EPOLLERR) != 0;
        owner.ready(this);
        if (outputWatched && writable && !outputNeeded && !closed && ++outputTold > OUTPUT_TOLD_MAX) {
            watchOutput(false);
        }
    }

    /** Whether reading may bring something. */
    boolean readable() {
        return readable && !inputEnded;
    }

    /** Whether the other end has ended its stream, and all of it has been read. */
    boolean inputEnded() {
        return inputEnded;
    }

    /** Whether our stream to it has ended. */
    boolean outputEnded() {
        return outputEnded;
    }

    /** Whether the connection is broken. What came before that may still be there to be read. */
    boolean failed() {
        return failed;
    }

    boolean isWaiting() {
        return waiting != null;
    }

    /** Both streams have ended. */
    boolean isDone() {
        return inputEnded && outputEnded;
    }

    /**
     * Reads once, into a direct buffer from its beginning.
     *
     * @return the number of bytes; 0 if there is nothing now, or no more at all, which {@link #inputEnded} then tells
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
            inputEnded = true;
            return 0;
        }
        if (count < capacity && hungUp && !urgent && !failed) {
            // What came before the end was all there, and is read now.
            inputEnded = true;
        } else if (count == 0 || (count < capacity && !drains)) {
            // More is told by another edge.
            readable = false;
        }
        return count;
    }

    /**
     * Writes the first bytes of a direct buffer, and keeps what the kernel does not take. Nothing may be waiting.
     *
     * @return false if there is no room for what has to wait: it is lost, and with it the connection
     */
    boolean write(ByteBuffer buffer, int count) {
        int written = send(buffer, 0, count);
        int left = count - written;
        if (left == 0 || failed) {
            return true;
        }
        if (!room.take(left)) {
            return false;
        }
        keep(buffer.slice(written, left));
        return true;
    }

    private void keep(ByteBuffer rest) {
        int bytes = rest.remaining();
        try {
            waiting = ByteBufAllocator.DEFAULT.directBuffer(bytes, bytes).writeBytes(rest);
        } finally {
            if (waiting == null) {
                room.giveBack(bytes);
            }
        }
    }

    /** Writes what waits. Returns whether nothing waits any more. */
    boolean flush() {
        ByteBuf bytes = waiting;
        if (bytes != null && writable) {
            ByteBuffer view = bytes.internalNioBuffer(bytes.readerIndex(), bytes.readableBytes());
            int sent = send(view, view.position(), view.limit());
            // A write that failed has dropped them already.
            if (!failed && bytes.skipBytes(sent).readableBytes() == 0) {
                drop();
            }
        }
        return waiting == null;
    }

    private int send(ByteBuffer buffer, int from, int to) {
        sendAtOnce();
        int at = from;
        while (at < to && !failed) {
            int sent;
            try {
                sent = socket.send(buffer, at, to);
            } catch (IOException | NotYetConnectedException e) {
                fail();
                break;
            }
            if (sent == 0) {
                writable = false;
                outputNeeded = true;
                watchOutput(true);
                break;
            }
            at += sent;
        }
        return at - from;
    }

    /** What is written first goes at once anyway, so a connection that sends once is spared the system call. */
    private void sendAtOnce() {
        if (sendsLater && hasSent) {
            sendsLater = false;
            try {
                socket.setTcpNoDelay(true);
            } catch (IOException e) {
                // The connection is broken, which writing tells too.
            }
        }
        hasSent = true;
    }

    /** Nothing can be sent any more; what was received before, up to its end or an error, is to be read now. */
    private void fail() {
        failed = true;
        readable = true;
        drains = true;
        drop();
    }

    private void drop() {
        if (waiting != null) {
            room.giveBack(waiting.capacity());
            waiting.release();
            waiting = null;
        }
    }

    /** Has the kernel keep what is written next until {@link #endOutput}, so that both go in one packet. */
    void holdForEnd() {
        set(TCP_CORK, 1);
    }

    /** Has reading tried before epoll tells of anything. */
    void expectInput() {
        readable = true;
    }

    /** Has the kernel acknowledge nothing by itself for a while: it then goes with the first bytes. */
    static void delayAcknowledgement(Socket socket) throws IOException {
        socket.setIntOpt(IPPROTO_TCP, TCP_QUICKACK, 0);
    }

    /** Acknowledges now. */
    void acknowledge() {
        set(TCP_QUICKACK, 1);
    }

    private void set(int option, int value) {
        try {
            socket.setIntOpt(IPPROTO_TCP, option, value);
        } catch (IOException e) {
            // The connection is broken, which reading or writing tells too.
        }
    }

    /**
     * Ends our stream to it.
     *
     * @param last whether that is the last thing to do here, if the other end has ended its own: the close follows at once then
     */
    void endOutput(boolean last) {
        outputEnded = true;
        if (!inputEnded || !last) {
            try {
                socket.shutdown(false, true);
            } catch (IOException | NotYetConnectedException e) {
                // ENOTCONN, which Netty calls not yet connected, is what a connection says that was reset.
                fail();
            }
        }
    }

    /** Makes the coming {@link #close} a reset (RST), which drops what has not been sent yet. */
    void makeReset() {
        try {
            socket.setSoLinger(0);
        } catch (IOException e) {
            // The kernel refuses on a connection that is reset already.
        }
    }

    /** Tells nothing any more, and holds no memory. */
    void mute() {
        closed = true;
        drop();
    }

    @Override
    public void close() {
        mute();
        try {
            socket.close();
        } catch (IOException e) {
            // The descriptor is free in any case.
        }
        if (registration != null) {
            RelayLoop.forget(registration);
        }
    }
}
