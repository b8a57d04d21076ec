package dev.nodepath.page.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.nodepath.linux.Eventually;
import dev.nodepath.page.FlowList;
import dev.nodepath.page.LivePage;
import dev.nodepath.page.PageRates;
import dev.nodepath.page.Rate;
import dev.nodepath.page.Rates;
import dev.nodepath.page.SamplePicture;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpServerCodec;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RateTickerTest {
    private static final String RATES =
            "{\"at\":17,\"rates\":{\"node:n1\":[1500,300,4,3],\"pod:web-1\":[300,1500,3,4]}}";

    private final LivePage page = new LivePage(InstantSource.system());
    private final PageServer server = new PageServer(
            page,
            (name, what) -> JsonNodeFactory.instance.objectNode(),
            () -> new FlowList(1, 0, List.of()),
            new PageToken("5ecret"),
            HttpServerCodec::new);
    private final Counted rates = new Counted();
    private InetSocketAddress address = new InetSocketAddress(0);

    /** The same rates each second, and a count of the calls. */
    private static final class Counted implements PageRates {
        private final AtomicInteger reads = new AtomicInteger();
        private final AtomicInteger rests = new AtomicInteger();
        private volatile boolean fails;

        @Override
        public Rates read() throws IOException {
            reads.incrementAndGet();
            if (fails) {
                fails = false;
                throw new IOException("no such namespace");
            }
            return new Rates(17, Map.of("pod:web-1", new Rate(300, 1500, 3, 4), "node:n1", new Rate(1500, 300, 4, 3)));
        }

        @Override
        public void rest() {
            rests.incrementAndGet();
        }
    }

    @BeforeEach
    void start() throws IOException {
        page.show(SamplePicture.small());
        server.tell(rates);
        address = server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void tellsThemWithoutANumberAndKeepsNone() throws IOException {
        long version = page.snapshot().version();
        try (Reader reader = new Reader()) {
            assertThat(reader.await("rates")).isEqualTo("event: rates\ndata: " + RATES + "\n");
            page.tell("step", JsonNodeFactory.instance.objectNode().put("what", "one"));
            assertThat(reader.await("step")).startsWith("id: " + (version + 1) + "\n");
        }
        assertThat(page.snapshot().json()).doesNotContain("rates");
        assertThat(page.recording().events())
                .extracting(each -> each.event().kind())
                .isNotEmpty()
                .doesNotContain("rates");
    }

    @Test
    void readsThemOnlyWhileSomebodyFollows() throws IOException {
        try (Reader reader = new Reader()) {
            reader.await("rates");
            reader.await("rates");
            assertThat(rates.rests).hasValue(0);
        }
        Eventually.isTrue("the end of the readings", () -> rates.rests.get() == 1);
        int reads = rates.reads.get();
        try (Reader reader = new Reader()) {
            reader.await("rates");
        }
        Eventually.isTrue("another end of them", () -> rates.rests.get() == 2);
        assertThat(rates.reads.get()).isGreaterThan(reads);
    }

    @Test
    void goesOnAfterOneThatCouldNotBeRead() throws IOException {
        rates.fails = true;
        try (Reader reader = new Reader()) {
            reader.await("rates");
        }
        assertThat(rates.fails).isFalse();
    }

    @Test
    void aSlowReaderGoesWithoutThem() {
        EmbeddedChannel channel = new EmbeddedChannel();
        EventStream stream = new EventStream(channel, page, -1);
        var unused = channel.write(Unpooled.wrappedBuffer(new byte[1 << 20]));
        assertThat(channel.isWritable()).isFalse();

        stream.offer(RATES.getBytes(StandardCharsets.UTF_8));
        channel.flush();
        assertThat(channel.outboundMessages()).hasSize(1);

        stream.offer(RATES.getBytes(StandardCharsets.UTF_8));
        assertThat(channel.outboundMessages()).hasSize(2);
        channel.releaseOutbound();
    }

    /** Follows the events. */
    private final class Reader implements AutoCloseable {
        private final Socket socket = new Socket(address.getAddress(), address.getPort());
        private final BufferedReader lines;

        Reader() throws IOException {
            socket.setSoTimeout(60_000);
            String request = "GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:" + address.getPort()
                    + "\r\nAuthorization: Bearer 5ecret\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            lines = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        }

        /** The lines of the next event of this kind. */
        String await(String kind) throws IOException {
            StringBuilder event = new StringBuilder();
            while (true) {
                String line = lines.readLine();
                if (line == null) {
                    throw new IOException("the stream ended");
                }
                if (line.startsWith("id: ") || line.startsWith("event: ") || line.startsWith("data: ")) {
                    event.append(line).append('\n');
                }
                if (line.startsWith("data: ")) {
                    if (event.toString().contains("event: " + kind + "\n")) {
                        return event.toString();
                    }
                    event.setLength(0);
                }
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
