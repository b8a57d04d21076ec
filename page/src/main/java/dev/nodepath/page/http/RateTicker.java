package dev.nodepath.page.http;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.page.PageRates;
import dev.nodepath.page.Rates;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the traffic of the links to the streams, once a second while there is a stream. Rates are no changes of the
 * state: they have no version, past rates are never sent, and a slow reader does not get them.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the schedule ends with the event loop
final class RateTicker {
    private static final Logger LOG = LoggerFactory.getLogger(RateTicker.class);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final PageRates rates;
    private final EventLoop loop;
    private final Executor readers;
    private final Set<EventStream> streams;

    /** Only the event loop uses this and the next field. */
    private boolean reading;

    private boolean resting = true;

    /**
     * A ticker that sends nothing yet.
     *
     * @param readers read the rates, one at a time
     * @param streams all open ones, on the event loop
     */
    RateTicker(PageRates rates, EventLoop loop, Executor readers, Set<EventStream> streams) {
        this.rates = rates;
        this.loop = loop;
        this.readers = readers;
        this.streams = streams;
    }

    void start() {
        loop.scheduleAtFixedRate(this::tick, 0, 1, TimeUnit.SECONDS);
    }

    private void tick() {
        if (reading || (streams.isEmpty() && resting)) {
            return;
        }
        resting = streams.isEmpty();
        reading = true;
        try {
            readers.execute(resting ? this::rest : this::read);
        } catch (RejectedExecutionException e) {
            // Other readers ask for too much. The next second may be better.
            reading = false;
        }
    }

    private void rest() {
        rates.rest();
        then(Optional.empty());
    }

    private void read() {
        Optional<byte[]> frame = Optional.empty();
        try {
            Rates now = rates.read();
            frame = now.rates().isEmpty() ? frame : Optional.of(frame(now));
        } catch (IOException | RuntimeException e) {
            LOG.atError().addKeyValue("problem", e.toString()).log("page.rates_not_read");
        }
        then(frame);
    }

    private void then(Optional<byte[]> frame) {
        try {
            loop.execute(() -> {
                reading = false;
                frame.ifPresent(bytes -> streams.forEach(stream -> stream.offer(bytes)));
            });
        } catch (RejectedExecutionException e) {
            // The server has ended.
            return;
        }
    }

    private static byte[] frame(Rates rates) throws IOException {
        ObjectNode json = JSON.createObjectNode().put("at", rates.at());
        ObjectNode parts = json.putObject("rates");
        rates.rates()
                .forEach((part, rate) -> parts.putArray(part)
                        .add(rate.bytesIn())
                        .add(rate.bytesOut())
                        .add(rate.packetsIn())
                        .add(rate.packetsOut()));
        return ("event: rates\ndata: " + JSON.writeValueAsString(json) + "\n\n").getBytes(StandardCharsets.UTF_8);
    }
}
