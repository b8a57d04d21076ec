package dev.nodepath.endpoints.source.kubernetes.client;

import com.fasterxml.jackson.databind.JsonNode;

/** What an API server says of itself under {@code /version} ({@code k8s.io/apimachinery/pkg/version.Info}); empty where it says nothing. */
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
    public static final String PATH = "/version";

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
