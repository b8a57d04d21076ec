package dev.nodepath.endpoints.source.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * The version of an API server, from {@code /version} ({@code k8s.io/apimachinery/pkg/version.Info}). Absent fields are
 * empty.
 */
public record ServerVersion(
        String major,
        String minor,
        String gitVersion,
        String gitCommit,
        String gitTreeState,
        String buildDate,
        String goVersion,
        String compiler,
        String platform) {
    /** The path of the version. */
    public static final String PATH = "/version";

    /** Reads the answer. */
    public static ServerVersion of(JsonNode info) {
        return new ServerVersion(
                info.path("major").asText(""),
                info.path("minor").asText(""),
                info.path("gitVersion").asText(""),
                info.path("gitCommit").asText(""),
                info.path("gitTreeState").asText(""),
                info.path("buildDate").asText(""),
                info.path("goVersion").asText(""),
                info.path("compiler").asText(""),
                info.path("platform").asText(""));
    }
}
