package dev.nodepath.agent.proxy;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.sync.SyncListener;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes each sync as a line of JSON, for the process that started this one:
 *
 * <pre>
 * {"at":"2026-11-30T12:00:00.5Z","ok":true,"durationMs":18,"services":8,"changed":7,"waitedMs":40,
 *  "trigger":"2026-11-30T12:00:00.1Z"}
 * {"at":"2026-11-30T12:00:01Z","ok":false}
 * </pre>
 *
 * {@code trigger} is the time of the last change of endpoints, if it has one. A sync of the snapshot that is already
 * in force has no line.
 */
public final class SyncLines implements SyncListener {
    private static final Logger LOG = LoggerFactory.getLogger(SyncLines.class);

    /** Traffic must not wait for a reader. */
    private static final Duration PATIENCE = Duration.ofMillis(100);

    private final OutputStream out;
    private final Predicate<Duration> room;
    private final InstantSource clock;
    private final JsonFactory json = new JsonFactory();

    /**
     * Lines for an output.
     *
     * @param room waits until a line can be written without waiting; false if that takes too long
     */
    public SyncLines(OutputStream out, Predicate<Duration> room, InstantSource clock) {
        this.out = out;
        this.room = room;
        this.clock = clock;
    }

    @Override
    public void synced(ServiceSnapshot snapshot, ChangeSet changed, Duration duration, Optional<Duration> waited) {
        if (waited.isPresent()) {
            write(true, line -> {
                line.writeNumberField("durationMs", duration.toMillis());
                line.writeNumberField("services", snapshot.services().size());
                line.writeNumberField("changed", changed.servicePorts().size());
                line.writeNumberField("waitedMs", waited.get().toMillis());
                Optional<Instant> trigger = changed.lastTrigger();
                if (trigger.isPresent()) {
                    line.writeStringField("trigger", trigger.get().toString());
                }
            });
        }
    }

    @Override
    public void failed(Throwable error, Duration retryIn) {
        write(false, line -> {});
    }

    private interface Fields {
        void write(JsonGenerator line) throws IOException;
    }

    private void write(boolean ok, Fields fields) {
        ByteArrayOutputStream octets = new ByteArrayOutputStream();
        try (JsonGenerator line = json.createGenerator(octets)) {
            line.writeStartObject();
            line.writeStringField("at", clock.instant().toString());
            line.writeBooleanField("ok", ok);
            fields.write(line);
            line.writeEndObject();
            line.writeRaw('\n');
            line.flush();
            if (!room.test(PATIENCE)) {
                LOG.atWarn().log("sync_lines.lost");
                return;
            }
            out.write(octets.toByteArray());
            out.flush();
        } catch (IOException e) {
            LOG.atWarn().addKeyValue("error", e.getMessage()).log("sync_lines.lost");
        }
    }
}
