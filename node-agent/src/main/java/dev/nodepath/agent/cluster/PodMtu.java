package dev.nodepath.agent.cluster;

import java.util.Optional;

/**
 * The MTU that fits the paths to all other nodes.
 *
 * @param settled whether it has been determined
 * @param bytes empty if it is unknown; then the links' own MTU applies
 */
public record PodMtu(boolean settled, Optional<Integer> bytes) {
    /** An MTU that is not determined yet. */
    public static final PodMtu UNSETTLED = new PodMtu(false, Optional.empty());
}
