package dev.nodepath.apiserver.schema;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.resource.Resource;
import java.util.List;

/**
 * Reads objects of a kind as Kubernetes does: values must have the types of their fields. Unknown fields are dropped,
 * and so are nulls and empty optional lists and maps.
 */
public final class ObjectDecoder {
    private ObjectDecoder() {}

    /**
     * An object that fits its kind.
     *
     * @param object a new tree
     * @param unknown the fields that were dropped, each as {@code unknown field "spec.foo"}
     */
    public record Decoded(ObjectNode object, List<String> unknown) {
        public Decoded {
            unknown = List.copyOf(unknown);
        }
    }

    /**
     * Reads a tree, which stays as it is.
     *
     * @throws StatusException 400, if a value has another type than its field
     */
    public static Decoded decode(Resource resource, ObjectNode tree) {
        TypeChecker checker = new TypeChecker(Schema.kubernetes());
        try {
            return new Decoded(checker.check(Schema.kubernetes().of(resource), tree), checker.unknown());
        } catch (MistypedException e) {
            throw StatusException.badRequest(resource.kind() + " in version \"" + resource.version()
                    + "\" cannot be handled as a " + resource.kind() + ": " + e.reason());
        }
    }
}
