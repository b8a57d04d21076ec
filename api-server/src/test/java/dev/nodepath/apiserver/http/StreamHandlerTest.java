package dev.nodepath.apiserver.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.apiserver.request.StreamSession;
import dev.nodepath.apiserver.request.StreamTransport;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Clients that send more than a session takes. */
class StreamHandlerTest {
    private static final int FRAMES = 1000;

    private final CountDownLatch go = new CountDownLatch(1);
    private final CountDownLatch received = new CountDownLatch(FRAMES);

    /** Takes nothing until it is told to. */
    private final StreamSession session = new StreamSession() {
        @Override
        public String protocol() {
            return "test";
        }

        @Override
        public void begin(StreamTransport transport) {
            try {
                go.await(5, TimeUnit.MINUTES);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void opened(int stream, Map<String, String> headers) {}

        @Override
        public void received(int stream, byte[] octets) {
            received.countDown();
        }

        @Override
        public void ended(int stream) {}

        @Override
        public void disconnected() {}
    };

    /** A frame takes memory beside its data. */
    @Test
    void smallFramesThatWaitHoldUpTheClient() throws Exception {
        EmbeddedChannel channel = new EmbeddedChannel();
        channel.pipeline().addLast(new ChannelStreams(channel, session));
        assertThat(channel.config().isAutoRead()).isTrue();
        for (int i = 0; i < FRAMES; i++) {
            channel.writeInbound(new BinaryWebSocketFrame(Unpooled.wrappedBuffer(new byte[] {0, 'x'})));
        }
        assertThat(channel.config().isAutoRead()).isFalse();
        go.countDown();
        assertThat(received.await(5, TimeUnit.MINUTES)).isTrue();
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
        while (!channel.config().isAutoRead() && System.nanoTime() < end) {
            channel.runPendingTasks();
        }
        assertThat(channel.config().isAutoRead()).isTrue();
    }

    /** Its own answers and pongs would wait, too. */
    @Test
    void aClientThatReadsNothingIsNotRead() {
        EmbeddedChannel channel = new EmbeddedChannel();
        channel.pipeline().addLast(new ChannelStreams(channel, session));
        channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
        channel.runPendingTasks();
        assertThat(channel.config().isAutoRead()).isFalse();
        channel.unsafe().outboundBuffer().setUserDefinedWritability(1, true);
        channel.runPendingTasks();
        assertThat(channel.config().isAutoRead()).isTrue();
        go.countDown();
    }
}
