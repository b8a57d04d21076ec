package dev.nodepath.controllers.object;

import com.fasterxml.jackson.databind.JsonNode;

/** Reads a limit in Pods or in percent of the replicas, such as {@code maxSurge}. */
public final class ReplicaLimit {
    private ReplicaLimit() {}

    /** The limit in Pods, rounded up. */
    public static int roundedUp(JsonNode limit, int replicas, String otherwise) {
        return (int) Math.ceil(of(limit, replicas, otherwise));
    }

    /** The limit in Pods, rounded down. */
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
