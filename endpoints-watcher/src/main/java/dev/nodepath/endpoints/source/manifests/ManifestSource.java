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
 * Services, EndpointSlices and Nodes from files and folders of manifests, followed as the files change. A change is
 * noticed within 100 ms as a rule and a second at the latest.
 *
 * <p>An object that cannot be used, or an entry of one, is left out: it is named in the log once ({@code
 * source.object_skipped}) and counted; the rest of its file is used. A file that is no manifest as a whole keeps the source
 * from starting. After that a file that breaks, is emptied, or names an object that another one has stays in force as it
 * was ({@code manifest.rejected}) until it is right again ({@code manifest.mended}); the others go on. The objects of a file that is removed are removed; those of a folder that is gone itself are kept.
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

    /** A source that has not started. */
    public ManifestSource(List<Path> paths, Clock clock) {
        this.paths = List.copyOf(paths);
        this.clock = clock;
    }

    /**
     * Reads everything, gives the listener the first snapshot, and follows the files on a thread of its own.
     *
     * @throws ManifestException if any manifest cannot be read as one
     */
    @Override
    public synchronized void start(SnapshotListener listener) throws ManifestException {
        if (thread != null) {
            throw new IllegalStateException("a source starts once");
        }
        // The watch is there before the first read, so that no change falls between the two.
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
                    // Whatever it is, an OutOfMemoryError of one large file included: the others are to be followed
                    // still.
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

    /** The named folders, and the ones that the named files are in: a file is replaced by a rename in its folder. */
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
