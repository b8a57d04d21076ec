package dev.nodepath.emulator.kubelet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ChangeEvent;
import dev.nodepath.apiserver.store.Subscription;
import dev.nodepath.controllers.object.PodState;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Runs the Pods that are bound to one node, until they are deleted, and renews the node's Lease. */
public final class Kubelet implements AutoCloseable {
    private static final int TIMER_THREADS = 2;
    /** A real kubelet also looks so often for changes that cause no event. */
    private static final int SYNC_SECONDS = 60;

    private final NodeContext node;
    private final NodeLease lease;
    private final ScheduledExecutorService timers;
    private final ExecutorService dispatcher;
    private final ExecutorService background;
    private final AtomicBoolean reachable = new AtomicBoolean(true);
    private final Map<String, PodWorker> workers = new ConcurrentHashMap<>();
    private final List<Subscription> subscriptions = new ArrayList<>();

    /**
     * A kubelet that runs nothing yet.
     *
     * @param node what it is the kubelet of
     * @param cluster the parts that it shares with the others
     */
    public Kubelet(KubeletNode node, ClusterContext cluster) {
        this(node, cluster, new CniRuntime(node.plugin(), cluster.net().path(node.name()), node.files()));
    }

    Kubelet(KubeletNode node, ClusterContext cluster, CniPlugin cni) {
        this.timers = timers(node);
        this.dispatcher = Executors.newSingleThreadExecutor(task -> daemon(task, "kubelet-" + node.name()));
        this.background = Executors.newCachedThreadPool(task -> daemon(task, "pods-" + node.name()));
        this.lease = new NodeLease(node.name(), cluster.access(), node.namespace(), cluster.clock(), this::connected);
        this.node = new NodeContext(
                node,
                cluster,
                cni,
                new PodEvents(cluster.api(), node.name(), cluster.clock()),
                new PodEnvironment(cluster.api()),
                timers,
                background,
                reachable::get);
    }

    /** Begins to follow the Pods. */
    public void start() {
        tellWhatRunsNoMore();
        lease.start();
        subscriptions.add(node.cluster().api().subscribe(Resources.PODS, this::handle));
        subscriptions.add(node.cluster().api().subscribe(Resources.SERVICES, this::handleService));
        subscriptions.add(node.cluster().api().subscribe(Resources.CONFIG_MAPS, this::handleData));
        subscriptions.add(node.cluster().api().subscribe(Resources.SECRETS, this::handleData));
        var unused = node.timers()
                .scheduleWithFixedDelay(
                        () -> background.execute(() -> workers.values().forEach(PodWorker::refreshVolumes)),
                        SYNC_SECONDS,
                        SYNC_SECONDS,
                        TimeUnit.SECONDS);
    }

    /** Tells that Pods from before the loss of power have no network any more. */
    private void tellWhatRunsNoMore() {
        for (ObjectNode pod : node.cluster().api().list(Resources.PODS, "").objects()) {
            if (isHere(pod) && !pod.path("status").path("podIP").asText("").isEmpty() && !PodState.isFinished(pod)) {
                new PodWorker(node, pod).publish();
            }
        }
    }

    private boolean isHere(ObjectNode pod) {
        return pod.path("spec").path("nodeName").asText("").equals(node.node().name());
    }

    /** Its Pods may have been changed while the node was cut off: their status is written again. */
    private void connected(boolean now) {
        reachable.set(now);
        if (now) {
            workers.values().forEach(worker -> background.execute(worker::publish));
        }
    }

    private static ScheduledExecutorService timers(KubeletNode node) {
        ScheduledThreadPoolExecutor timers = new ScheduledThreadPoolExecutor(
                TIMER_THREADS, task -> daemon(() -> runInside(node, task), "probes-" + node.name()));
        timers.setRemoveOnCancelPolicy(true);
        return timers;
    }

    /** Sockets of this thread are opened in the node's namespace. */
    private static void runInside(KubeletNode node, Runnable task) {
        try {
            node.namespace().call(() -> {
                task.run();
                return true;
            });
        } catch (LinuxNetException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    /** The store is locked here, so the decision comes later. */
    private void handle(ChangeEvent event) {
        if (isHere(event.object())) {
            dispatcher.execute(() -> dispatch(event));
        }
    }

    private void handleService(ChangeEvent event) {
        if (event.type() != ChangeEvent.Type.DELETED) {
            dispatcher.execute(() -> workers.values().forEach(worker -> serve(worker, event.object())));
        }
    }

    /** A volume follows its source; an optional source may come later. */
    private void handleData(ChangeEvent event) {
        String namespace = ObjectKey.of(event.object()).namespace();
        dispatcher.execute(() -> workers.values().stream()
                .filter(worker -> worker.key().namespace().equals(namespace))
                .forEach(worker -> background.execute(worker::refreshVolumes)));
    }

    private void serve(PodWorker worker, ObjectNode service) {
        Set<Integer> ports = worker.portsOf(service);
        if (!ports.isEmpty()) {
            background.execute(() -> worker.serve(ports));
        }
    }

    private void dispatch(ChangeEvent event) {
        ObjectNode pod = event.object();
        String uid = pod.path("metadata").path("uid").asText();
        PodWorker worker = workers.get(uid);
        boolean ending = pod.path("metadata").has("deletionTimestamp");
        if (event.type() == ChangeEvent.Type.DELETED) {
            if (worker != null) {
                end(worker, Duration.ZERO);
            }
        } else if (worker == null && ending) {
            PodWorker unknown = new PodWorker(node, pod);
            workers.put(uid, unknown);
            finish(unknown, unknown::forget);
        } else if (worker != null && ending) {
            long grace = pod.path("metadata").path("deletionGracePeriodSeconds").asLong(0);
            end(worker, Duration.ofSeconds(grace));
        } else if (worker != null) {
            worker.update(pod);
        } else if (!PodState.isFinished(pod)) {
            PodWorker begun = new PodWorker(node, pod);
            workers.put(uid, begun);
            background.execute(begun::run);
        }
    }

    private void end(PodWorker worker, Duration grace) {
        if (!worker.isEnding()) {
            finish(worker, () -> worker.end(grace));
        } else if (grace.isZero()) {
            background.execute(worker::hurry);
        }
    }

    private void finish(PodWorker worker, Runnable work) {
        worker.markEnding();
        background.execute(() -> {
            try {
                work.run();
            } finally {
                workers.remove(worker.uid(), worker);
            }
        });
    }

    /** The network namespace of a Pod that runs here. It is the Pod's: do not close it. */
    public NetworkNamespace namespace(ObjectKey pod) {
        return workers.values().stream()
                .filter(worker -> worker.key().equals(pod))
                .flatMap(worker -> worker.namespace().stream())
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("Pod " + pod + " has no network here"));
    }

    /** The network namespace of the Pod with this uid, as long as it has one here. Do not close it. */
    Optional<NetworkNamespace> namespace(String uid) {
        return Optional.ofNullable(workers.get(uid)).flatMap(PodWorker::namespace);
    }

    /** The present container of this name, of the Pod with this uid. */
    Optional<Container> container(String uid, String name) {
        return Optional.ofNullable(workers.get(uid)).flatMap(worker -> worker.container(name));
    }

    /** Whether the Pod with this uid has not ended yet. */
    boolean runs(String uid) {
        return workers.containsKey(uid);
    }

    /** Whether a Pod of this name has not ended yet. */
    public boolean runs(ObjectKey pod) {
        return workers.values().stream().anyMatch(worker -> worker.key().equals(pod));
    }

    /** Whether any Pod has not ended yet. */
    public boolean isBusy() {
        return !workers.isEmpty();
    }

    /** The node has lost its power: its Pods' containers and networks are gone, and the API server is not told. */
    public void lose() {
        reachable.set(false);
        subscriptions.forEach(Subscription::close);
        dispatcher.shutdownNow();
        close();
        workers.values().forEach(PodWorker::lose);
        workers.clear();
    }

    /** Ends every container. The Pods' networks stay: they end with the enclosure. */
    @Override
    public void close() {
        subscriptions.forEach(Subscription::close);
        dispatcher.shutdown();
        workers.values().forEach(PodWorker::markEnding);
        workers.values().forEach(PodWorker::hurry);
        lease.close();
        timers.shutdownNow();
        background.shutdown();
    }
}
