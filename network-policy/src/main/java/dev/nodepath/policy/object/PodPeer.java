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
    /** Whether it is a pod of these. */
    public boolean matches(PolicyPod pod, Map<String, String> namespaceLabels) {
        return namespace.filter(only -> !only.equals(pod.name().namespace())).isEmpty()
                && namespaces.matches(namespaceLabels)
                && pods.matches(pod.labels());
    }

    /** In words, different for different peers. */
    @Override
    public String toString() {
        return "namespaces " + namespace.map(only -> "named " + only).orElse("with {" + namespaces + "}")
                + ", pods with {" + pods + "}";
    }
}
