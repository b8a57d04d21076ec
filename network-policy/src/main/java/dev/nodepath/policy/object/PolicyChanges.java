package dev.nodepath.policy.object;

import dev.nodepath.endpoints.NamespacedName;
import java.util.Set;

/** The names of what differs between two snapshots. */
public record PolicyChanges(Set<String> namespaces, Set<NamespacedName> pods, Set<NamespacedName> policies) {
    /** Nothing. */
    public static final PolicyChanges NONE = new PolicyChanges(Set.of(), Set.of(), Set.of());

    /** Copies the sets. */
    public PolicyChanges {
        namespaces = Set.copyOf(namespaces);
        pods = Set.copyOf(pods);
        policies = Set.copyOf(policies);
    }

    /** Whether nothing differs. */
    public boolean isEmpty() {
        return namespaces.isEmpty() && pods.isEmpty() && policies.isEmpty();
    }
}
