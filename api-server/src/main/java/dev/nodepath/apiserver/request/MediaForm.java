package dev.nodepath.apiserver.request;

import dev.nodepath.apiserver.StatusException;
import java.util.List;
import java.util.Locale;

/** The forms of an answer that a client can ask for. */
public enum MediaForm {
    JSON,
    YAML,
    TABLE,
    /** Only the metadata of each object. */
    METADATA,
    /** Discovery of all groups in one document. */
    AGGREGATED_DISCOVERY;

    /** The first form of the header {@code Accept} that this server has; 406 if there is none. */
    public static MediaForm of(String accept) {
        if (accept.isBlank()) {
            return JSON;
        }
        for (String range : accept.split(",", -1)) {
            List<String> parts =
                    List.of(range.toLowerCase(Locale.ROOT).replace(" ", "").split(";", -1));
            String as = parts.stream()
                    .filter(part -> part.startsWith("as="))
                    .map(part -> part.substring(3))
                    .findFirst()
                    .orElse("");
            boolean current = parts.contains("v=v1") || parts.contains("v=v2");
            switch (parts.get(0)) {
                case "application/json", "*/*", "application/*" -> {
                    if (as.isEmpty()) {
                        return JSON;
                    } else if (as.equals("table") && current) {
                        return TABLE;
                    } else if (as.startsWith("partialobjectmetadata") && current) {
                        return METADATA;
                    } else if (as.equals("apigroupdiscoverylist") && current) {
                        return AGGREGATED_DISCOVERY;
                    }
                }
                case "application/yaml" -> {
                    return YAML;
                }
                default -> {}
            }
        }
        throw new StatusException(
                406,
                "NotAcceptable",
                "only the following media types are accepted: application/json, application/yaml",
                "",
                "",
                "",
                List.of());
    }
}
