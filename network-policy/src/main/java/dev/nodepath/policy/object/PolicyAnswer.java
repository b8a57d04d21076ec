package dev.nodepath.policy.object;

import dev.nodepath.endpoints.NamespacedName;
import java.util.List;

/**
 * The answer of policies about one end of a connection. {@link Allowed} and {@link Refused} are answers of
 * NetworkPolicies, {@link Accepted} and {@link Denied} of ClusterNetworkPolicies.
 */
public sealed interface PolicyAnswer {
    /** Whether the packet may pass. */
    default boolean allows() {
        return true;
    }

    /** The packet may not pass. */
    sealed interface Refusal extends PolicyAnswer {
        /** The pod whose policies refuse the packet. */
        NamespacedName pod();

        @Override
        default boolean allows() {
            return false;
        }
    }

    /** Why no policy is asked. */
    enum Reason {
        /** The address belongs to no pod known to policies. */
        NO_POD,
        /** No policy isolates the pod in this direction, and no rule of a ClusterNetworkPolicy matches. */
        NOT_ISOLATED,
        /** NetworkPolicies never separate a pod from itself. */
        ITSELF,
        /** A node always reaches its own pods. */
        OWN_NODE
    }

    /** No policy is asked. */
    record Free(Reason reason) implements PolicyAnswer {}

    /**
     * A rule allows it.
     *
     * @param rule its number in the policy, from 0
     */
    record Allowed(NamespacedName policy, int rule) implements PolicyAnswer {}

    /**
     * No rule allows it.
     *
     * @param pod the isolated pod
     * @param policies the policies that isolate it, in order
     */
    record Refused(NamespacedName pod, List<NamespacedName> policies) implements Refusal {}

    /**
     * A rule of a ClusterNetworkPolicy.
     *
     * @param policy its name
     * @param number of the rule in its direction, from 0
     * @param name of the rule; empty if it has none
     */
    record ClusterRuleName(Tier tier, String policy, int number, String name) {}

    /** A rule of a ClusterNetworkPolicy accepts it. */
    record Accepted(ClusterRuleName rule) implements PolicyAnswer {}

    /**
     * A rule of a ClusterNetworkPolicy denies it.
     *
     * @param pod the subject of the policy
     */
    record Denied(NamespacedName pod, ClusterRuleName rule) implements Refusal {}
}
