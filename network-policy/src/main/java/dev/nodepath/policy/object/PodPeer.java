package dev.nodepath.policy.object;

import java.util.Map;
import java.util.Optional;

/**
 * Pods that selectors choose.
 *
 * @param namespace the only namespace that they are in; empty if selectors choose that
 * @param namespaces chooses namespaces
 * @param pods chooses among the pods of these namespaces
 */
public record PodPeer(Optional<String> namespace, LabelSelector namespaces, LabelSelector pods) implements Peer {
    /**
     * Whether pods of a namespace can be chosen.
     *
     * @param labels of this namespace; empty if they are not known, and then no selector of namespaces chooses it
     */
    boolean isIn(String name, Optional<Map<String, String>> labels) {
        return namespace.isPresent()
                ? namespace.get().equals(name)
                : labels.filter(namespaces::matches).isPresent();
    }

    /** In words, different for different peers. */
    @Override
    public String toString() {
        return "namespaces " + namespace.map(only -> "named " + only).orElse("with {" + namespaces + "}")
                + ", pods with {" + pods + "}";
    }
}
