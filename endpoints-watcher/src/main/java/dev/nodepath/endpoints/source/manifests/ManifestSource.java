package dev.nodepath.endpoints.source.manifests;

import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.source.ServiceSource;
import dev.nodepath.endpoints.source.SnapshotListener;
import dev.nodepath.endpoints.source.SourceStats;
import dev.nodepath.endpoints.source.objects.SkippedObjects;
import dev.nodepath.endpoints.tracker.SnapshotTracker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads Services, EndpointSlices and Nodes from files and folders of manifests. It notices a change within 100 ms as a
 * rule, and within a second at most.
 *
 * <p>An unusable object or entry is skipped, logged once ({@code source.object_skipped}) and counted. The rest of its
 * file is used. At the start, a file that is no manifest is an error. Later, a file may become invalid or empty, or may
 * get an object that another file has. Then its last version stays in force ({@code manifest.rejected}) until the file
 * is valid again ({@code manifest.accepted}). Other files are not affected. When a file is removed, its objects are
 * removed. When a whole folder is removed, its objects stay.
 */
public final class ManifestSource implements ServiceSource {
    private static final Logger LOG = LoggerFactory.getLogger(ManifestSource.class);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

    private final List<Path> paths;
    private final Clock clock;
    private final SkippedObjects skipped = new SkippedObjects();
    private final SnapshotTracker tracker = new SnapshotTracker();
    private volatile ServiceSnapshot snapshot = ServiceSnapshot.EMPTY;
    private @Nullable FolderWatch watch;
    private @Nullable Thread thread;

    /** Creates a source; {@link #start} starts it. */
    public ManifestSource(List<Path> paths, Clock clock) {
        this.paths = List.copyOf(paths);
        this.clock = clock;
    }

    /**
     * Reads all files, gives the listener the first snapshot, and watches the files on a thread of its own.
     *
     * @throws ManifestException if any file is no manifest
     */
    @Override
    public synchronized void start(SnapshotListener listener) throws ManifestException {
        if (thread != null) {
            throw new IllegalStateException("a source starts once");
        }
        // The watch starts before the first read, so that no change is missed.
        FolderWatch newWatch = new FolderWatch(foldersToWatch());
        ManifestSet manifests;
        try {
            manifests = ManifestSet.load(paths, clock, skipped);
            publish(manifests, listener, true);
        } catch (ManifestException | RuntimeException e) {
            newWatch.close();
            throw e;
        }
        watch = newWatch;
        thread = new Thread(() -> follow(newWatch, manifests, listener), "manifest-source");
        thread.setDaemon(true);
        thread.start();
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
    public synchronized void close() {
        if (watch == null || thread == null) {
            return;
        }
        watch.close();
        try {
            thread.join(CLOSE_TIMEOUT.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void follow(FolderWatch changes, ManifestSet manifests, SnapshotListener listener) {
        try {
            while (changes.await()) {
                try {
                    if (manifests.refresh()) {
                        publish(manifests, listener, false);
                    }
                } catch (Throwable e) {
                    // Catches everything, even the OutOfMemoryError of one large file: other files must still be
                    // followed.
                    LOG.atError().setCause(e).log("manifest.refresh_failed");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void publish(ManifestSet manifests, SnapshotListener listener, boolean first) {
        tracker.replaceAll(manifests.inForce());
        SnapshotTracker.Update update = tracker.commit();
        snapshot = update.snapshot();
        if (first || !update.change().isEmpty()) {
            listener.changed(update.snapshot(), update.change());
        }
    }

    /** The given folders, and the folders of the given files, because a rename may replace a file. */
    private Set<Path> foldersToWatch() {
        Set<Path> folders = new HashSet<>();
        for (Path path : paths) {
            Path absolute = path.toAbsolutePath();
            Path parent = absolute.getParent();
            folders.add(Files.isDirectory(path) || parent == null ? absolute : parent);
        }
        return folders;
    }
}
