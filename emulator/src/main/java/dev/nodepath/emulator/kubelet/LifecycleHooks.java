package dev.nodepath.emulator.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The {@code lifecycle} hooks of a Pod's containers. */
final class LifecycleHooks {
    /** Kubernetes sets no limit. A hanging command ends with its container anyway. */
    private static final Duration POST_START_MAX = Duration.ofHours(1);

    private static final Logger LOG = LoggerFactory.getLogger(LifecycleHooks.class);

    private final NodeContext node;
    private final ObjectNode pod;
    private final PodFolder folder;
    private final PodNetwork network;

    LifecycleHooks(NodeContext node, ObjectNode pod, PodFolder folder, PodNetwork network) {
        this.node = node;
        this.pod = pod;
        this.folder = folder;
        this.network = network;
    }

    /** Calls the hook after a container's start. Returns why it failed; empty if it did not. */
    Optional<String> postStart(ContainerSpec container) throws InterruptedException {
        JsonNode hook = container.postStart();
        TimeUnit.SECONDS.sleep(hook.path("sleep").path("seconds").asLong(0));
        Optional<ProbeSpec.Action> action = action(hook, container);
        if (container.isBuiltIn()
                && action.filter(ProbeSpec.Exec.class::isInstance).isPresent()) {
            node.events()
                    .normal(
                            pod,
                            "HookPassed",
                            "PostStartHook of container " + container.name() + " counts as passed: nothing of image "
                                    + container.image() + " is here");
            return Optional.empty();
        }
        return action.flatMap(each -> problem(container, each, POST_START_MAX));
    }

    /**
     * Calls the hooks before the end of containers, one after the other. A failed hook becomes an Event; the Pod ends
     * all the same.
     *
     * @param deadline of {@link System#nanoTime}
     * @param hurry ends a hook that sleeps
     */
    void preStop(List<ContainerRunner> containers, long deadline, CountDownLatch hurry) throws InterruptedException {
        for (ContainerRunner container : containers) {
            JsonNode hook = container.spec().json().path("lifecycle").path("preStop");
            long leftNanos = deadline - System.nanoTime();
            if (hook.isEmpty() || leftNanos <= 0 || !(container.runs() || container.isStarting())) {
                continue;
            }
            if (hook.has("sleep")) {
                long seconds = hook.path("sleep").path("seconds").asLong(0);
                hurry.await(Math.min(TimeUnit.SECONDS.toNanos(seconds), leftNanos), TimeUnit.NANOSECONDS);
            }
            action(hook, container.spec())
                    .flatMap(action -> problem(container.spec(), action, Duration.ofNanos(leftNanos)))
                    .ifPresent(why -> node.events()
                            .warning(
                                    pod,
                                    "FailedPreStopHook",
                                    "PreStopHook failed: container "
                                            + container.spec().name() + ": " + why));
        }
    }

    private static Optional<ProbeSpec.Action> action(JsonNode hook, ContainerSpec container) {
        return ProbeSpec.action(hook, ContainerSpec.portsByName(container.json()));
    }

    /** Its connections start in the node's namespace, as those of a probe. */
    private Optional<String> problem(ContainerSpec container, ProbeSpec.Action action, Duration limit) {
        ProbeSpec.Action asked = BuiltInServers.understood(container, action);
        try {
            return node.node()
                    .namespace()
                    .call(() -> Prober.problem(asked, network.address(), folder.entryScript(container.name()), limit));
        } catch (IOException | RuntimeException e) {
            LOG.atWarn()
                    .addKeyValue("pod", network.pod())
                    .addKeyValue("container", container.name())
                    .addKeyValue("problem", e.getMessage())
                    .log("pod.hook_failed");
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }
}
