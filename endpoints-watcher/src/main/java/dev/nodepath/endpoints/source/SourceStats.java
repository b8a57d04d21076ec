package dev.nodepath.endpoints.source;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The state of a source at one moment.
 *
 * @param skipped the unusable objects and entries that were left out since the start
 * @param watches one for each kind that is watched at a server; empty for other sources
 */
public record SourceStats(List<Skipped> skipped, List<Watch> watches) {
    public SourceStats {
        skipped = List.copyOf(skipped);
        watches = List.copyOf(watches);
    }

    /**
     * Objects, or entries of objects, that were left out.
     *
     * @param kind of the objects
     * @param reason the field that is wrong, without index, such as {@code spec.ports.port}
     * @param count how many; the same object counts again in each later version
     */
    public record Skipped(String kind, String reason, long count) {}

    /**
     * The watch of one kind of objects.
     *
     * @param kind of the objects
     * @param lists how often all of them were listed
     * @param watches how often a watch was opened
     * @param lastEvent when the server last reported a new, changed or deleted object
     * @param lastContact when the server last sent anything about this kind, bookmarks included
     * @param errors failures by HTTP status code; {@code network} for no answer or a cut one, {@code unreadable} for an
     *     answer that cannot be parsed
     * @param forbidden the request that the server forbids, with the missing RBAC rule; empty once a watch is open
     */
    public record Watch(
            String kind,
            long lists,
            long watches,
            Optional<Instant> lastEvent,
            Optional<Instant> lastContact,
            Map<String, Long> errors,
            Optional<String> forbidden) {
        public Watch {
            errors = Map.copyOf(errors);
        }
    }
}
