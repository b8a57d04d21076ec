package dev.nodepath.endpoints.source.manifests;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for changes in folders. It uses inotify, and a periodic poll for changes that inotify misses: files behind
 * links, network file systems, a replaced folder.
 */
final class FolderWatch implements AutoCloseable {
    /** The longest wait. */
    static final Duration POLL_INTERVAL = Duration.ofSeconds(1);
    /** A change is reported after this time without a further one, because a file is often written in several steps. */
    static final Duration QUIET = Duration.ofMillis(20);
    /** A change is reported after this time at the latest. */
    static final Duration MAX_SETTLE = Duration.ofMillis(80);

    private static final Logger LOG = LoggerFactory.getLogger(ManifestSource.class);

    private final Set<Path> folders;
    private final @Nullable WatchService watcher;
    private final CountDownLatch closed = new CountDownLatch(1);

    /** Starts to watch. */
    FolderWatch(Set<Path> folders) {
        this.folders = Set.copyOf(folders);
        this.watcher = open();
        register();
    }

    /**
     * Returns when something may have changed.
     *
     * @return false if the watch was closed
     */
    boolean await() throws InterruptedException {
        if (watcher == null) {
            return !closed.await(POLL_INTERVAL.toNanos(), TimeUnit.NANOSECONDS);
        }
        try {
            register();
            WatchKey key = watcher.poll(POLL_INTERVAL.toNanos(), TimeUnit.NANOSECONDS);
            long first = System.nanoTime();
            while (key != null) {
                key.pollEvents();
                key.reset();
                long left = MAX_SETTLE.toNanos() - (System.nanoTime() - first);
                key = left <= 0 ? null : watcher.poll(Math.min(left, QUIET.toNanos()), TimeUnit.NANOSECONDS);
            }
            return true;
        } catch (ClosedWatchServiceException e) {
            return false;
        }
    }

    @Override
    public void close() {
        closed.countDown();
        try {
            if (watcher != null) {
                watcher.close();
            }
        } catch (IOException e) {
            LOG.atWarn().addKeyValue("error", e).log("manifest.watch_close_failed");
        }
    }

    /** Registers the folders. A second registration of a folder changes nothing, and costs a system call. */
    private void register() {
        if (watcher == null) {
            return;
        }
        for (Path folder : folders) {
            try {
                folder.register(
                        watcher,
                        StandardWatchEventKinds.ENTRY_CREATE,
                        StandardWatchEventKinds.ENTRY_MODIFY,
                        StandardWatchEventKinds.ENTRY_DELETE);
            } catch (IOException e) {
                LOG.atDebug()
                        .addKeyValue("folder", folder)
                        .addKeyValue("error", e)
                        .log("manifest.folder_not_watched");
            }
        }
    }

    private static @Nullable WatchService open() {
        try {
            return FileSystems.getDefault().newWatchService();
        } catch (IOException e) {
            LOG.atWarn()
                    .addKeyValue("error", e)
                    .addKeyValue("poll_ms", POLL_INTERVAL.toMillis())
                    .log("manifest.watch_unavailable");
            return null;
        }
    }
}
