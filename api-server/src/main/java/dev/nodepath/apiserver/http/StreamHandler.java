package dev.nodepath.apiserver.http;

import dev.nodepath.apiserver.request.StreamSession;
import dev.nodepath.apiserver.request.StreamTransport;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A connection that carries the streams of a session.
 *
 * <p>The session is called on a thread of this connection. While more than {@value #WAITING_MAX} octets wait for it,
 * or the client does not read its output, the connection is not read.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails ends the connection anyway
abstract class StreamHandler extends ChannelInboundHandlerAdapter implements StreamTransport {
    private static final int WAITING_MAX = 256 * 1024;

    /** The overhead of a frame. */
    private static final int FRAME_OCTETS = 1024;

    private static final long WRITABLE_CHECK_MILLIS = 1000;
    private static final long THREAD_IDLE_SECONDS = 5;

    private static final DefaultThreadFactory ENDS = new DefaultThreadFactory("api-server-streams-end", true);

    private final Channel channel;
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

    StreamHandler(Channel channel, StreamSession session) {
        this.channel = channel;
        this.session = session;
        thread.allowCoreThreadTimeOut(true);
    }

    /** The connection speaks the streams' protocol from now on. */
    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        run(FRAME_OCTETS, () -> session.begin(this));
    }

    @Override
    public final void channelInactive(ChannelHandlerContext context) throws Exception {
        wake();
        // Not queued behind other calls: the session may be blocked by a program that reads no input.
        ENDS.newThread(session::disconnected).start();
        thread.shutdown();
        super.channelInactive(context);
    }

    @Override
    public final void channelWritabilityChanged(ChannelHandlerContext context) throws Exception {
        wake();
        readOrWait();
        super.channelWritabilityChanged(context);
    }

    @Override
    public final void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }

    @Override
    public void close() {
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }

    /** The client has opened a stream. */
    final void opened(int stream, Map<String, String> headers) {
        run(FRAME_OCTETS, () -> session.opened(stream, headers));
    }

    /** The client has sent octets on a stream. */
    final void received(int stream, byte[] octets) {
        if (octets.length > 0) {
            run(FRAME_OCTETS + octets.length, () -> session.received(stream, octets));
        }
    }

    /** The client sends nothing more on a stream. */
    final void ended(int stream) {
        run(FRAME_OCTETS, () -> session.ended(stream));
    }

    final void write(Object frame) {
        channel.writeAndFlush(frame);
    }

    /** Waits while the client is slow. */
    final void awaitWritable() {
        synchronized (writable) {
            while (channel.isActive() && !channel.isWritable()) {
                try {
                    writable.wait(WRITABLE_CHECK_MILLIS);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return;
                }
            }
        }
    }

    private void run(int octets, Runnable call) {
        waiting.addAndGet(octets);
        readOrWait();
        try {
            thread.execute(() -> {
                try {
                    call.run();
                } finally {
                    waiting.addAndGet(-octets);
                    channel.eventLoop().execute(this::readOrWait);
                }
            });
        } catch (RejectedExecutionException e) {
            // the connection has ended
        }
    }

    /** Only on the event loop, so that the last call sees the present state. */
    private void readOrWait() {
        channel.config().setAutoRead(channel.isWritable() && waiting.get() <= WAITING_MAX);
    }

    private void wake() {
        synchronized (writable) {
            writable.notifyAll();
        }
    }
}
