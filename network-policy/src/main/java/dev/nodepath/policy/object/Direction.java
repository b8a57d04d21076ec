package dev.nodepath.policy.object;

import java.util.Locale;

/** The direction of a connection, as the pod that a policy selects sees it. */
public enum Direction {
    INGRESS,
    EGRESS;

    private final String lowerCase = name().toLowerCase(Locale.ROOT);

    /** {@code ingress} or {@code egress}. */
    public String lowerCase() {
        return lowerCase;
    }
}
