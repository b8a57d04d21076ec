package dev.nodepath.apiserver.selector;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.function.Predicate;

/** Chooses objects. */
@FunctionalInterface
public interface ObjectSelector extends Predicate<JsonNode> {
    /** Chooses all. */
    ObjectSelector ALL = object -> true;

    /** Chooses what both choose. */
    default ObjectSelector and(ObjectSelector other) {
        return this == ALL ? other : other == ALL ? this : object -> test(object) && other.test(object);
    }
}
