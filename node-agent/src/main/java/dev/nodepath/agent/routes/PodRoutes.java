package dev.nodepath.agent.routes;

import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.linux.namespace.NetworkChange;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.namespace.NetworkWatch;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.time.BackOff;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the routes to the pods of other nodes: it adds missing routes, removes those of deleted nodes, and restores
 * routes that other programs remove. It changes only routes with the protocol number {@value #PROTOCOL}.
 *
 * <p>A change of the Nodes or of the node's network causes a sync. The time between two syncs is at least {@link
 * #INTERVAL_MIN}. The kernel does not announce every change, so there is a sync every {@link #INTERVAL_MAX} too. It
 * announces no change of the masquerading, so the agent looks at it every {@link #RULES_LOOK}.
 */
public final class PodRoutes implements AutoCloseable {
    /**
     * The protocol number of the agent's routes ({@code ip route show proto 110}): "n". No other program is known to
     * use it.
     */
    public static final int PROTOCOL = 110;

    /** The least time between two syncs. */
    static final Duration INTERVAL_MIN = Duration.ofMillis(100);

    /** The time after which a sync comes although nothing was announced. */
    private static final Duration INTERVAL_MAX = Duration.ofSeconds(30);

    private static final BackOff RETRY = new BackOff(Duration.ofSeconds(1), INTERVAL_MAX);
    private static final Duration WATCH_SLICE = Duration.ofMillis(250);

    /** The time between two looks at the masquerading. Announcements of nf_tables would tell of each proxy rule too. */
    private static final Duration RULES_LOOK = Duration.ofSeconds(1);

    private static final Logger LOG = LoggerFactory.getLogger(PodRoutes.class);
    private static final int RTPROT_KERNEL = 2;
    private static final int RTPROT_RA = 9;

    private final NetworkNamespace namespace;
    private final RouteSettings settings;
    private final RouteSync sync;
    private final Thread worker = new Thread(this::work, "routes");
    private final Thread watcher = new Thread(this::watch, "routes-watch");
    private final Set<String> logged = new HashSet<>();
    private Optional<Map<String, NodeInfo>> nodes = Optional.empty();
    private boolean due;
    private boolean closed;
    private int failures;
    private volatile Set<Integer> links = Set.of();
    private volatile Optional<Integer> overlayIndex = Optional.empty();
    private volatile RouteStatus status = RouteStatus.unknown();

    private PodRoutes(NetworkNamespace namespace, RouteSettings settings) {
        this.namespace = namespace;
        this.settings = settings;
        this.sync = new RouteSync(namespace, settings);
    }

    /**
     * Starts in a namespace; it changes nothing before the Nodes are known.
     *
     * @param namespace the caller closes it after this
     */
    public static PodRoutes start(NetworkNamespace namespace, RouteSettings settings) {
        PodRoutes routes = new PodRoutes(namespace, settings);
        routes.worker.setDaemon(true);
        routes.watcher.setDaemon(true);
        routes.worker.start();
        routes.watcher.start();
        return routes;
    }

    /** Sets all Nodes by name, and returns at once. Nothing changes while this node's Node is missing. */
    public synchronized void update(Map<String, NodeInfo> nodes) {
        if (!this.nodes.equals(Optional.of(nodes))) {
            this.nodes = Optional.of(Map.copyOf(nodes));
            due = true;
            notifyAll();
        }
    }

    /** The status of the routes. */
    public RouteStatus status() {
        return status;
    }

    /** Stops and waits for a running sync; routes, overlay and masquerading stay. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        joinUninterruptibly(worker);
        joinUninterruptibly(watcher);
    }

    private void work() {
        Duration wait = INTERVAL_MAX;
        for (Optional<Map<String, NodeInfo>> next = await(wait); !isClosed(); next = await(wait)) {
            if (next.isPresent()) {
                wait = sync(next.get()) ? INTERVAL_MAX : RETRY.after(++failures);
                pause();
            }
        }
    }

    /** Waits until a sync is due or this time has passed; the Nodes then, if they are known. */
    private synchronized Optional<Map<String, NodeInfo>> await(Duration limit) {
        waitAtMost(limit, false);
        due = false;
        return nodes;
    }

    /** Changes that come meanwhile are in the next sync. */
    private void pause() {
        waitAtMost(INTERVAL_MIN, true);
    }

    private synchronized void waitAtMost(Duration limit, boolean evenIfDue) {
        long deadline = System.nanoTime() + limit.toNanos();
        try {
            for (long left = limit.toMillis();
                    left > 0 && !closed && (evenIfDue || !due);
                    left = (deadline - System.nanoTime()) / 1_000_000) {
                wait(left);
            }
        } catch (InterruptedException e) {
            closed = true;
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /** Whether all was done that can be done. */
    private boolean sync(Map<String, NodeInfo> all) {
        if (!all.containsKey(settings.node())) {
            String problem = "Node " + settings.node() + " is not among the " + all.size() + " Nodes";
            log(Set.of(problem));
            status = status.unsynced(false, problem, 0);
            return true;
        }
        try {
            long start = System.nanoTime();
            RouteSync.Result result = sync.sync(all);
            take(result, Duration.ofNanos(System.nanoTime() - start));
            if (result.errors().isEmpty()) {
                failures = 0;
            }
            return result.errors().isEmpty();
        } catch (LinuxNetException e) {
            return failed(String.valueOf(e.getMessage()));
        } catch (RuntimeException | Error e) {
            // Without this thread, routes would no longer follow changes, and the status would be outdated.
            LOG.atError().setCause(e).log("routes.sync_failed");
            return failed(e.toString());
        }
    }

    private boolean failed(String problem) {
        log(Set.of(problem));
        status = status.unsynced(status.ready(), problem, 1);
        return false;
    }

    private void take(RouteSync.Result result, Duration took) {
        RoutePlan plan = result.plan();
        links = plan.links();
        overlayIndex = result.overlayIndex();
        List<String> problems = new ArrayList<>();
        plan.ownProblem().ifPresent(problems::add);
        problems.addAll(plan.problems());
        problems.addAll(result.errors());
        log(new HashSet<>(problems));
        if (result.changes() > 0) {
            LOG.atInfo()
                    .addKeyValue("wanted", plan.wanted())
                    .addKeyValue("standing", result.standing())
                    .addKeyValue("changes", result.changes())
                    .addKeyValue("duration_ms", took.toMillis())
                    .log("routes.synced");
        }
        boolean reachable = plan.wanted() == 0 || result.standing() > 0;
        String inForce = result.standing() + " of " + plan.wanted() + " podCIDRs of other nodes have their route";
        status = new RouteStatus(
                plan.ownProblem().isEmpty() && reachable,
                problems.isEmpty() ? inForce : inForce + "; " + problems.get(0),
                plan.wanted(),
                result.standing(),
                plan.podMtu(),
                problems,
                status.syncs() + 1,
                status.failures() + (result.errors().isEmpty() ? 0 : 1),
                status.changes() + result.changes());
    }

    /** Logs each problem once when it appears and once when it is gone. */
    private void log(Set<String> problems) {
        for (String problem : problems) {
            if (logged.add(problem)) {
                LOG.atWarn().addKeyValue("problem", problem).log("routes.problem");
            }
        }
        for (String gone : Set.copyOf(logged)) {
            if (!problems.contains(gone)) {
                logged.remove(gone);
                LOG.atInfo().addKeyValue("problem", gone).log("routes.problem_solved");
            }
        }
    }

    private void watch() {
        while (!isClosed()) {
            try (NetworkWatch watch = namespace.watch()) {
                wake();
                long looked = System.nanoTime();
                while (!isClosed()) {
                    boolean changed = watch.await(WATCH_SLICE).stream().anyMatch(this::matters);
                    if (System.nanoTime() - looked >= RULES_LOOK.toNanos()) {
                        changed |= areRulesLost();
                        looked = System.nanoTime();
                    }
                    if (changed) {
                        wake();
                    }
                }
            } catch (LinuxNetException e) {
                LOG.atWarn().addKeyValue("error", e.getMessage()).log("routes.watch_failed");
                pause();
            } catch (RuntimeException | Error e) {
                // Without this thread changes and lost rules would go unnoticed.
                LOG.atError().setCause(e).log("routes.watch_failed");
                pause();
            }
        }
    }

    /** A look that fails is no reason to give up the watch: the next one comes soon. */
    private boolean areRulesLost() {
        try {
            return sync.areRulesLost();
        } catch (LinuxNetException e) {
            LOG.atDebug().addKeyValue("error", e.getMessage()).log("routes.rule_check_failed");
            return false;
        }
    }

    private synchronized void wake() {
        due = true;
        notifyAll();
    }

    /** Pods that come and go on this node change links, addresses and routes as well, but none of these. */
    private boolean matters(NetworkChange change) {
        return switch (change.kind()) {
            case LOST, ADDRESS -> true;
            case LINK -> links.contains(change.linkIndex()) || overlayIndex.equals(Optional.of(change.linkIndex()));
            case NEIGHBOUR -> change.removed() && overlayIndex.equals(Optional.of(change.linkIndex()));
            case ROUTE ->
                change.protocol() == PROTOCOL
                        ? change.removed()
                        : change.protocol() != RTPROT_KERNEL && change.protocol() != RTPROT_RA;
        };
    }

    private static void joinUninterruptibly(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
