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
 * The events that one reader gets (server-sent events). It has a place in the shared log and no queue of its own:
 * while the reader is slow nothing is written, and later the stream goes on from its place or with the whole state.
 * All on the channel's event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails closes the connection
final class EventStream {
    private static final int AT_ONCE = 64;
    /** A reader that takes nothing for so many pulses is gone. */
    private static final int STALLED_MAX = 3;

    private final Channel channel;
    private final LivePage page;
    private long known;
    private int stalled;

    /**
     * A stream that has sent nothing.
     *
     * @param known the version that the reader has; anything unknown gets it the whole state
     */
    EventStream(Channel channel, LivePage page, long known) {
        this.channel = channel;
        this.page = page;
        this.known = known;
    }

    Channel channel() {
        return channel;
    }

    /** Tells how long the reader waits before it comes again, and what it has missed. */
    void start() {
        write("retry: 1000\n\n".getBytes(StandardCharsets.UTF_8));
        advance();
    }

    /** Sends what is new, as long as the reader takes it. */
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

    /** Sends what is worth nothing later, if the reader takes it now. */
    void offer(byte[] frame) {
        if (channel.isWritable()) {
            write(frame);
        }
    }

    /** A comment now and then, so that both ends notice when the other is gone. */
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
