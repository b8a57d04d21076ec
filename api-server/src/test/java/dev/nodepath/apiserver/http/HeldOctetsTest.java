package dev.nodepath.apiserver.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.apiserver.request.ApiResponse;
import dev.nodepath.apiserver.request.PieceSource;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.stream.ChunkedWriteHandler;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Clients that send half a body, or read no answer. */
@SuppressWarnings("FutureReturnValueIgnored") // an embedded channel closes at once
class HeldOctetsTest {
    private static final int HALF = 100_000;
    private static final long MAX = 1024 * 1024;
    private static final int CONNECTIONS = 256;

    private final HeldOctets held = new HeldOctets(MAX, CONNECTIONS);
    private final Queue<Runnable> work = new ArrayDeque<>();
    private final List<EmbeddedChannel> channels = new ArrayList<>();

    /** Held octets would be a leak for Netty's detector, which another test of this process asks. */
    @AfterEach
    void close() {
        channels.forEach(EmbeddedChannel::finishAndReleaseAll);
    }

    @Test
    void halfBodiesLeaveRoomForWholeOnes() {
        List<EmbeddedChannel> slow = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            slow.add(begin());
            assertThat(held.octets()).isLessThanOrEqualTo(MAX);
        }
        assertThat(slow.get(0).isActive()).isFalse();
        assertThat(slow.get(999).isActive()).isTrue();
        EmbeddedChannel whole = begin();
        end(whole);
        work.remove().run();
        whole.runPendingTasks();
        FullHttpResponse answer = whole.readOutbound();
        assertThat(answer.status().code()).isEqualTo(200);
        answer.release();
        slow.forEach(EmbeddedChannel::close);
        assertThat(held.octets()).isZero();
    }

    /** The threads are busy, and their clients go away. */
    @Test
    void bodiesOfClientsThatAreGoneAreHeldNoLonger() {
        for (int i = 0; i < 1000; i++) {
            EmbeddedChannel channel = begin();
            end(channel);
            channel.close();
        }
        assertThat(held.octets()).isZero();
        work.forEach(Runnable::run);
    }

    @Test
    void theSlowestGoesFirst() {
        EmbeddedChannel first = new EmbeddedChannel();
        EmbeddedChannel second = new EmbeddedChannel();
        EmbeddedChannel third = new EmbeddedChannel();
        held.add(first, MAX / 2);
        held.add(second, MAX / 2);
        held.add(first, 1);
        assertThat(List.of(first.isActive(), second.isActive())).containsExactly(false, true);
        held.remove(second, MAX / 4);
        held.add(third, MAX / 2);
        assertThat(List.of(second.isActive(), third.isActive())).containsExactly(true, true);
        held.add(third, MAX);
        assertThat(List.of(second.isActive(), third.isActive())).containsExactly(false, true);
        held.forget(third);
        assertThat(held.octets()).isZero();
    }

    @Test
    void aWatchWithoutNewsAndASmallRequestStay() {
        EmbeddedChannel watch = channel(new ApiResponse.Stream(ApiResponse.JSON, new NoNews()));
        watch.writeInbound(new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/watch"));
        work.remove().run();
        watch.runPendingTasks();
        EmbeddedChannel small = new EmbeddedChannel();
        held.add(small, MAX / CONNECTIONS);
        for (int i = 0; i < 100; i++) {
            begin();
        }
        assertThat(List.of(watch.isActive(), small.isActive())).containsExactly(true, true);
        assertThat(held.octets()).isLessThanOrEqualTo(MAX);
    }

    @Test
    void aPieceIsHeldUntilTheNextIsAskedFor() {
        PieceInput list = new PieceInput(
                PieceInput.of(List.of(new byte[HALF], new byte[1]).iterator()), new EmbeddedChannel(), held);
        for (int octets : new int[] {HALF, 1}) {
            ReferenceCountUtil.release(list.readChunk(UnpooledByteBufAllocator.DEFAULT));
            assertThat(held.octets()).isEqualTo(octets);
        }
        list.close();
        assertThat(held.octets()).isZero();
    }

    private static final class NoNews implements PieceSource {
        @Override
        public void start(Runnable ready) {}

        @Override
        public byte @Nullable [] poll() {
            return null;
        }

        @Override
        public boolean ended() {
            return false;
        }

        @Override
        public void close() {}
    }

    private EmbeddedChannel channel(ApiResponse response) {
        EmbeddedChannel channel = new EmbeddedChannel(
                new ChunkedWriteHandler(),
                new RequestAssembler(new RequestQueue(request -> response, work::add, held), held));
        channels.add(channel);
        return channel;
    }

    private EmbeddedChannel begin() {
        EmbeddedChannel channel = channel(new ApiResponse.Document(200, ApiResponse.JSON, new byte[] {'1'}));
        channel.writeInbound(new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/api"));
        channel.writeInbound(new DefaultHttpContent(Unpooled.wrappedBuffer(new byte[HALF])));
        return channel;
    }

    private static void end(EmbeddedChannel channel) {
        channel.writeInbound(new DefaultLastHttpContent(Unpooled.wrappedBuffer(new byte[HALF])));
    }
}
