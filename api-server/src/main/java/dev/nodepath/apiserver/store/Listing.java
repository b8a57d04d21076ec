package dev.nodepath.apiserver.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/**
 * The objects of a kind at one moment.
 *
 * @param version the newest resourceVersion of the store at that moment
 * @param objects sorted by namespace and name. Never change them
 */
public record Listing(long version, List<ObjectNode> objects) {
    public Listing {
        objects = List.copyOf(objects);
    }
}
