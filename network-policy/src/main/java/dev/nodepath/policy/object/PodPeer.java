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
     * Whether it is a pod of these.
     *
     * @param namespaceLabels of the pod's namespace; empty if that is not known, and then no selector of namespaces
     *     chooses it
     */
    boolean matches(PolicyPod pod, Optional<Map<String, String>> namespaceLabels) {
        boolean isThere = namespace.isPresent()
                ? namespace.get().equals(pod.name().namespace())
                : namespaceLabels.filter(namespaces::matches).isPresent();
        return isThere && pods.matches(pod.labels());
    }

    /** In words, different for different peers. */
    @Override
    public String toString() {
        return "namespaces " + namespace.map(only -> "named " + only).orElse("with {" + namespaces + "}")
                + ", pods with {" + pods + "}";
    }
}
