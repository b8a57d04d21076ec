package dev.nodepath.endpoints.source;

import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.SnapshotTracker;
import java.nio.file.Path;
import java.util.List;

/**
 * Reads Services, EndpointSlices and Nodes from files and folders of manifests, once. An unusable object or entry is
 * skipped, logged ({@code source.object_skipped}) and counted. The rest of its file is used.
 */
public final class ManifestSource implements ServiceSource {
    private final List<Path> paths;
    private final SkippedObjects skipped = new SkippedObjects();
    private volatile ServiceSnapshot snapshot = ServiceSnapshot.EMPTY;

    /** Creates a source; {@link #start} reads the files. */
    public ManifestSource(List<Path> paths) {
        this.paths = List.copyOf(paths);
    }

    /**
     * Reads all files, and gives the listener their snapshot.
     *
     * @throws ManifestException if any file is no manifest
     */
    @Override
    public void start(SnapshotListener listener) throws ManifestException {
        BadObject.Handler skip = bad -> skipped.report(bad.kind(), bad.place(), bad.problems());
        SnapshotTracker tracker = new SnapshotTracker();
        tracker.replaceAll(
                Manifests.of(ManifestReader.objects(paths, skip), skip).cluster());
        SnapshotTracker.Update update = tracker.commit();
        snapshot = update.snapshot();
        listener.changed(update.snapshot(), update.change());
    }

    @Override
    public ServiceSnapshot snapshot() {
        return snapshot;
    }

    @Override
    public SourceStats stats() {
        return new SourceStats(skipped.counts(), List.of());
    }

    @Override
    public void close() {}
}
