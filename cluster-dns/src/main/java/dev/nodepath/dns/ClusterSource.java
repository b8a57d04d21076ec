package dev.nodepath.dns;

import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ChangeEvent;
import dev.nodepath.apiserver.store.Subscription;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the Services, EndpointSlices and Namespaces of an API server in this process, on a thread of its own. The
 * zone is synced when it has all objects of the start.
 */
public final class ClusterSource implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterSource.class);

    private final ClusterNames names;
    private final ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
        Thread made = new Thread(task, "dns-zone");
        made.setDaemon(true);
        return made;
    });
    private final List<Subscription> subscriptions;

    /** Subscribes, and begins to change the zone. */
    public ClusterSource(ClusterApi api, LiveZone zone) {
        this.names = new ClusterNames(zone);
        this.subscriptions = List.of(
                api.subscribe(Resources.NAMESPACES, later(event -> names.namespace(event.object(), isGone(event)))),
                api.subscribe(Resources.SERVICES, later(event -> names.service(event.object(), isGone(event)))),
                api.subscribe(
                        Resources.ENDPOINT_SLICES,
                        later(event -> names.slice(event.object(), event.before(), isGone(event)))));
        thread.execute(() -> zone.change(Zone::synced));
    }

    @Override
    public void close() {
        subscriptions.forEach(Subscription::close);
        thread.shutdown();
    }

    /** The store calls under its lock, so another thread does the work. */
    private Consumer<ChangeEvent> later(Consumer<ChangeEvent> listener) {
        return event -> {
            try {
                thread.execute(() -> apply(event, listener));
            } catch (RejectedExecutionException e) {
                LOG.atDebug().log("dns.closed");
            }
        };
    }

    private static void apply(ChangeEvent event, Consumer<ChangeEvent> listener) {
        try {
            listener.accept(event);
        } catch (RuntimeException e) {
            LOG.atError().addKeyValue("object", event.key()).setCause(e).log("dns.change_failed");
        }
    }

    private static boolean isGone(ChangeEvent event) {
        return event.type() == ChangeEvent.Type.DELETED;
    }
}
