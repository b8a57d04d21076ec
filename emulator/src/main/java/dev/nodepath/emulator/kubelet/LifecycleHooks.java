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

/**
 * The {@code preStop} hooks of a Pod's containers. A hook that fails is told in an Event; the Pod ends all the same.
 */
final class PreStopHooks {
    private static final Logger LOG = LoggerFactory.getLogger(PreStopHooks.class);

    private final NodeParts node;
    private final ObjectNode pod;
    private final PodFolder folder;
    private final PodNetwork network;

    PreStopHooks(NodeParts node, ObjectNode pod, PodFolder folder, PodNetwork network) {
        this.node = node;
        this.pod = pod;
        this.folder = folder;
        this.network = network;
    }

    /**
     * Calls them, one after the other.
     *
     * @param deadline of {@link System#nanoTime}
     * @param hurry ends a hook that sleeps
     */
    void call(List<ContainerRunner> containers, long deadline, CountDownLatch hurry) throws InterruptedException {
        for (ContainerRunner container : containers) {
            JsonNode hook = container.spec().json().path("lifecycle").path("preStop");
            long leftNanos = deadline - System.nanoTime();
            if (hook.isEmpty() || leftNanos <= 0 || !container.runs()) {
                continue;
            }
            if (hook.has("sleep")) {
                long seconds = hook.path("sleep").path("seconds").asLong(0);
                hurry.await(Math.min(TimeUnit.SECONDS.toNanos(seconds), leftNanos), TimeUnit.NANOSECONDS);
            }
            ProbeSpec.action(hook, ContainerSpec.portsByName(container.spec().json()))
                    .ifPresent(action -> call(container.spec().name(), action, Duration.ofNanos(leftNanos)));
        }
    }

    /** Its connections start in the node's namespace, as those of a probe. */
    private void call(String container, ProbeSpec.Action action, Duration limit) {
        Optional<String> problem;
        try {
            problem = node.node()
                    .namespace()
                    .call(() -> Prober.problem(action, network.address(), folder.entryScript(container), limit));
        } catch (IOException | RuntimeException e) {
            LOG.warn("pod.hook_failed pod={} container={} problem=\"{}\"", network.pod(), container, e.getMessage());
            problem = Optional.of(String.valueOf(e.getMessage()));
        }
        problem.ifPresent(why -> node.events()
                .warning(pod, "FailedPreStopHook", "PreStopHook failed: container " + container + ": " + why));
    }
}
