package dev.nodepath.apiserver;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.Resource;
import java.util.Optional;

/** The rules of a kind before its objects are stored: defaults, checks, allocated values. */
public interface ObjectRules {
    /** No rules. */
    ObjectRules NONE = new ObjectRules() {
        @Override
        public void admit(Resource resource, ObjectNode object, Optional<ObjectNode> before, String subresource) {}

        @Override
        public void allocate(Resource resource, ObjectNode object, Optional<ObjectNode> before, String subresource) {}
    };

    /**
     * Completes and checks an object before it is stored. It does not look into the store; other calls may write
     * meanwhile.
     *
     * @param object the new state, to be changed in place
     * @param before the stored state; empty when the object is created
     * @param subresource empty for the object itself, else such as {@code status}
     * @throws StatusException if it breaks a rule
     */
    void admit(Resource resource, ObjectNode object, Optional<ObjectNode> before, String subresource);

    /**
     * Allocates values that an admitted object shares with no other. The store is locked meanwhile.
     *
     * @throws StatusException if it asks for the value of another object
     */
    void allocate(Resource resource, ObjectNode object, Optional<ObjectNode> before, String subresource);
}
