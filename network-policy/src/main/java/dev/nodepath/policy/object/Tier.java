package dev.nodepath.policy.object;

import java.util.Locale;

/**
 * The time when ClusterNetworkPolicies are asked: before all NetworkPolicies, or after them if none isolates the pod.
 */
public enum Tier {
    ADMIN,
    BASELINE;

    /** As in the API: {@code Admin} or {@code Baseline}. */
    @Override
    public String toString() {
        return name().charAt(0) + name().substring(1).toLowerCase(Locale.ROOT);
    }
}
