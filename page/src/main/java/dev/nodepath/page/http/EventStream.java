package dev.nodepath.page.http;

import dev.nodepath.page.LivePage;
import dev.nodepath.page.PageEvent;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.DefaultHttpContent;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * The events for one reader (server-sent events). It has a place in the shared log and no queue of its own. While the
 * reader is slow, the stream writes nothing; later it continues from its place, or with the whole state. Only the
 * channel's event loop uses it.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails closes the connection
final class EventStream {
    private static final int AT_ONCE = 64;
    /** A reader that reads nothing during so many pulses is gone. */
    private static final int STALLED_MAX = 3;

    private final Channel channel;
    private final LivePage page;
    private long known;
    private int stalled;

    /**
     * A stream that has sent nothing.
     *
     * @param known the reader's version; for an unknown one the stream begins with the whole state
     */
    EventStream(Channel channel, LivePage page, long known) {
        this.channel = channel;
        this.page = page;
        this.known = known;
    }

    Channel channel() {
        return channel;
    }

    /** Sends the time that the reader waits before a new connection, and the missed events. */
    void start() {
        write("retry: 1000\n\n".getBytes(StandardCharsets.UTF_8));
        advance();
    }

    /** Sends new events while the reader reads. */
    void advance() {
        boolean wrote = false;
        while (channel.isWritable()) {
            Optional<List<PageEvent>> events = page.after(known, AT_ONCE);
            List<PageEvent> next = events.orElseGet(() -> List.of(page.snapshot()));
            if (next.isEmpty()) {
                break;
            }
            next.forEach(this::write);
            wrote = true;
        }
        if (wrote) {
            channel.flush();
        }
    }

    /** Sends a frame that is useless later, if the reader is ready now. */
    void offer(byte[] frame) {
        if (channel.isWritable()) {
            write(frame);
        }
    }

    /** Sends a comment at intervals, so that both ends notice the other's end. */
    void pulse() {
        stalled = channel.isWritable() ? 0 : stalled + 1;
        if (stalled > STALLED_MAX) {
            channel.close();
        } else if (stalled == 0) {
            write(": still here\n\n".getBytes(StandardCharsets.UTF_8));
        }
    }

    private void write(PageEvent event) {
        channel.write(new DefaultHttpContent(wrap(event.frame())));
        known = event.version();
    }

    private void write(byte[] unnumbered) {
        channel.writeAndFlush(new DefaultHttpContent(wrap(unnumbered)));
    }

    private static ByteBuf wrap(byte[] bytes) {
        return Unpooled.wrappedBuffer(bytes);
    }
}
