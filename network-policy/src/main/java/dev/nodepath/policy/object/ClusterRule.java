package dev.nodepath.policy.object;

import java.util.Locale;

/**
 * A rule of a ClusterNetworkPolicy: an action for some connections.
 *
 * @param name for people; empty if it has none
 * @param matches the connections
 */
public record ClusterRule(String name, Action action, PolicyRule matches) {
    /** The fate of a matched connection. */
    public enum Action {
        /** This direction allows it. */
        ACCEPT,
        /** It is refused. */
        DENY,
        /** The next tier decides. */
        PASS;

        /** As in the API: {@code Accept}. */
        @Override
        public String toString() {
            return name().charAt(0) + name().substring(1).toLowerCase(Locale.ROOT);
        }
    }
}
