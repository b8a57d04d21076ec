package dev.nodepath.emulator.cluster;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;

/** The nodes' heartbeats, as Kubernetes' Leases but ten times as fast (a kubelet renews every 10 s, a node is lost after 40 s). */
final class NodeLeases {
    /** The interval of a node's heartbeats. */
    static final Duration RENEWAL = Duration.ofSeconds(1);

    /** A node without a heartbeat for this long is lost. */
    static final Duration DURATION = Duration.ofSeconds(4);

    private final LongSupplier nanoTime;
    private final Map<String, Long> renewed = new HashMap<>();

    NodeLeases(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Records a heartbeat. */
    synchronized void renew(String node) {
        renewed.put(node, nanoTime.getAsLong());
    }

    /** The nodes whose last heartbeat is too old. */
    synchronized Set<String> expired() {
        Set<String> expired = new TreeSet<>();
        long now = nanoTime.getAsLong();
        renewed.forEach((node, at) -> {
            if (now - at > DURATION.toNanos()) {
                expired.add(node);
            }
        });
        return expired;
    }
}
