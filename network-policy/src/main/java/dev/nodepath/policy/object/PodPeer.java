package dev.nodepath.policy.object;

import java.util.Map;
import java.util.Optional;

/**
 * Pods that selectors select.
 *
 * @param namespace the only namespace of the pods; empty if selectors select namespaces
 * @param namespaces chooses namespaces
 * @param pods selects among the pods of these namespaces
 */
public record PodPeer(Optional<String> namespace, LabelSelector namespaces, LabelSelector pods) implements Peer {
    /**
     * Whether the peer can select pods of a namespace.
     *
     * @param labels of this namespace; empty if unknown, and then no selector of namespaces selects it
     */
    boolean isIn(String name, Optional<Map<String, String>> labels) {
        return namespace.isPresent()
                ? namespace.get().equals(name)
                : labels.filter(namespaces::matches).isPresent();
    }

    /** The peer in words; different peers have different words. */
    @Override
    public String toString() {
        return "namespaces " + namespace.map(only -> "named " + only).orElse("with {" + namespaces + "}")
                + ", pods with {" + pods + "}";
    }
}
