package dev.nodepath.policy.object;

import java.util.Locale;

/**
 * What a ClusterNetworkPolicy does with some connections.
 *
 * @param name for people; empty if it has none
 * @param matches the connections
 */
public record ClusterRule(String name, Action action, PolicyRule matches) {
    /** What happens to a connection that is matched. */
    public enum Action {
        /** It may be made, as far as this direction is concerned. */
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
