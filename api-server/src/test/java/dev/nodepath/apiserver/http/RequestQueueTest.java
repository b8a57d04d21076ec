package dev.nodepath.apiserver.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.apiserver.request.ApiResponse;
import dev.nodepath.apiserver.request.PieceSource;
import dev.nodepath.apiserver.request.RequestHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.stream.ChunkedWriteHandler;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RequestQueueTest {
    private final HeldOctets held = new HeldOctets(1024, 1);
    private final Watch watch = new Watch();

    @Test
    @SuppressWarnings("FutureReturnValueIgnored") // an embedded channel closes at once
    void closesAWatchWhoseClientGoesWhileItIsAnswered() {
        EmbeddedChannel channel = new EmbeddedChannel();
        RequestHandler handler = request -> {
            channel.close();
            return new ApiResponse.Stream(ApiResponse.JSON, watch);
        };
        channel.pipeline()
                .addLast(
                        new ChunkedWriteHandler(),
                        new RequestAssembler(new RequestQueue(handler, Runnable::run, held), held));
        channel.writeInbound(new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/watch"));
        channel.runPendingTasks();
        assertThat(watch.open).isFalse();
    }

    private static final class Watch implements PieceSource {
        private boolean open = true;

        @Override
        public void start(Runnable ready) {
            open = true;
        }

        @Override
        public byte @Nullable [] poll() {
            return null;
        }

        @Override
        public boolean ended() {
            return false;
        }

        @Override
        public void close() {
            open = false;
        }
    }
}
