package dev.nodepath.emulator.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ObjectKey;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Decides how long to wait for the Pods of a cluster that starts. It waits as long as there are steps: a Pod gets
 * its network, or becomes ready, for the first time. A step may take long on a slow machine.
 */
final class StartPatience {
    /** A Pod has made no step for so long. Its node may be slow, or its probe fails. */
    static final Duration STARTING_MAX = Duration.ofSeconds(60);
    /** No Pod has made a step for so long, and all that are left have told a trouble. One may need a Pod that came late. */
    static final Duration STUCK_MAX = Duration.ofSeconds(10);

    private final Set<ObjectKey> connected = new HashSet<>();
    private final Set<ObjectKey> ready = new HashSet<>();
    private Duration lastStep;

    /**
     * Begins to wait.
     *
     * @param now time since any fixed moment
     */
    StartPatience(Duration now) {
        lastStep = now;
    }

    /**
     * Whether no further Pod is worth waiting for. Call it again and again.
     *
     * @param pods all Pods of the cluster
     * @param now time since the same moment
     */
    boolean isOver(List<ObjectNode> pods, Duration now) {
        boolean step = false;
        boolean starting = false;
        for (ObjectNode object : pods) {
            PodView pod = PodView.of(object);
            step |= !pod.addresses().isEmpty() && connected.add(pod.key());
            step |= pod.ready() && ready.add(pod.key());
            starting |= !pod.ready() && !PodTrouble.isStuck(object);
        }
        if (step) {
            lastStep = now;
        }
        return now.minus(lastStep).compareTo(starting ? STARTING_MAX : STUCK_MAX) > 0;
    }
}
