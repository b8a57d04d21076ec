package dev.nodepath.policy.verdict;

import dev.nodepath.endpoints.NamespacedName;
import java.util.List;

/** What policies say of one end of a connection. */
public sealed interface PolicyAnswer {
    /** Whether the packet may pass. */
    boolean allows();

    /** Why no policy is asked. */
    enum Reason {
        /** The address is none of a pod that policies know. */
        NO_POD,
        /** No policy selects the pod in this direction. */
        NOT_ISOLATED,
        /** A pod always reaches itself. */
        ITSELF,
        /** A node always reaches its own pods. */
        OWN_NODE
    }

    /** No policy is asked. */
    record Free(Reason reason) implements PolicyAnswer {
        @Override
        public boolean allows() {
            return true;
        }
    }

    /**
     * A rule allows it.
     *
     * @param rule its number in the policy, from 0
     */
    record Allowed(NamespacedName policy, int rule) implements PolicyAnswer {
        @Override
        public boolean allows() {
            return true;
        }
    }

    /**
     * No rule allows it.
     *
     * @param pod the isolated pod
     * @param policies those that isolate it, in order
     */
    record Refused(NamespacedName pod, List<NamespacedName> policies) implements PolicyAnswer {
        @Override
        public boolean allows() {
            return false;
        }
    }
}
