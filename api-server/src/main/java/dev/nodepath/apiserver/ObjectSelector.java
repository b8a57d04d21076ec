package dev.nodepath.apiserver;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.function.Predicate;

/** Chooses objects. */
@FunctionalInterface
public interface ObjectSelector extends Predicate<JsonNode> {
    /** Chooses all. */
    ObjectSelector ALL = object -> true;

    /** The most requirements of one selector: a watch checks them at every change, while the store is locked. */
    int REQUIREMENTS_MAX = 500;

    /**
     * Whether a selector may have one more requirement.
     *
     * @throws StatusException 400 if it has {@value #REQUIREMENTS_MAX}
     */
    static void requireFew(int requirements) {
        if (requirements >= REQUIREMENTS_MAX) {
            throw StatusException.badRequest(
                    "a selector of more than " + REQUIREMENTS_MAX + " requirements (expected: fewer)");
        }
    }

    /** Chooses the objects that both selectors choose. */
    default ObjectSelector and(ObjectSelector other) {
        return this == ALL ? other : other == ALL ? this : object -> test(object) && other.test(object);
    }
}
