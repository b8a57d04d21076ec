package dev.nodepath.emulator.kubelet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.Deletion;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.controllers.object.PodState;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One Pod of a node from its sandbox to its end. {@link #run} and {@link #end} are each called once, on threads that
 * may wait.
 */
final class PodWorker {
    private static final Logger LOG = LoggerFactory.getLogger(PodWorker.class);
    private static final Duration RETRY = Duration.ofSeconds(2);
    private static final Duration PERMIT_LOOK = Duration.ofMillis(200);
    private static final Duration CONNECTION_LOOK = Duration.ofMillis(200);
    private static final Duration INIT_LOOK = Duration.ofMillis(50);
    /** As with a real kubelet. */
    private static final Duration SIDECAR_GRACE_MIN = Duration.ofSeconds(2);

    private final NodeContext node;
    private final ObjectKey key;
    private final PodFolder folder;
    private final PodNetwork network;
    private final PodSurroundings surroundings;
    private final Instant startedAt;
    private final CountDownLatch prepared = new CountDownLatch(1);
    private final CountDownLatch started = new CountDownLatch(1);
    private final AtomicBoolean startsAdded = new AtomicBoolean();
    private final Object placing = new Object();
    private boolean hasLeft;
    private final CountDownLatch hurry = new CountDownLatch(1);
    private final CountDownLatch ending = new CountDownLatch(1);
    private final AtomicBoolean othersEnd = new AtomicBoolean();
    private final Object publishing = new Object();
    private volatile ObjectNode pod;
    private volatile boolean initialized;
    private volatile boolean overdue;
    private volatile List<ContainerRunner> initContainers = List.of();
    private volatile List<ContainerRunner> containers = List.of();
    private volatile List<ContainerRunner> ephemeral = List.of();

    PodWorker(NodeContext node, ObjectNode pod) {
        this.node = node;
        this.pod = pod;
        this.key = ObjectKey.of(pod);
        this.folder = PodFolder.of(node.cluster().folder(), pod);
        this.network = new PodNetwork(
                key,
                uid(),
                node.node(),
                node.cluster().net(),
                node.cni(),
                pod.path("spec").path("hostNetwork").asBoolean(false),
                ContainerSpec.hostPorts(pod));
        this.surroundings = new PodSurroundings(node, () -> this.pod, folder, network, this::changed);
        this.startedAt = node.cluster().clock().instant();
    }

    /** The Pod's name. */
    ObjectKey key() {
        return key;
    }

    /** Its uid: a Pod of the same name may follow it. */
    String uid() {
        return pod.path("metadata").path("uid").asText();
    }

    /** The object has changed. */
    void update(ObjectNode changed) {
        ObjectNode before = pod;
        pod = changed;
        // Other programs write the conditions of its readiness gates.
        if (changed.path("spec").has("readinessGates")
                && !changed.at("/status/conditions").equals(before.at("/status/conditions"))) {
            node.background().execute(this::publish);
        }
        redefine(initContainers, ContainerSpec.initContainers(changed));
        redefine(containers, ContainerSpec.containers(changed));
        if (deadline(changed) != deadline(before)) {
            endAtDeadline();
        }
        if (!added().isEmpty() && startsAdded.compareAndSet(false, true)) {
            node.background().execute(this::startAdded);
        }
    }

    /** Of a running container only the image may change. */
    private static void redefine(List<ContainerRunner> runners, List<ContainerSpec> changed) {
        for (ContainerRunner runner : runners) {
            changed.stream()
                    .filter(spec -> spec.name().equals(runner.spec().name()))
                    .filter(spec -> !spec.image().equals(runner.wantedImage()))
                    .forEach(runner::redefine);
        }
    }

    /** The new ephemeral containers of the object. */
    private List<ContainerSpec> added() {
        Set<String> known = ephemeral.stream().map(each -> each.spec().name()).collect(Collectors.toSet());
        return ContainerSpec.ephemeralContainers(pod).stream()
                .filter(spec -> !known.contains(spec.name()))
                .toList();
    }

    /** They start beside the first containers, but not in a Pod that has ended. */
    private void startAdded() {
        try {
            prepared.await();
            List<ContainerRunner> started;
            synchronized (startsAdded) {
                startsAdded.set(false);
                if (!startsMore() || PodState.isFinished(pod)) {
                    return;
                }
                started = surroundings.runners(added(), "Never", "ContainerCreating");
                ephemeral = Stream.concat(ephemeral.stream(), started.stream()).toList();
            }
            publish();
            addPlaces();
            // If the Pod ends meanwhile, the thread that ends it stops these containers: each of the two threads sees
            // the other's change.
            started.stream().filter(each -> startsMore()).forEach(ContainerRunner::start);
        } catch (IOException e) {
            LOG.atWarn()
                    .addKeyValue("pod", key)
                    .addKeyValue("problem", e.getMessage())
                    .log("pod.no_place");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Adds the places of its containers, unless they have been removed for good. */
    private void addPlaces() throws IOException {
        List<String> names = Stream.of(containers, initContainers, ephemeral)
                .flatMap(List::stream)
                .map(each -> each.spec().name())
                .toList();
        synchronized (placing) {
            if (!hasLeft) {
                node.cluster().places().addPod(key, names, folder.containers());
            }
        }
    }

    private void removePlaces() throws IOException {
        synchronized (placing) {
            hasLeft = true;
            node.cluster().places().removePod(key, folder.containers());
        }
    }

    /**
     * Makes its network, and starts its containers. When this returns they run, or are tried again in the background.
     */
    void run() {
        endAtDeadline();
        try {
            if (!connect()) {
                return;
            }
            prepare();
            prepared.countDown();
            if (runInitContainers()) {
                initialized = true;
                startContainers();
            } else if (startsMore()) {
                stopSidecars(System.nanoTime() + grace().toNanos());
            }
        } catch (IOException e) {
            LOG.atError()
                    .addKeyValue("pod", key)
                    .addKeyValue("problem", e.getMessage())
                    .log("pod.failed");
            node.events().warning(pod, "Failed", String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            prepared.countDown();
            started.countDown();
        }
        publish();
    }

    /** A ConfigMap or a Secret of its namespace may have changed, or a token may be old. */
    void refreshVolumes() {
        if (started.getCount() == 0 && !isEnding()) {
            surroundings.refreshVolumes();
        }
    }

    /** The ports to which a Service leads here. */
    Set<Integer> portsOf(ObjectNode service) {
        return ServicePorts.of(List.of(service), pod);
    }

    /** Services lead to these ports: built-in servers listen there from now on. */
    void serve(Set<Integer> ports) {
        for (ContainerRunner container : allContainers()) {
            try {
                container.serve(ports);
            } catch (IOException e) {
                LOG.atWarn()
                        .addKeyValue("pod", key)
                        .addKeyValue("ports", ports)
                        .addKeyValue("problem", e.getMessage())
                        .log("pod.not_served");
            }
        }
    }

    /**
     * {@code activeDeadlineSeconds} count from the time when the kubelet took the Pod. The number may only become
     * smaller: a later timer finds an ended Pod.
     */
    private void endAtDeadline() {
        long seconds = deadline(pod);
        if (seconds > 0) {
            Duration active = Duration.between(startedAt, node.cluster().clock().instant());
            var unused = node.timers()
                    .schedule(
                            () -> node.background().execute(this::endOverdue),
                            Math.max(0, TimeUnit.SECONDS.toMillis(seconds) - active.toMillis()),
                            TimeUnit.MILLISECONDS);
        }
    }

    private static long deadline(ObjectNode pod) {
        return pod.path("spec").path("activeDeadlineSeconds").asLong(0);
    }

    private void endOverdue() {
        if (isEnding() || overdue || PodState.isFinished(pod)) {
            return;
        }
        overdue = true;
        node.events().normal(pod, PodStatusWriter.DEADLINE_EXCEEDED, PodStatusWriter.DEADLINE_MESSAGE);
        try {
            started.await();
            stopContainers(System.nanoTime() + grace().toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        publish();
    }

    private Duration grace() {
        return Duration.ofSeconds(
                pod.path("spec").path("terminationGracePeriodSeconds").asLong(30));
    }

    /**
     * Starts the containers one after the other: each waits for the postStart hook of the one before. If the Pod ends
     * meanwhile, the thread that ends it stops them: each of the two threads sees the other's change.
     */
    private void startContainers() throws InterruptedException {
        for (int i = 0; i < containers.size(); i++) {
            if (i > 0) {
                awaitHook(containers.get(i - 1));
            }
            if (startsMore()) {
                containers.get(i).start();
            }
        }
    }

    private void awaitHook(ContainerRunner container) throws InterruptedException {
        while (container.isStarting()) {
            if (ending.await(INIT_LOOK.toMillis(), TimeUnit.MILLISECONDS) || overdue) {
                return;
            }
        }
    }

    /**
     * Ends it: hooks, containers, network, files, and then the object itself.
     *
     * @param grace for the containers to end by themselves
     */
    void end(Duration grace) {
        if (grace.isZero()) {
            hurry.countDown();
        }
        try {
            started.await();
            long deadline = System.nanoTime() + grace.toNanos();
            stopContainers(deadline);
            publish();
            removeAll();
            removeObject();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The Pod never ran here: only the object is removed. */
    void forget() {
        try {
            removeObject();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void removeAll() throws InterruptedException {
        try {
            removePlaces();
            surroundings.end();
            network.disconnect();
        } catch (IOException e) {
            LOG.atError()
                    .addKeyValue("pod", key)
                    .addKeyValue("problem", e.getMessage())
                    .log("pod.network_left");
        }
        try {
            folder.delete();
        } catch (IOException e) {
            LOG.atWarn()
                    .addKeyValue("pod", key)
                    .addKeyValue("problem", e.getMessage())
                    .log("pod.files_left");
        }
    }

    /** Its node has lost its power: only its files are left. */
    void lose() {
        try {
            removePlaces();
            surroundings.end();
            network.lose();
        } catch (IOException e) {
            LOG.atWarn()
                    .addKeyValue("pod", key)
                    .addKeyValue("problem", e.getMessage())
                    .log("pod.network_left");
        }
    }

    /** Without a connection it waits until the node reaches the API server again. */
    private void removeObject() throws InterruptedException {
        while (!node.isConnected()) {
            if (hurry.await(CONNECTION_LOOK.toMillis(), TimeUnit.MILLISECONDS)) {
                return;
            }
        }
        try {
            node.cluster().api().delete(Resources.PODS, key, deletionOfThis());
        } catch (StatusException e) {
            // It is gone already.
            return;
        }
    }

    /** The object is gone, or its end cannot wait any longer: a running grace is over. */
    void hurry() {
        hurry.countDown();
        try {
            for (ContainerRunner container : allContainers()) {
                container.stop(Duration.ZERO);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private List<ContainerRunner> allContainers() {
        List<ContainerRunner> all = new ArrayList<>(initContainers);
        all.addAll(containers);
        all.addAll(ephemeral);
        return all;
    }

    /** Marks the Pod as ending: containers that have not started yet are not started any more. */
    void markEnding() {
        ending.countDown();
    }

    boolean isEnding() {
        return ending.getCount() == 0;
    }

    /**
     * Writes the Pod's status to the API. Containers are asked before the store is locked, because a starting
     * container asks the store. Calls run one after the other, so that the newest status is written last.
     */
    void publish() {
        if (!node.isConnected()) {
            return;
        }
        synchronized (publishing) {
            write(running());
        }
    }

    private void write(PodStatusWriter.Running running) {
        try {
            node.cluster()
                    .api()
                    .modify(
                            Resources.PODS,
                            key,
                            "status",
                            current -> current.path("metadata")
                                            .path("uid")
                                            .asText()
                                            .equals(uid())
                                    ? PodStatusWriter.write(
                                            current,
                                            running,
                                            node.cluster().clock().instant())
                                    : current);
        } catch (StatusException e) {
            // The Pod is gone.
            return;
        }
    }

    /** A container's state has changed. When the main containers have ended, the sidecars are to end. */
    private void changed() {
        if (!containers.isEmpty()
                && containers.stream().allMatch(each -> each.finished().isPresent())
                && Stream.concat(initContainers.stream(), ephemeral.stream())
                        .anyMatch(each -> each.finished().isEmpty())
                && startsMore()
                && othersEnd.compareAndSet(false, true)) {
            node.background().execute(() -> {
                try {
                    long deadline = System.nanoTime() + grace().toNanos();
                    stopTogether(ephemeral, deadline);
                    stopSidecars(deadline);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        publish();
    }

    private PodStatusWriter.Running running() {
        String sandboxId = network.sandboxId();
        return new PodStatusWriter.Running(
                node.node().address(),
                network.addresses(),
                sandboxId,
                overdue,
                initialized,
                startedAt,
                statuses(initContainers, sandboxId),
                statuses(containers, sandboxId),
                statuses(ephemeral, sandboxId));
    }

    private static List<ContainerStatus> statuses(List<ContainerRunner> runners, String sandboxId) {
        String prefix = "nodepath://" + sandboxId + "-";
        return runners.stream()
                .map(each -> each.status(
                        sandboxId.isEmpty() ? "" : prefix + each.spec().name()))
                .toList();
    }

    /** Makes its network; tries again until the Pod is to end. A wait for the next try holds up no other Pod. */
    private boolean connect() throws InterruptedException {
        Semaphore connecting = node.cluster().connecting();
        while (startsMore()) {
            if (!connecting.tryAcquire(PERMIT_LOOK.toMillis(), TimeUnit.MILLISECONDS)) {
                continue;
            }
            try {
                network.connect();
                return true;
            } catch (IOException e) {
                LOG.atWarn()
                        .addKeyValue("pod", key)
                        .addKeyValue("problem", e.getMessage())
                        .log("pod.no_network");
                node.events().warning(pod, "FailedCreatePodSandBox", "Failed to create pod sandbox: " + e.getMessage());
            } finally {
                connecting.release();
            }
            if (ending.await(RETRY.toMillis(), TimeUnit.MILLISECONDS)) {
                return false;
            }
        }
        return false;
    }

    private boolean startsMore() {
        return !isEnding() && !overdue;
    }

    /** The present container of this name. */
    Optional<Container> container(String name) {
        return allContainers().stream()
                .filter(each -> each.spec().name().equals(name))
                .findFirst()
                .flatMap(ContainerRunner::container);
    }

    /** Its network namespace, as long as it has one. */
    Optional<NetworkNamespace> namespace() {
        return network.namespace();
    }

    /** Writes fields that containers ask for, such as the Pod's address, before they start. */
    private void prepare() throws IOException {
        List<ContainerSpec> first = ContainerSpec.initContainers(pod);
        List<ContainerSpec> own = ContainerSpec.containers(pod);
        String waitsFor = first.isEmpty() ? "ContainerCreating" : "PodInitializing";
        initContainers = surroundings.runners(first, restartPolicy().equals("Never") ? "Never" : "OnFailure", waitsFor);
        containers = surroundings.runners(own, restartPolicy(), waitsFor);
        publish();
        node.cluster().api().find(Resources.PODS, key).ifPresent(current -> pod = current);
        folder.etc().write(pod, network.addresses(), node.nameserver());
        addPlaces();
    }

    /**
     * Runs them one after the other, each to its end or, as a sidecar, to its start; the Pod's policy decides about a
     * failure.
     */
    private boolean runInitContainers() throws InterruptedException {
        for (ContainerRunner runner : initContainers) {
            if (!startsMore()) {
                return false;
            }
            runner.start();
            while (!lets(runner)) {
                if (runner.finished().isPresent()
                        || ending.await(INIT_LOOK.toMillis(), TimeUnit.MILLISECONDS)
                        || overdue) {
                    return false;
                }
            }
        }
        return true;
    }

    private static boolean lets(ContainerRunner runner) {
        return runner.spec().role() == ContainerSpec.Role.SIDECAR
                ? runner.isStarted()
                : runner.finished().equals(Optional.of(0));
    }

    private String restartPolicy() {
        return pod.path("spec").path("restartPolicy").asText("Always");
    }

    /** The main containers end first, together; then the sidecars. */
    private void stopContainers(long deadline) throws InterruptedException {
        new LifecycleHooks(node, pod, folder, network).preStop(containers, deadline, hurry);
        stopTogether(Stream.concat(containers.stream(), ephemeral.stream()).toList(), deadline);
        stopSidecars(deadline);
    }

    private void stopTogether(List<ContainerRunner> runners, long deadline) throws InterruptedException {
        List<Thread> stopping = new ArrayList<>();
        for (ContainerRunner container : runners) {
            Thread thread = new Thread(
                    () -> {
                        try {
                            container.stop(left(deadline));
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    },
                    "stop-" + key.name());
            thread.setDaemon(true);
            thread.start();
            stopping.add(thread);
        }
        for (Thread thread : stopping) {
            thread.join();
        }
    }

    /** The sidecar that started last ends first. Each gets a moment, even when no time is left. */
    private void stopSidecars(long deadline) throws InterruptedException {
        for (int i = initContainers.size() - 1; i >= 0; i--) {
            ContainerRunner container = initContainers.get(i);
            new LifecycleHooks(node, pod, folder, network).preStop(List.of(container), deadline, hurry);
            Duration left = left(deadline);
            boolean late = left.compareTo(SIDECAR_GRACE_MIN) < 0 && hurry.getCount() > 0;
            container.stop(late ? SIDECAR_GRACE_MIN : left);
        }
    }

    private Duration left(long deadline) {
        return hurry.getCount() == 0 ? Duration.ZERO : Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
    }

    private Deletion deletionOfThis() {
        return new Deletion(OptionalLong.of(0), "Background", uid(), "");
    }
}
