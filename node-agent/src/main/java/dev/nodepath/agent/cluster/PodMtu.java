package dev.nodepath.agent.cluster;

import java.util.Optional;

/**
 * What fits through every way to another node, as far as it is known.
 *
 * @param settled whether it has been looked at
 * @param bytes empty if it is not known, and then the links' own rules hold
 */
public record PodMtu(boolean settled, Optional<Integer> bytes) {
    /** Not looked at yet. */
    public static final PodMtu UNSETTLED = new PodMtu(false, Optional.empty());
}
