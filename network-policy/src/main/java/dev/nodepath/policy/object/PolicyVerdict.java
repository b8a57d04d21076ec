package dev.nodepath.policy.object;

/**
 * The answers of policies about a connection.
 *
 * @param egress the answer for its source
 * @param ingress the answer for its destination
 */
public record PolicyVerdict(PolicyAnswer egress, PolicyAnswer ingress) {
    /** Whether the connection is allowed. */
    public boolean passes() {
        return egress.allows() && ingress.allows();
    }
}
