package dev.nodepath.controllers.endpoints;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;

/**
 * The common part of all endpoints in one EndpointSlice.
 *
 * @param addressType {@code IPv4} or {@code IPv6}
 * @param ports as in the slice; never changed
 */
record SliceGroup(String addressType, ArrayNode ports) {
    static SliceGroup of(JsonNode slice) {
        return new SliceGroup(
                slice.path("addressType").asText(),
                slice.path("ports") instanceof ArrayNode ports ? ports : JsonNodeFactory.instance.arrayNode());
    }
}
