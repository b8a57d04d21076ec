package dev.nodepath.endpoints.source.kubernetes;

import dev.nodepath.endpoints.NamespacedName;

/** Is told of NetworkPolicies, which nothing here enforces. */
@FunctionalInterface
public interface PolicyListener {
    /** There are some where there were none: this is the first of them by its name. */
    void found(NamespacedName first);
}
