package dev.nodepath.agent.cluster;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.source.kubernetes.PolicyListener;

/** Warns that NetworkPolicies are not enforced: their authors would think that their pods are protected. */
public final class PolicyNotice implements PolicyListener {
    static final String REASON = "NetworkPolicyNotEnforced";

    private final Notices notices;

    /** Warns through these notices. */
    public PolicyNotice(Notices notices) {
        this.notices = notices;
    }

    @Override
    public void found(NamespacedName first) {
        notices.warn(
                REASON,
                "NetworkPolicy " + first + ": not enforced by this agent (expected: --network-policy=true, no"
                        + " NetworkPolicy, or another program that enforces them)");
    }
}
