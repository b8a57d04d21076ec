package dev.nodepath.proxy.userspace;

import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.epoll.EpollSocketChannelConfig;

/** How the relay's sockets are set up, and how they are broken off. */
@SuppressWarnings("FutureReturnValueIgnored") // What becomes of a channel comes as an event of its pipeline.
final class Sockets {
    private static final int RECEIVE_MIN_BYTES = 512;
    private static final int RECEIVE_INITIAL_BYTES = 16 << 10;

    /** The most that one read takes: larger ones gain little and cost memory that is touched once (measured). */
    static final int RECEIVE_MAX_BYTES = 256 << 10;

    /** Reading from one side goes on when less than this waits to be written to the other. */
    static final int WRITE_LOW_WATER_BYTES = 512 << 10;

    /** Reading from one side stops when this much waits to be written to the other. */
    static final int WRITE_HIGH_WATER_BYTES = 1 << 20;

    private static final WriteBufferWaterMark WATER_MARK =
            new WriteBufferWaterMark(WRITE_LOW_WATER_BYTES, WRITE_HIGH_WATER_BYTES);

    private static final RecvByteBufAllocator RECEIVE_SIZES =
            new AdaptiveRecvByteBufAllocator(RECEIVE_MIN_BYTES, RECEIVE_INITIAL_BYTES, RECEIVE_MAX_BYTES);

    private Sockets() {}

    /** Sets up either side of a relayed connection; it may not be read from yet. */
    static void configure(EpollSocketChannel channel) {
        EpollSocketChannelConfig config = channel.config();
        config.setAutoRead(false);
        config.setAllowHalfClosure(true);
        // A write that fails says nothing about what was received before: that is still to be read and passed on.
        config.setAutoClose(false);
        config.setTcpNoDelay(true);
        config.setKeepAlive(true);
        config.setWriteBufferWaterMark(WATER_MARK);
        config.setRecvByteBufAllocator(RECEIVE_SIZES);
    }

    /** Closes a connection so that the other end sees a reset (RST), not an end. Bytes not sent yet are dropped. */
    static void reset(Channel channel) {
        if (channel instanceof EpollSocketChannel socket && socket.isOpen()) {
            try {
                socket.config().setSoLinger(0);
            } catch (ChannelException e) {
                // The kernel refuses on a connection that the other end has reset already: closing it is all there is
                // to do.
            }
        }
        channel.close();
    }
}
