package dev.nodepath.apiserver.validation;

import com.fasterxml.jackson.databind.JsonNode;

/** Values as Kubernetes shows them in errors. */
public final class GoText {
    private GoText() {}

    /** A text in quotes, anything else as JSON. */
    public static String of(JsonNode value) {
        if (value.isMissingNode()) {
            return "null";
        }
        return value.isTextual() ? quote(value.textValue()) : value.toString();
    }

    /** A text as Go's {@code %q} writes it. */
    public static String quote(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        text.codePoints().forEach(each -> {
            switch (each) {
                case '"' -> quoted.append("\\\"");
                case '\\' -> quoted.append("\\\\");
                case '\n' -> quoted.append("\\n");
                case '\t' -> quoted.append("\\t");
                case '\r' -> quoted.append("\\r");
                default -> append(quoted, each);
            }
        });
        return quoted.append('"').toString();
    }

    private static void append(StringBuilder quoted, int codePoint) {
        if (codePoint < ' ' || codePoint == 0x7f) {
            quoted.append(String.format("\\x%02x", codePoint));
        } else {
            quoted.appendCodePoint(codePoint);
        }
    }
}
