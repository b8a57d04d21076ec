package dev.nodepath.endpoints.source.kubernetes;

import dev.nodepath.endpoints.NamespacedName;

/** Gets a call for NetworkPolicies, which Nodepath does not enforce. */
@FunctionalInterface
public interface PolicyListener {
    /** NetworkPolicies exist, and did not before. This is the first one by name. */
    void found(NamespacedName first);
}
