package dev.nodepath.apiserver.http;

import dev.nodepath.apiserver.request.StreamSession;
import dev.nodepath.apiserver.request.StreamTransport;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.spdy.DefaultSpdyDataFrame;
import io.netty.handler.codec.spdy.DefaultSpdySynReplyFrame;
import io.netty.handler.codec.spdy.SpdyDataFrame;
import io.netty.handler.codec.spdy.SpdyPingFrame;
import io.netty.handler.codec.spdy.SpdyRstStreamFrame;
import io.netty.handler.codec.spdy.SpdySynReplyFrame;
import io.netty.handler.codec.spdy.SpdySynStreamFrame;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A connection that speaks SPDY/3.1, as kubectl's exec and port-forward do. The client library of kubectl does not know
 * SPDY's windows; so this side does not wait for them, and a slow client is felt by its TCP connection.
 *
 * <p>The session is called on a thread of this connection. While more than {@value #WAITING_MAX} octets wait for it,
 * nothing is read.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails ends the connection anyway
final class SpdyStreams extends ChannelInboundHandlerAdapter implements StreamTransport {
    private static final int WAITING_MAX = 256 * 1024;
    private static final long WRITABLE_CHECK_MILLIS = 1000;
    private static final long THREAD_IDLE_SECONDS = 5;

    private final ChannelHandlerContext context;
    private final StreamSession session;
    private final ThreadPoolExecutor thread = new ThreadPoolExecutor(
            1,
            1,
            THREAD_IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            new DefaultThreadFactory("api-server-streams", true));
    private final AtomicInteger waiting = new AtomicInteger();
    private final Object writable = new Object();

    /**
     * Streams of a connection.
     *
     * @param context of the handler that this one takes the place of
     */
    SpdyStreams(ChannelHandlerContext context, StreamSession session) {
        this.context = context;
        this.session = session;
        thread.allowCoreThreadTimeOut(true);
        run(() -> session.begin(this));
    }

    @Override
    public void channelRead(ChannelHandlerContext channel, Object frame) {
        try {
            if (frame instanceof SpdySynStreamFrame opened) {
                open(channel, opened);
            } else if (frame instanceof SpdyDataFrame data) {
                data(data);
            } else if (frame instanceof SpdyRstStreamFrame reset) {
                run(() -> session.ended(reset.streamId()));
            } else if (frame instanceof SpdyPingFrame ping) {
                channel.writeAndFlush(ping);
            }
        } finally {
            ReferenceCountUtil.release(frame);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext channel) throws Exception {
        wake();
        run(session::disconnected);
        thread.shutdown();
        super.channelInactive(channel);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext channel) throws Exception {
        wake();
        super.channelWritabilityChanged(channel);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext channel, Throwable cause) {
        channel.close();
    }

    @Override
    public void send(int stream, byte[] octets) {
        awaitWritable();
        write(new DefaultSpdyDataFrame(stream, Unpooled.wrappedBuffer(octets)));
    }

    @Override
    public void end(int stream) {
        DefaultSpdyDataFrame last = new DefaultSpdyDataFrame(stream);
        last.setLast(true);
        write(last);
    }

    @Override
    public void close() {
        context.channel().writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }

    private void open(ChannelHandlerContext channel, SpdySynStreamFrame frame) {
        Map<String, String> headers = new HashMap<>();
        frame.headers()
                .forEach(header -> headers.put(
                        header.getKey().toString().toLowerCase(Locale.ROOT),
                        header.getValue().toString()));
        // Netty leaves the block of headers out when it is empty, and then kubectl waits for it.
        SpdySynReplyFrame reply = new DefaultSpdySynReplyFrame(frame.streamId());
        reply.headers().set("streamtype", headers.getOrDefault("streamtype", ""));
        channel.writeAndFlush(reply);
        int stream = frame.streamId();
        run(() -> session.opened(stream, headers));
        if (frame.isLast()) {
            run(() -> session.ended(stream));
        }
    }

    private void data(SpdyDataFrame frame) {
        byte[] octets = ByteBufUtil.getBytes(frame.content());
        int stream = frame.streamId();
        if (octets.length > 0) {
            if (waiting.addAndGet(octets.length) > WAITING_MAX) {
                context.channel().config().setAutoRead(false);
            }
            run(() -> {
                session.received(stream, octets);
                if (waiting.addAndGet(-octets.length) <= WAITING_MAX) {
                    context.channel().config().setAutoRead(true);
                }
            });
        }
        if (frame.isLast()) {
            run(() -> session.ended(stream));
        }
    }

    private void write(Object frame) {
        context.channel().writeAndFlush(frame);
    }

    private void run(Runnable call) {
        try {
            thread.execute(call);
        } catch (RejectedExecutionException e) {
            // the connection has ended
        }
    }

    private void awaitWritable() {
        synchronized (writable) {
            while (context.channel().isActive() && !context.channel().isWritable()) {
                try {
                    writable.wait(WRITABLE_CHECK_MILLIS);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return;
                }
            }
        }
    }

    private void wake() {
        synchronized (writable) {
            writable.notifyAll();
        }
    }
}
