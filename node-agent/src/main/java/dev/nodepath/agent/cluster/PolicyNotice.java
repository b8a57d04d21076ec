package dev.nodepath.agent.cluster;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.source.kubernetes.PolicyListener;

/** Tells people that NetworkPolicies do nothing here: who applied one takes pods for guarded that are not. */
public final class PolicyNotice implements PolicyListener {
    static final String REASON = "NetworkPolicyNotEnforced";

    private final Notices notices;

    /** Tells these. */
    public PolicyNotice(Notices notices) {
        this.notices = notices;
    }

    @Override
    public void found(NamespacedName first) {
        notices.warn(
                REASON,
                "NetworkPolicy " + first + ": not enforced, nor is any other, as Nodepath enforces none"
                        + " (expected: no NetworkPolicy, or a program beside Nodepath that enforces them)");
    }
}
