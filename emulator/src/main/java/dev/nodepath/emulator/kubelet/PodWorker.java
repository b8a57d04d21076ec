package dev.nodepath.emulator.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.Deletion;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One Pod of a node from its sandbox to its end. {@link #run} and {@link #end} are each called once, on threads that may wait. */
final class PodWorker {
    private static final Logger LOG = LoggerFactory.getLogger(PodWorker.class);
    private static final Duration RETRY = Duration.ofSeconds(2);

    private final NodeParts node;
    private final ObjectKey key;
    private final Path folder;
    private final PodVolumes volumes;
    private final Instant startedAt;
    private final CountDownLatch started = new CountDownLatch(1);
    private final CountDownLatch hurry = new CountDownLatch(1);
    private final CountDownLatch ending = new CountDownLatch(1);
    private final Object publishing = new Object();
    private volatile ObjectNode pod;
    private volatile List<String> addresses = List.of();
    private volatile boolean initialized;
    private volatile List<ContainerRunner> initContainers = List.of();
    private volatile List<ContainerRunner> containers = List.of();
    private volatile @Nullable PodSandbox sandbox;
    private volatile @Nullable NetworkNamespace namespace;

    PodWorker(NodeParts node, ObjectNode pod) {
        this.node = node;
        this.pod = pod;
        this.key = ObjectKey.of(pod);
        this.folder = node.pods().resolve(pod.path("metadata").path("uid").asText());
        this.volumes = new PodVolumes(folder.resolve("volumes"), node.environment());
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
        pod = changed;
    }

    /** Makes its network, and starts its containers. When this returns they run, or are tried again in the background. */
    void run() {
        try {
            if (!connect()) {
                return;
            }
            prepare();
            if (runInitContainers()) {
                initialized = true;
                containers = runners(ContainerSpec.containers(pod), restartPolicy());
                containers.forEach(ContainerRunner::start);
            }
        } catch (IOException e) {
            LOG.error("pod.failed pod={} problem=\"{}\"", key, e.getMessage());
            node.events().warning(pod, "Failed", String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            started.countDown();
        }
        publish();
    }

    /**
     * Ends it: hooks, containers, network, and then the object itself.
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
            callPreStopHooks(deadline);
            stopContainers(deadline);
            publish();
            disconnect();
            if (node.isConnected()) {
                node.cluster().api().delete(Resources.PODS, key, deletionOfThis());
            }
        } catch (StatusException e) {
            // It is gone already.
            return;
        } catch (IOException e) {
            LOG.error("pod.network_left pod={} problem=\"{}\"", key, e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** It never ran here: the object alone is to go. */
    void forget() {
        try {
            node.cluster().api().delete(Resources.PODS, key, deletionOfThis());
        } catch (StatusException e) {
            // It is gone already.
            return;
        }
    }

    /** The object is gone, or its end can wait no longer: a grace that runs is over. */
    void hurry() {
        hurry.countDown();
        try {
            for (ContainerRunner container : containers) {
                container.stop(Duration.ZERO);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** It is to end: what is not started yet is not started any more. */
    void markEnding() {
        ending.countDown();
    }

    /** Whether it is to end. */
    boolean isEnding() {
        return ending.getCount() == 0;
    }

    /**
     * Writes the Pod's status to the API. It asks the containers before the store is locked: a container that starts
     * asks the store. One after the other, so that the newest status is the last.
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

    private PodStatusWriter.Running running() {
        String sandboxId =
                Optional.ofNullable(sandbox).map(PodSandbox::containerId).orElse("");
        return new PodStatusWriter.Running(
                node.node().address(),
                addresses,
                sandboxId,
                initialized,
                startedAt,
                statuses(initContainers, sandboxId),
                statuses(containers, sandboxId));
    }

    private static List<ContainerStatus> statuses(List<ContainerRunner> runners, String sandboxId) {
        String prefix = "nodepath://" + sandboxId + "-";
        return runners.stream()
                .map(each -> each.status(
                        sandboxId.isEmpty() ? "" : prefix + each.spec().name()))
                .toList();
    }

    /** Makes the sandbox and its network; tries again until the Pod is to end. */
    private boolean connect() throws InterruptedException {
        while (!isEnding()) {
            try {
                connectOnce();
                return true;
            } catch (IOException e) {
                LOG.warn("pod.no_network pod={} problem=\"{}\"", key, e.getMessage());
                node.events().warning(pod, "FailedCreatePodSandBox", "Failed to create pod sandbox: " + e.getMessage());
                disconnectQuietly();
            }
            if (ending.await(RETRY.toMillis(), TimeUnit.MILLISECONDS)) {
                return false;
            }
        }
        return false;
    }

    private void connectOnce() throws IOException, InterruptedException {
        if (isOnHostNetwork()) {
            addresses = List.of(node.node().address());
            return;
        }
        PodSandbox made = PodSandbox.create(key, node.cluster().net()::path);
        sandbox = made;
        NetworkNamespace created = node.cluster().net().create(made.namespaceName());
        namespace = created;
        HostNamespace.prepare(created);
        addresses = node.cni().add(made).stream().map(IpAddress::toString).toList();
    }

    private boolean isOnHostNetwork() {
        return pod.path("spec").path("hostNetwork").asBoolean(false);
    }

    /** Its network namespace, or the node's. */
    NetworkNamespace namespace() {
        NetworkNamespace own = namespace;
        return own == null ? node.node().namespace() : own;
    }

    private Path namespaceFile() {
        return sandbox == null ? node.namespaceFile() : sandbox.namespaceFile();
    }

    /** Fields of the Pod that its containers ask for, such as its address, must be there before they start. */
    private void prepare() throws IOException {
        publish();
        node.cluster().api().find(Resources.PODS, key).ifPresent(current -> pod = current);
        new PodFiles(folder).write(pod, addresses, node.nameserver());
        List<String> names =
                ContainerSpec.containers(pod).stream().map(ContainerSpec::name).toList();
        node.cluster().places().addPod(key, names, folder);
    }

    /** One after the other; the Pod's own policy decides about a failure. */
    private boolean runInitContainers() throws InterruptedException {
        List<ContainerSpec> specs = ContainerSpec.initContainers(pod).stream()
                .filter(spec -> !spec.command().isEmpty())
                .toList();
        initContainers = runners(specs, restartPolicy().equals("Never") ? "Never" : "OnFailure");
        for (ContainerRunner runner : initContainers) {
            runner.start();
            while (runner.finished().isEmpty()) {
                if (ending.await(50, TimeUnit.MILLISECONDS)) {
                    return false;
                }
            }
            if (runner.finished().get() != 0) {
                return false;
            }
        }
        return true;
    }

    private String restartPolicy() {
        return pod.path("spec").path("restartPolicy").asText("Always");
    }

    private List<ContainerRunner> runners(List<ContainerSpec> specs, String policy) {
        List<ContainerRunner> runners = new ArrayList<>();
        for (ContainerSpec spec : specs) {
            runners.add(new ContainerRunner(
                    spec,
                    policy,
                    new Inside(),
                    node.timers(),
                    node.background(),
                    node.cluster().clock()));
        }
        return runners;
    }

    /** What its containers need of this Pod. */
    private final class Inside implements ContainerRunner.Surroundings {
        @Override
        public Container start(ContainerRunner runner) throws StartException, IOException {
            ContainerSpec spec = runner.spec();
            try {
                volumes.write(pod);
                Map<String, String> variables = node.environment().of(pod, spec);
                Path enter = new EntryScript(
                                folder.resolve(spec.name()), namespaceFile(), PodFiles.hostname(pod), mounts(spec))
                        .write(variables, spec.workingDir());
                ContainerLog log = new ContainerLog(
                        node.log(key, spec.name()), node.cluster().clock());
                log.rotate();
                return spec.command().isEmpty()
                        ? serve(runner, log)
                        : ContainerProcess.start(key.name(), command(spec, enter, variables), System.getenv(), log);
            } catch (MissingReferenceException e) {
                throw new StartException("CreateContainerConfigError", String.valueOf(e.getMessage()));
            }
        }

        @Override
        public boolean passes(ContainerRunner runner, ProbeSpec probe) {
            try {
                return Prober.passes(
                        probe.action(),
                        IpAddress.parse(addresses.get(0)).toInetAddress(),
                        script(runner.spec()),
                        probe.timeout());
            } catch (UncheckedIOException e) {
                return false;
            }
        }

        @Override
        public void changed() {
            publish();
        }

        @Override
        public void event(boolean normal, String reason, String message) {
            if (normal) {
                node.events().normal(pod, reason, message);
            } else {
                node.events().warning(pod, reason, message);
            }
        }
    }

    private Container serve(ContainerRunner runner, ContainerLog log) throws StartException, IOException {
        return node.cluster().servers().start(pod, runner.spec(), namespace(), log, runner::readinessMayHaveChanged);
    }

    private List<String> command(ContainerSpec spec, Path enter, Map<String, String> variables) throws StartException {
        List<String> expanded = spec.command().stream()
                .map(word -> PodEnvironment.expand(word, variables))
                .toList();
        ContainerProgram.require(
                expanded.get(0), variables.getOrDefault("PATH", ""), volumes.mounts(spec), spec.image());
        List<String> command = new ArrayList<>(List.of(enter.toString(), "setsid"));
        command.addAll(expanded);
        return command;
    }

    /** The script that enters a container. */
    Path entryScript(String container) {
        return folder.resolve(container).resolve(EntryScript.NAME);
    }

    private Path script(ContainerSpec spec) {
        return entryScript(spec.name());
    }

    private List<PodVolumes.Mount> mounts(ContainerSpec spec) {
        PodFiles files = new PodFiles(folder);
        List<PodVolumes.Mount> mounts = new ArrayList<>(List.of(
                new PodVolumes.Mount(files.hosts(), "/etc/hosts", false),
                new PodVolumes.Mount(files.hostname(), "/etc/hostname", false),
                new PodVolumes.Mount(files.resolver(), "/etc/resolv.conf", false)));
        mounts.addAll(volumes.mounts(spec));
        return mounts;
    }

    private void callPreStopHooks(long deadline) throws InterruptedException {
        for (ContainerRunner container : containers) {
            JsonNode hook = container.spec().json().path("lifecycle").path("preStop");
            long leftNanos = deadline - System.nanoTime();
            if (hook.isEmpty() || leftNanos <= 0) {
                continue;
            }
            if (hook.has("sleep")) {
                long seconds = hook.path("sleep").path("seconds").asLong(0);
                hurry.await(Math.min(TimeUnit.SECONDS.toNanos(seconds), leftNanos), TimeUnit.NANOSECONDS);
            }
            Duration left = Duration.ofNanos(leftNanos);
            ProbeSpec.action(hook, ContainerSpec.portsByName(pod))
                    .ifPresent(action -> Prober.passes(
                            action, IpAddress.parse(addresses.get(0)).toInetAddress(), script(container.spec()), left));
        }
    }

    private void stopContainers(long deadline) throws InterruptedException {
        List<Thread> stopping = new ArrayList<>();
        List<ContainerRunner> all = new ArrayList<>(initContainers);
        all.addAll(containers);
        for (ContainerRunner container : all) {
            Thread thread = new Thread(
                    () -> {
                        try {
                            Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
                            container.stop(hurry.getCount() == 0 ? Duration.ZERO : left);
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

    private void disconnect() throws IOException, InterruptedException {
        node.cluster().places().removePod(key);
        PodSandbox made = sandbox;
        NetworkNamespace inside = namespace;
        if (made != null) {
            node.cni().delete(made);
            if (inside != null) {
                inside.close();
                node.cluster().net().delete(made.namespaceName());
            }
        }
        namespace = null;
        sandbox = null;
    }

    private void disconnectQuietly() throws InterruptedException {
        try {
            disconnect();
        } catch (IOException e) {
            LOG.warn("pod.network_left pod={} problem=\"{}\"", key, e.getMessage());
            namespace = null;
            sandbox = null;
        }
    }

    private Deletion deletionOfThis() {
        return new Deletion(OptionalLong.of(0), "Background", uid(), "");
    }
}
