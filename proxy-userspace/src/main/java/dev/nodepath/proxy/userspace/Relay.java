package dev.nodepath.proxy.userspace;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * A client and an endpoint, and the bytes between them. Everything happens on one event loop, so there are no locks.
 *
 * <p>What one side reads is written to the other and flushed when there is nothing more to read. A side is not read
 * from while too much waits to be written to the other; only when its stream ends, the transport takes what its socket
 * still holds. The end of one side's stream becomes the end of the other's, after all its bytes, while the opposite
 * direction goes on. Anything else that ends a side breaks off the other one too.
 */
@SuppressWarnings("FutureReturnValueIgnored") // What becomes of a channel comes as an event of its pipeline.
final class Relay implements HalfClosed.Connection {
    private final Side client;
    private final Side backend;
    private final RelayContext context;
    private @Nullable HalfClosed halfClosed;
    private boolean cut;
    private boolean over;

    Relay(EpollSocketChannel client, EpollSocketChannel backend, RelayContext context) {
        this.context = context;
        this.client = new Side(client, context.metrics().bytesFromClients);
        this.backend = new Side(backend, context.metrics().bytesFromBackends);
    }

    Side clientSide() {
        return client;
    }

    Side backendSide() {
        return backend;
    }

    /**
     * Begins, both handlers being in place.
     *
     * @param early what the client sent already; belongs to the relay from now on
     * @param clientEnded whether the client has ended its stream already
     */
    void start(List<ByteBuf> early, boolean clientEnded) {
        early.forEach(client::pass);
        backend.channel.flush();
        if (clientEnded) {
            client.inputEnded();
        } else {
            client.channel.config().setAutoRead(backend.channel.isWritable());
        }
        backend.channel.config().setAutoRead(true);
    }

    @Override
    public boolean isDead() {
        return !cut && (client.isDead() || backend.isDead());
    }

    @Override
    public long movedBytes() {
        return client.movedBytes() + backend.movedBytes();
    }

    @Override
    public boolean hasSentWithin(long millis) {
        return client.hasSentWithin(millis) || backend.hasSentWithin(millis);
    }

    @Override
    public void breakOff() {
        if (!over) {
            context.metrics().reset.increment();
        }
        end(true);
    }

    /** A side that has got its whole stream is closed, the other is reset. */
    @Override
    public void expire() {
        if (!over) {
            context.metrics().lingerExpired.increment();
        }
        end(false);
    }

    private void end(boolean reset) {
        over = true;
        if (halfClosed != null) {
            halfClosed.cancel();
        }
        client.end(reset);
        backend.end(reset);
    }

    /** One side was reset: the other gets what came before that, and then the same. */
    private void cutAfter(Side reset) {
        if (cut || over) {
            return;
        }
        cut = true;
        Side other = otherThan(reset);
        other.channel.config().setAutoRead(false);
        watch();
        other.channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> breakOff());
    }

    private void watch() {
        if (halfClosed == null && !over) {
            halfClosed = new HalfClosed(
                    client.channel.eventLoop(), this, context.config().halfCloseLinger());
            halfClosed.watch();
        }
    }

    private void sideClosed() {
        if (!client.isDone() || !backend.isDone()) {
            return;
        }
        over = true;
        if (halfClosed != null) {
            halfClosed.cancel();
        }
    }

    private Side otherThan(Side side) {
        return side == client ? backend : client;
    }

    /** One of the two connections: takes what comes in from it. */
    final class Side extends ChannelInboundHandlerAdapter {
        private final EpollSocketChannel channel;
        private final LongAdder received;
        private long receivedBytes;
        private boolean inputEnded;
        private boolean outputEnded;
        private boolean failed;

        private Side(EpollSocketChannel channel, LongAdder received) {
            this.channel = channel;
            this.received = received;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            pass((ByteBuf) message);
        }

        private void pass(ByteBuf bytes) {
            int count = bytes.readableBytes();
            receivedBytes += count;
            received.add(count);
            Side other = otherThan(this);
            if (other.failed) {
                bytes.release();
            } else {
                other.channel.write(bytes, other.channel.voidPromise());
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            otherThan(this).channel.flush();
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            Side other = otherThan(this);
            if (!other.inputEnded && !failed && !cut) {
                other.channel.config().setAutoRead(channel.isWritable());
            }
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event == ChannelInputShutdownEvent.INSTANCE && channel.isActive()) {
                inputEnded();
            }
        }

        private void inputEnded() {
            inputEnded = true;
            channel.config().setAutoRead(false);
            if (failed) {
                cutAfter(this);
                return;
            }
            otherThan(this).endOutput();
            watch();
            closeIfDone();
        }

        /** The empty buffer is written when all before it is: shutting the output down at once would drop that. */
        private void endOutput() {
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> {
                if (written.isSuccess()) {
                    channel.shutdownOutput();
                    outputEnded = true;
                    closeIfDone();
                }
            });
        }

        /** A socket that both ends have ended is closed at once: epoll would report it over and over (EPOLLHUP). */
        private void closeIfDone() {
            if (isDone()) {
                channel.close();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            if (over || isDone()) {
                sideClosed();
            } else {
                cutAfter(this);
            }
        }

        /**
         * Reading or writing failed, as a rule because the other end has reset the connection. What it sent before
         * that may still be there to be read; its end then comes as an event of its own. Nothing more can be sent to
         * it.
         */
        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            boolean first = !failed;
            failed = true;
            if (!(cause instanceof IOException) || inputEnded) {
                cutAfter(this);
            } else if (first) {
                otherThan(this).channel.config().setAutoRead(false);
                channel.config().setAutoRead(true);
                watch();
            }
        }

        private boolean isDone() {
            return inputEnded && outputEnded;
        }

        private boolean isDead() {
            return inputEnded && !outputEnded && HalfClosed.isReset(channel);
        }

        private void end(boolean reset) {
            if (reset || !outputEnded) {
                Sockets.reset(channel);
            } else {
                channel.close();
            }
        }

        private boolean hasSentWithin(long millis) {
            try {
                return channel.isOpen() && channel.tcpInfo().lastDataSent() <= millis;
            } catch (ChannelException e) {
                return false;
            }
        }

        /** Bytes received, less those that still wait to be written to this side: grows when anything moves. */
        private long movedBytes() {
            ChannelOutboundBuffer waiting = channel.unsafe().outboundBuffer();
            return receivedBytes - (waiting == null ? 0 : waiting.totalPendingWriteBytes());
        }
    }
}
