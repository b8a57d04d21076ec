package dev.nodepath.endpoints.source.kubernetes;

import dev.nodepath.endpoints.NamespacedName;

/** Gets a call for NetworkPolicies, where an agent does not enforce them. */
@FunctionalInterface
public interface PolicyListener {
    /** NetworkPolicies exist, and did not before. This is the first one by name. */
    void found(NamespacedName first);
}
