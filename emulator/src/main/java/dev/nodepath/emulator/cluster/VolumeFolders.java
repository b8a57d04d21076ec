package dev.nodepath.emulator.cluster;

import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ChangeEvent;
import dev.nodepath.apiserver.store.Subscription;
import dev.nodepath.emulator.kubelet.ClaimFolders;
import java.io.IOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Deletes the folder of each PersistentVolume that is deleted. */
final class VolumeFolders implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(VolumeFolders.class);

    private final ClaimFolders folders;
    private final ExecutorService worker = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "volume-folders");
        thread.setDaemon(true);
        return thread;
    });
    private final Subscription subscription;

    VolumeFolders(ClusterApi api, ClaimFolders folders) {
        this.folders = folders;
        this.subscription = api.subscribe(Resources.PERSISTENT_VOLUMES, event -> {
            if (event.type() == ChangeEvent.Type.DELETED) {
                worker.execute(() -> delete(event.key().name()));
            }
        });
    }

    private void delete(String volume) {
        try {
            folders.delete(volume);
        } catch (IOException e) {
            LOG.atWarn()
                    .addKeyValue("volume", volume)
                    .addKeyValue("error", e.getMessage())
                    .log("volume.not_deleted");
        }
    }

    @Override
    public void close() {
        subscription.close();
        worker.shutdownNow();
    }
}
