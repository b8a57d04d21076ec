package dev.nodepath.apiserver.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HttpServerFramingTest {
    private static final int HEAD_MAX = 100_000;
    private static final long ALL_MAX = 400_000;

    private final HeadLimits limits = new HeadLimits(HEAD_MAX, ALL_MAX);

    @Test
    void theLongHeadsOfAllConnectionsAreBoundedTogether() {
        List<EmbeddedChannel> channels = new ArrayList<>();
        int refused = 0;
        for (int i = 0; i < 50; i++) {
            EmbeddedChannel channel = channel();
            channels.add(channel);
            write(channel, "GET /" + "x".repeat(90_000));
            refused += read(channel).size();
            assertThat(limits.held()).isLessThanOrEqualTo(ALL_MAX);
        }
        EmbeddedChannel small = channel();
        write(small, "GET /small HTTP/1.1\r\nHost: h\r\n\r\n");

        assertThat(refused).isEqualTo(46);
        assertThat(read(small).get(0).decoderResult().isSuccess()).isTrue();
        channels.forEach(EmbeddedChannel::finishAndReleaseAll);
        small.finishAndReleaseAll();
        assertThat(limits.held()).isZero();
    }

    @Test
    void aLongHeadCountsUntilItsRequestIsAnswered() {
        EmbeddedChannel channel = channel();
        String request = "GET /" + "x".repeat(50_000) + " HTTP/1.1\r\nHost: h\r\n\r\n";
        write(channel, request + request);
        assertThat(limits.held()).isGreaterThan(2 * (50_000 - HeadLimits.FREE));

        answer(channel, HttpResponseStatus.CONTINUE);
        answer(channel, HttpResponseStatus.OK);
        assertThat(limits.held()).isBetween(50_000L - HeadLimits.FREE, 50_100L);

        answer(channel, HttpResponseStatus.OK);
        assertThat(limits.held()).isZero();
        channel.finishAndReleaseAll();
    }

    /** A client may send the next request before it has an answer. */
    @Test
    void theShortHeadsOfOneConnectionCountTogether() {
        EmbeddedChannel channel = channel();
        write(channel, ("GET /" + "x".repeat(6_000) + " HTTP/1.1\r\nHost: h\r\n\r\n").repeat(10));
        assertThat(limits.held()).isGreaterThan(60_000 - HeadLimits.FREE);
        for (int i = 0; i < 10; i++) {
            answer(channel, HttpResponseStatus.OK);
        }
        assertThat(limits.held()).isZero();
        channel.finishAndReleaseAll();
    }

    @Test
    void manyHeadersAreTooMany() {
        assertThat(withHeaders(1000).isSuccess()).isTrue();
        assertThat(withHeaders(1001).cause()).isInstanceOf(TooLongHttpHeaderException.class);
    }

    /** The text after such a line may be long, and is another line or another request. */
    @Test
    void theEndOfAPieceMayComeWithWhatFollows() {
        String piece = "4e20\r\n" + "x".repeat(20_000);
        String next = "GET /" + "x".repeat(20_000) + " HTTP/1.1\r\nHost: h\r\n\r\n";
        EmbeddedChannel channel = channel();
        write(channel, "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n" + piece);
        write(channel, "\r\n" + piece);
        write(channel, "\r\n0\r\n\r\n" + next);

        List<HttpObject> objects = read(channel);
        assertThat(objects).allMatch(each -> each.decoderResult().isSuccess());
        assertThat(objects.stream().filter(HttpRequest.class::isInstance)).hasSize(2);
        channel.finishAndReleaseAll();
    }

    @Test
    void linesBetweenThePiecesOfABodyAreBounded() {
        String chunked = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
        for (String endless : List.of("1;" + "x".repeat(20_000), "0\r\n" + "a: b\r\n".repeat(5_000))) {
            EmbeddedChannel channel = channel();
            write(channel, chunked + endless);

            List<HttpObject> objects = read(channel);
            assertThat(objects.get(objects.size() - 1).decoderResult().isFailure())
                    .isTrue();
            channel.finishAndReleaseAll();
        }
    }

    /** However the octets come, the same requests are read. */
    @Test
    void theCutsBetweenPacketsChangeNothing() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        String octets =
                "\r\nGET /a HTTP/1.1\r\nHost: h\r\n\r\nPOST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nGET"
                        + "POST /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n\n\r\n\r\n0\r\nx: y\r\n\r\n"
                        + "DELETE /d HTTP/1.0\r\n\r\nGET /e HTTP/1.1\r\n\r\nGET /f HTTP/1.1\r\nHost: h\r\n\r\n";
        for (int round = 0; round < 500; round++) {
            EmbeddedChannel channel = channel();
            for (int from = 0, to; from < octets.length(); from = to) {
                to = Math.min(octets.length(), from + 1 + random.nextInt(12));
                write(channel, octets.substring(from, to));
            }
            List<String> requests = read(channel).stream()
                    .filter(HttpRequest.class::isInstance)
                    .map(each ->
                            ((HttpRequest) each).uri() + each.decoderResult().isSuccess())
                    .toList();
            assertThat(requests)
                    .as("seed %s", seed)
                    .containsExactly("/atrue", "/btrue", "/ctrue", "/dtrue", "/bad-requestfalse");
            channel.finishAndReleaseAll();
        }
    }

    private DecoderResult withHeaders(int count) {
        EmbeddedChannel channel = channel();
        write(channel, "GET / HTTP/1.1\r\nHost: h\r\n" + "a:\r\n".repeat(count - 1) + "\r\n");
        DecoderResult result = read(channel).get(0).decoderResult();
        channel.finishAndReleaseAll();
        return result;
    }

    private EmbeddedChannel channel() {
        return new EmbeddedChannel(new HttpServerFraming(limits));
    }

    private static void write(EmbeddedChannel channel, String octets) {
        channel.writeInbound(Unpooled.copiedBuffer(octets, StandardCharsets.ISO_8859_1));
    }

    private static void answer(EmbeddedChannel channel, HttpResponseStatus status) {
        channel.writeOutbound(new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, Unpooled.EMPTY_BUFFER));
    }

    private static List<HttpObject> read(EmbeddedChannel channel) {
        List<HttpObject> objects = new ArrayList<>();
        for (HttpObject each = channel.readInbound(); each != null; each = channel.readInbound()) {
            objects.add(each);
            ReferenceCountUtil.release(each);
        }
        return objects;
    }
}
