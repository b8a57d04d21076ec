package dev.nodepath.policy.object;

import java.util.Locale;

/** The direction of a connection, from the view of the selected pod. */
public enum Direction {
    INGRESS,
    EGRESS;

    private final String lowerCase = name().toLowerCase(Locale.ROOT);

    /** {@code ingress} or {@code egress}. */
    public String lowerCase() {
        return lowerCase;
    }
}
