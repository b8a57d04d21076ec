package dev.nodepath.policy.object;

/**
 * What policies say of a connection.
 *
 * @param egress of its source
 * @param ingress of its destination
 */
public record PolicyVerdict(PolicyAnswer egress, PolicyAnswer ingress) {
    /** Whether it may be made. */
    public boolean passes() {
        return egress.allows() && ingress.allows();
    }
}
