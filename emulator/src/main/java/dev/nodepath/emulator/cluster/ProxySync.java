package dev.nodepath.emulator.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/**
 * An agent's report of one sync of its proxy.
 *
 * @param at when it ended
 * @param ok whether the rules are in force
 * @param durationMs how long it took, in milliseconds
 * @param services how many Service ports it serves
 * @param changed how many of them it has changed
 * @param waitedMs how long the oldest of these changes had waited for it, in milliseconds; empty if nothing had changed
 * @param trigger the time of the change of endpoints that caused the sync; empty if another change did
 */
public record ProxySync(
        Instant at,
        boolean ok,
        long durationMs,
        int services,
        int changed,
        Optional<Long> waitedMs,
        Optional<Instant> trigger) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** When the proxy was offered the first of the changes; empty if nothing had changed. */
    public Optional<Instant> offered() {
        return waitedMs.map(waited -> at.minusMillis(durationMs + waited));
    }

    /**
     * Reads a line of {@code --print-syncs}.
     *
     * @throws IOException if it is no report of a sync
     */
    static ProxySync read(String line) throws IOException {
        JsonNode sync = JSON.readTree(line);
        if (!sync.path("at").isTextual()) {
            throw new IOException("no sync: " + line);
        }
        try {
            JsonNode waited = sync.path("waitedMs");
            JsonNode trigger = sync.path("trigger");
            return new ProxySync(
                    Instant.parse(sync.path("at").asText()),
                    sync.path("ok").asBoolean(),
                    sync.path("durationMs").asLong(),
                    sync.path("services").asInt(),
                    sync.path("changed").asInt(),
                    waited.isNumber() ? Optional.of(waited.asLong()) : Optional.empty(),
                    trigger.isTextual() ? Optional.of(Instant.parse(trigger.asText())) : Optional.empty());
        } catch (DateTimeParseException e) {
            throw new IOException("no sync: " + line, e);
        }
    }
}
