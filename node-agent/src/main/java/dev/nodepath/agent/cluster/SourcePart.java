package dev.nodepath.agent.cluster;

import dev.nodepath.agent.parts.Part;
import dev.nodepath.agent.parts.Running;
import dev.nodepath.endpoints.source.ServiceSource;
import dev.nodepath.endpoints.source.SnapshotListener;
import dev.nodepath.endpoints.source.SourceException;
import dev.nodepath.endpoints.source.SourceStats;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Restarts the watcher until it can follow its source; from then on the watcher recovers by itself. Later refusals of
 * the server become notices: the last snapshot stays in force, and nothing else would show them.
 */
public final class SourcePart implements Part {
    private static final SourceStats NO_STATS = new SourceStats(List.of(), List.of());

    private static final Duration LOOK = Duration.ofSeconds(2);

    private final Sources sources;
    private final SnapshotListener listener;
    private final Notices notices;
    private volatile Optional<ServiceSource> current = Optional.empty();

    /** Makes a new source, because a source can be started only once. */
    @FunctionalInterface
    public interface Sources {
        /** Opens a further source. */
        ServiceSource open() throws Exception;
    }

    /** Tells a listener of every snapshot. */
    public SourcePart(Sources sources, SnapshotListener listener, Notices notices) {
        this.sources = sources;
        this.listener = listener;
        this.notices = notices;
    }

    @Override
    public String name() {
        return "source";
    }

    /** The status of the present source. */
    public SourceStats stats() {
        return current.map(ServiceSource::stats).orElse(NO_STATS);
    }

    @Override
    public void run(Running running) throws Exception {
        try (ServiceSource source = sources.open()) {
            current = Optional.of(source);
            source.start((snapshot, changed) -> {
                running.up();
                listener.changed(snapshot, changed);
            });
            while (!running.awaitStop(LOOK)) {
                tellWhatIsForbidden(source.stats());
            }
        } catch (SourceException e) {
            current = Optional.empty();
            throw e;
        }
    }

    private void tellWhatIsForbidden(SourceStats stats) {
        for (SourceStats.Watch watch : stats.watches()) {
            watch.forbidden().ifPresent(problem -> notices.warn("WatchForbidden", name() + ": " + problem));
        }
    }
}
