package dev.nodepath.emulator.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.controllers.object.PodState;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Decides how long to wait for the Pods of a cluster that starts. It waits as long as there are steps: a Pod gets
 * its network, or becomes ready, for the first time. A step may take long on a slow machine.
 */
final class StartPatience {
    /** The longest wait for the next step. A node may be slow, or a probe may fail. */
    static final Duration STEP_MAX = Duration.ofSeconds(60);
    /**
     * The longest wait for a step while all unready Pods are stuck. A Pod that crashed once starts again within this
     * time.
     */
    static final Duration STUCK_MAX = Duration.ofSeconds(15);
    /** The longest wait in all: new Pods could make steps without end. */
    static final Duration TOTAL_MAX = Duration.ofMinutes(10);

    private final Set<ObjectKey> connected = new HashSet<>();
    private final Set<ObjectKey> ready = new HashSet<>();
    private final Duration begin;
    private Duration lastStep;
    private Duration lastHope;

    /**
     * Begins to wait.
     *
     * @param now time since any fixed moment
     */
    StartPatience(Duration now) {
        begin = now;
        lastStep = now;
        lastHope = now;
    }

    /**
     * Whether no further Pod is worth waiting for. Call it again and again.
     *
     * @param pods all Pods of the cluster
     * @param now time since the same moment
     */
    boolean isOver(List<ObjectNode> pods, Duration now) {
        List<ObjectNode> left =
                pods.stream().filter(pod -> !PodState.isReady(pod)).toList();
        boolean step = hasStep(pods);
        if (step) {
            lastStep = now;
        }
        // If every Pod is ready, a workload has yet to get its Pods.
        if (step || left.isEmpty() || !left.stream().allMatch(PodTrouble::isStuck)) {
            lastHope = now;
        }
        return isLonger(now, lastStep, STEP_MAX)
                || isLonger(now, lastHope, STUCK_MAX)
                || isLonger(now, begin, TOTAL_MAX);
    }

    private boolean hasStep(List<ObjectNode> pods) {
        boolean step = false;
        for (PodView pod : pods.stream().map(PodView::of).toList()) {
            step |= !pod.addresses().isEmpty() && connected.add(pod.key());
            step |= pod.ready() && ready.add(pod.key());
        }
        return step;
    }

    private static boolean isLonger(Duration now, Duration since, Duration max) {
        return now.minus(since).compareTo(max) > 0;
    }
}
