package dev.nodepath.endpoints.source;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How a source is doing, at one moment.
 *
 * @param skipped what was left out since the start because it cannot be used
 * @param watches one for each kind of objects that is followed at a server; empty for other sources
 */
public record SourceStats(List<Skipped> skipped, List<Watch> watches) {
    /** Copies the lists. */
    public SourceStats {
        skipped = List.copyOf(skipped);
        watches = List.copyOf(watches);
    }

    /**
     * Objects, or entries of objects, that were left out.
     *
     * @param kind of the objects
     * @param reason the field that is wrong, without index, such as {@code spec.ports.port}
     * @param count how many; one that is seen again in a later version counts again
     */
    public record Skipped(String kind, String reason, long count) {}

    /**
     * How one kind of objects is followed.
     *
     * @param kind of the objects
     * @param lists how often all of them were listed
     * @param watches how often a watch was opened
     * @param lastEvent when an object was last said to be new, changed or gone
     * @param lastContact when the server last said anything about this kind; bookmarks count
     * @param errors failures by HTTP status code, or {@code network} if there was no answer or it was cut, or
     *     {@code unreadable} if it made no sense
     * @param forbidden what the server does not let us do, and the RBAC rule that is missing; empty once a watch is open
     */
    public record Watch(
            String kind,
            long lists,
            long watches,
            Optional<Instant> lastEvent,
            Optional<Instant> lastContact,
            Map<String, Long> errors,
            Optional<String> forbidden) {
        /** Copies the map. */
        public Watch {
            errors = Map.copyOf(errors);
        }
    }

    /** How many objects and entries were left out in all. */
    public long skippedCount() {
        return skipped.stream().mapToLong(Skipped::count).sum();
    }
}
