package dev.nodepath.apiserver.form;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** The form of a kind's objects in answers. Equal forms give equal answers. */
public interface ObjectForm {
    /** An object by itself. */
    ObjectNode one(ObjectNode object);

    /** An object in a list. */
    ObjectNode item(ObjectNode object);

    /** A list without objects; the array for them is its last field. */
    ObjectNode list(ObjectNode metadata);
}
