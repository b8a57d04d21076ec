package dev.nodepath.emulator.kubelet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The Pod's parts that its containers need: its network, files, volumes and variables. */
final class PodSurroundings implements ContainerRunner.Surroundings {
    /** The wait for the first process of another container. */
    private static final Duration TARGET_MAX = Duration.ofSeconds(2);

    private static final Duration TARGET_LOOK = Duration.ofMillis(20);

    private static final Logger LOG = LoggerFactory.getLogger(PodSurroundings.class);

    private final NodeContext node;
    private final Supplier<ObjectNode> pod;
    private final PodFolder folder;
    private final PodNetwork network;
    private final Runnable changed;
    private final PodVolumes volumes;
    private final PodPause pause;

    /**
     * The surroundings of a Pod's containers.
     *
     * @param pod the newest object
     * @param changed is run when a container's state has changed
     */
    PodSurroundings(
            NodeContext node, Supplier<ObjectNode> pod, PodFolder folder, PodNetwork network, Runnable changed) {
        this.node = node;
        this.pod = pod;
        this.folder = folder;
        this.network = network;
        this.changed = changed;
        this.volumes = new PodVolumes(
                folder.volumes(),
                folder.claims(),
                node.environment(),
                new PodTokens(node.cluster().api(), node.cluster().clock()));
        this.pause = new PodPause(
                folder.pause(),
                folder.etc(),
                network::namespaceFile,
                PodFiles.hostname(pod.get()),
                pod.get().path("spec").path("shareProcessNamespace").asBoolean(false));
    }

    /** No container of the Pod runs any more. */
    void end() {
        pause.stop();
    }

    /**
     * Runners of these containers; none has started.
     *
     * @param policy of the Pod; a container may have its own
     * @param waitsFor why they are not started yet
     */
    List<ContainerRunner> runners(List<ContainerSpec> specs, String policy, String waitsFor) {
        List<ContainerRunner> runners = new ArrayList<>();
        for (ContainerSpec spec : specs) {
            runners.add(new ContainerRunner(
                    spec,
                    spec.json().path("restartPolicy").asText(policy),
                    waitsFor,
                    this,
                    node.timers(),
                    node.background(),
                    node.cluster().clock()));
        }
        return runners;
    }

    @Override
    public Container start(ContainerRunner runner) throws StartException, IOException {
        ContainerSpec spec = runner.spec();
        ObjectNode now = pod.get();
        try {
            writeVolumes(now);
            Map<String, String> variables = node.environment().of(now, spec);
            List<PodVolumes.Mount> mounts = mounts(spec, volumes.mounts(now, spec, variables));
            EntryScript script = new EntryScript(
                    folder.container(spec.name()), pause, mounts, ContainerLimits.of(spec.json()), target(spec));
            script.write(variables, spec.workingDir());
            ContainerLog log =
                    new ContainerLog(folder.log(spec.name()), node.cluster().clock());
            log.rotate();
            String name = network.pod().name();
            if (!spec.isBuiltIn()) {
                return ContainerProcess.start(
                        name, script, command(spec, variables, mounts), Console.of(spec.json()), log);
            }
            if (spec.role() == ContainerSpec.Role.INIT) {
                event(
                        true,
                        "InitSkipped",
                        "Init container " + spec.name() + " counts as done: nothing of image " + spec.image()
                                + " is here");
                return Container.DONE;
            }
            if (spec.hasExecProbe()) {
                event(
                        true,
                        "ProbePassed",
                        "Exec probes of container " + spec.name() + " count as passed: nothing of image " + spec.image()
                                + " is here");
            }
            Container server = node.cluster()
                    .servers()
                    .start(
                            now,
                            spec,
                            variables,
                            ServicePorts.of(services(now), now),
                            network.namespace().orElseThrow(),
                            folder.entryScript(spec.name()),
                            log,
                            runner::readinessMayHaveChanged);
            return StandIn.of(server, name, script, log);
        } catch (MissingReferenceException e) {
            throw new StartException("CreateContainerConfigError", String.valueOf(e.getMessage()));
        } catch (InvalidPathException e) {
            throw new StartException(
                    "CreateContainerConfigError",
                    "\"" + e.getInput().replace("\0", "\\0") + "\": " + e.getReason() + " (expected: a path)");
        }
    }

    /** A container that sees another container's processes waits for the first process of that container. */
    @Override
    public void await(ContainerRunner runner) throws IOException {
        String target = runner.spec().target();
        if (target.isEmpty()) {
            return;
        }
        Path other = folder.container(target);
        long end = System.nanoTime() + TARGET_MAX.toNanos();
        StandIn.want(other);
        while (EntryScript.canEnter(other) && EntryScript.processOne(other).isEmpty() && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(TARGET_LOOK.toNanos());
        }
    }

    /** Process 1 of the container that shares its processes with this one. */
    private Optional<ProcessHandle> target(ContainerSpec spec) throws StartException, IOException {
        if (spec.target().isEmpty()) {
            return Optional.empty();
        }
        Optional<ProcessHandle> first = EntryScript.processOne(folder.container(spec.target()));
        if (first.isEmpty()) {
            throw new StartException(
                    "CreateContainerError", "targetContainerName: container " + spec.target() + " does not run");
        }
        return first;
    }

    private void writeVolumes(ObjectNode now) throws StartException, IOException {
        try {
            volumes.makeEmpty(now);
            volumes.write(now);
        } catch (MissingReferenceException e) {
            throw StartException.ofMount(String.valueOf(e.getMessage()));
        }
    }

    /** Writes the files of volumes again, while all of their sources exist. */
    void refreshVolumes() {
        try {
            volumes.write(pod.get());
        } catch (MissingReferenceException | IOException e) {
            LOG.atDebug()
                    .addKeyValue("pod", network.pod())
                    .addKeyValue("problem", e.getMessage())
                    .log("pod.volumes_kept");
        }
    }

    private List<ObjectNode> services(ObjectNode now) {
        return node.cluster()
                .api()
                .list(Resources.SERVICES, ObjectKey.of(now).namespace())
                .objects();
    }

    @Override
    public Optional<String> problem(ContainerRunner runner, ProbeSpec probe) {
        ContainerSpec spec = runner.spec();
        ProbeSpec.Action action = probe.action();
        return spec.isBuiltIn() && action instanceof ProbeSpec.Exec
                ? Optional.empty()
                : Prober.problem(
                        BuiltInServers.understood(spec, action),
                        network.address(),
                        folder.entryScript(spec.name()),
                        probe.timeout());
    }

    @Override
    public Optional<String> postStart(ContainerRunner runner) throws InterruptedException {
        return new LifecycleHooks(node, pod.get(), folder, network).postStart(runner.spec());
    }

    @Override
    public String lastWords(ContainerRunner runner, int exitCode) {
        ContainerSpec spec = runner.spec();
        return message(spec).read(exitCode, folder.log(spec.name()));
    }

    private TerminationMessage message(ContainerSpec spec) {
        return new TerminationMessage(spec, folder.container(spec.name()));
    }

    @Override
    public void changed() {
        changed.run();
    }

    @Override
    public String podName() {
        ObjectKey key = network.pod();
        String uid = pod.get().path("metadata").path("uid").asText();
        return key.name() + "_" + key.namespace() + "(" + uid + ")";
    }

    @Override
    public void event(boolean normal, String reason, String message) {
        if (normal) {
            node.events().normal(pod.get(), reason, message);
        } else {
            node.events().warning(pod.get(), reason, message);
        }
    }

    private static List<String> command(
            ContainerSpec spec, Map<String, String> variables, List<PodVolumes.Mount> mounts)
            throws StartException, IOException {
        List<String> expanded = spec.command().stream()
                .map(word -> PodEnvironment.expand(word, variables))
                .toList();
        Path workingDir = Path.of("/").resolve(spec.workingDir());
        return new ContainerProgram(mounts)
                .command(expanded, variables.getOrDefault("PATH", ""), workingDir, spec.image());
    }

    /**
     * The Pod's own files, except where a read-only volume leaves no place; the substitute of the image's program;
     * then the volumes.
     */
    private List<PodVolumes.Mount> mounts(ContainerSpec spec, List<PodVolumes.Mount> ofVolumes) throws IOException {
        PodFiles files = folder.etc();
        TerminationMessage message = message(spec);
        message.begin();
        List<PodVolumes.Mount> mounts = Stream.of(
                        PodVolumes.Mount.of(files.hosts(), "/etc/hosts", false),
                        PodVolumes.Mount.of(files.hostname(), "/etc/hostname", false),
                        PodVolumes.Mount.of(files.resolver(), "/etc/resolv.conf", false),
                        PodVolumes.Mount.of(message.file(), message.path(), false))
                .filter(own -> ofVolumes.stream().allMatch(volume -> volume.hasPlace(own.path())))
                .collect(Collectors.toCollection(ArrayList::new));
        if (Agnhost.hasProgram(spec.json())) {
            Path program = folder.container(spec.name()).resolve(Agnhost.SCRIPT);
            Files.createDirectories(program.getParent());
            EntryScript.write(Agnhost.SCRIPT, program);
            mounts.add(PodVolumes.Mount.of(program, Agnhost.PROGRAM, true));
        }
        mounts.addAll(ofVolumes);
        return mounts;
    }
}
