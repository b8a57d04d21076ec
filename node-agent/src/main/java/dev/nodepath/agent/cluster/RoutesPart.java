package dev.nodepath.agent.cluster;

import dev.nodepath.agent.parts.Part;
import dev.nodepath.agent.parts.Running;
import dev.nodepath.agent.routes.PodRoutes;
import dev.nodepath.agent.routes.RouteSettings;
import dev.nodepath.agent.routes.RouteStatus;
import dev.nodepath.linux.LinuxNet;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.time.Duration;
import java.util.Optional;

/** Keeps the routes to other nodes' pods, and reports their problems. */
public final class RoutesPart implements Part {
    private static final Duration LOOK = Duration.ofSeconds(2);
    private static final Duration LOOK_WAITING = Duration.ofMillis(200);

    private final LinuxNet net;
    private final RouteSettings settings;
    private final ClusterView cluster;
    private final Notices notices;
    private volatile Optional<PodRoutes> current = Optional.empty();

    /** Routes of the namespace that this process is in. */
    public RoutesPart(LinuxNet net, RouteSettings settings, ClusterView cluster, Notices notices) {
        this.net = net;
        this.settings = settings;
        this.cluster = cluster;
        this.notices = notices;
    }

    @Override
    public String name() {
        return "routes";
    }

    /** The status of the routes; empty while none are kept. */
    public Optional<RouteStatus> status() {
        return current.map(PodRoutes::status);
    }

    /** The MTU that fits the paths to all other nodes. */
    public PodMtu podMtu() {
        return status().filter(known -> known.syncs() > 0)
                .map(known -> new PodMtu(
                        true,
                        known.podMtu().isPresent() ? Optional.of(known.podMtu().getAsInt()) : Optional.empty()))
                .orElse(PodMtu.UNSETTLED);
    }

    @Override
    public void run(Running running) throws LinuxNetException, InterruptedException {
        try (NetworkNamespace namespace = net.current();
                PodRoutes routes = PodRoutes.start(namespace, settings)) {
            current = Optional.of(routes);
            Runnable unsubscribe = cluster.subscribe((snapshot, changed) -> {
                if (changed.nodes()) {
                    routes.update(snapshot.nodes());
                }
            });
            try {
                while (!running.awaitStop(look(running, routes.status()))) {
                    // PodRoutes works on threads of its own.
                }
            } finally {
                unsubscribe.run();
            }
        } finally {
            current = Optional.empty();
        }
    }

    /** The time until the next look. */
    private Duration look(Running running, RouteStatus status) {
        status.problems().forEach(problem -> notices.warn("PodRoutes", problem));
        if (status.ready()) {
            running.up();
        } else {
            running.waiting(status.message());
        }
        return status.ready() ? LOOK : LOOK_WAITING;
    }
}
