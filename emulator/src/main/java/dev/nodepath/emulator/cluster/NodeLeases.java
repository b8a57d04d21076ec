package dev.nodepath.emulator.cluster;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;

/**
 * When each node was heard of last: the Leases of Kubernetes, with a tenth of its times (a kubelet renews every 10 s, a node is
 * lost after 40 s without).
 */
final class NodeLeases {
    /** How often a node says that it lives. */
    static final Duration RENEWAL = Duration.ofSeconds(1);

    /** After how long without a word it counts as lost. */
    static final Duration DURATION = Duration.ofSeconds(4);

    private final LongSupplier nanoTime;
    private final Map<String, Long> renewed = new HashMap<>();

    NodeLeases(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** A node was heard of. */
    synchronized void renew(String node) {
        renewed.put(node, nanoTime.getAsLong());
    }

    /** The nodes that were heard of, but too long ago. */
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
