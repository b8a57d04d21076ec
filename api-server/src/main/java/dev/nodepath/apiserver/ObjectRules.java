package dev.nodepath.apiserver;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.Resource;
import java.util.Optional;

/**
 * What a kind asks of its objects before they are stored: defaults, allocated values, checks. Each call happens while
 * nobody else reads or writes the store.
 */
public interface ObjectRules {
    /** Rules that ask nothing. */
    ObjectRules NONE = new ObjectRules() {
        @Override
        public void admit(Resource resource, ObjectNode object, Optional<ObjectNode> before, String subresource) {}

        @Override
        public void removed(Resource resource, ObjectNode object) {}
    };

    /**
     * Completes an object that is to be stored, and checks it.
     *
     * @param object the new state, to be changed in place
     * @param before the stored state; empty when the object is created
     * @param subresource empty for the object itself, else such as {@code status}
     * @throws StatusException if it breaks a rule
     */
    void admit(Resource resource, ObjectNode object, Optional<ObjectNode> before, String subresource);

    /** An object is gone: what was allocated to it is free again. */
    void removed(Resource resource, ObjectNode object);
}
