package dev.nodepath.policy;

import dev.nodepath.endpoints.NamespacedName;
import java.util.Comparator;
import java.util.Locale;

/** The object of a part of the table. */
record RuleOwner(Kind kind, NamespacedName name) implements Comparable<RuleOwner> {
    private static final Comparator<RuleOwner> ORDER =
            Comparator.comparing(RuleOwner::kind).thenComparing(RuleOwner::name);

    /** The common part of all isolated pods of the node. */
    static final RuleOwner LINK = new RuleOwner(Kind.LINK, new NamespacedName("", "addresses"));

    /** The kind of object. */
    enum Kind {
        POLICY,
        CLUSTER_POLICY,
        NODE,
        POD,
        LINK
    }

    static RuleOwner policy(NamespacedName name) {
        return new RuleOwner(Kind.POLICY, name);
    }

    static RuleOwner clusterPolicy(NamespacedName name) {
        return new RuleOwner(Kind.CLUSTER_POLICY, name);
    }

    static RuleOwner node(NamespacedName name) {
        return new RuleOwner(Kind.NODE, name);
    }

    static RuleOwner pod(NamespacedName name) {
        return new RuleOwner(Kind.POD, name);
    }

    @Override
    public int compareTo(RuleOwner other) {
        return ORDER.compare(this, other);
    }

    /** In words: {@code policy default/deny-all}. */
    @Override
    public String toString() {
        return kind.name().toLowerCase(Locale.ROOT).replace('_', ' ') + " "
                + (name.namespace().isEmpty() ? name.name() : name);
    }
}
