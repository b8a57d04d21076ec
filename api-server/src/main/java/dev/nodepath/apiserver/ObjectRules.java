package dev.nodepath.apiserver;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.Resource;
import java.util.Optional;

/** What a kind asks of its objects before they are stored: defaults, checks, allocated values. */
public interface ObjectRules {
    /** Rules that ask nothing. */
    ObjectRules NONE = new ObjectRules() {
        @Override
        public void admit(Resource resource, ObjectNode object, Optional<ObjectNode> before, String subresource) {}

        @Override
        public void allocate(Resource resource, ObjectNode object, Optional<ObjectNode> before, String subresource) {}
    };

    /**
     * Completes an object that is to be stored, and checks it. It does not look into the store, and others may write
     * meanwhile.
     *
     * @param object the new state, to be changed in place
     * @param before the stored state; empty when the object is created
     * @param subresource empty for the object itself, else such as {@code status}
     * @throws StatusException if it breaks a rule
     */
    void admit(Resource resource, ObjectNode object, Optional<ObjectNode> before, String subresource);

    /**
     * Gives an object that was admitted what it shares with no other object. Nobody else reads or writes the store
     * meanwhile.
     *
     * @throws StatusException if it asks for what another object has
     */
    void allocate(Resource resource, ObjectNode object, Optional<ObjectNode> before, String subresource);
}
