package dev.nodepath.controllers.object;

import com.fasterxml.jackson.databind.JsonNode;

/** Reads a limit that is a number of Pods or a percentage of the replicas, as {@code maxSurge}. */
public final class ReplicaLimit {
    private ReplicaLimit() {}

    /** The limit in Pods; parts of a Pod count as one. */
    public static int roundedUp(JsonNode limit, int replicas, String otherwise) {
        return (int) Math.ceil(of(limit, replicas, otherwise));
    }

    /** The limit in Pods; parts of a Pod do not count. */
    public static int roundedDown(JsonNode limit, int replicas, String otherwise) {
        return (int) Math.floor(of(limit, replicas, otherwise));
    }

    private static double of(JsonNode limit, int replicas, String otherwise) {
        String text = limit.isMissingNode() || limit.isNull() ? otherwise : limit.asText();
        return text.endsWith("%")
                ? Integer.parseInt(text.substring(0, text.length() - 1)) * (double) replicas / 100
                : Integer.parseInt(text);
    }
}
