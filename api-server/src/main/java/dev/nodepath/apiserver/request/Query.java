package dev.nodepath.apiserver.request;

import dev.nodepath.apiserver.StatusException;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The parameters of a request. An empty one counts as absent.
 *
 * @param parameters values by name
 */
public record Query(Map<String, List<String>> parameters) {
    public Query {
        parameters = Map.copyOf(parameters);
    }

    /** The first value, or an empty text. */
    public String text(String name) {
        List<String> values = parameters.getOrDefault(name, List.of());
        return values.isEmpty() ? "" : values.get(0);
    }

    /** Whether it is {@code true} or {@code 1}. */
    public boolean flag(String name) {
        String value = text(name);
        return switch (value) {
            case "true", "1", "TRUE", "True", "t", "T" -> true;
            case "", "false", "0", "FALSE", "False", "f", "F" -> false;
            default ->
                throw StatusException.badRequest(name + ": Invalid value: \"" + value + "\": must be true or false");
        };
    }

    /** A number that is not negative; empty if absent. */
    public OptionalLong number(String name) {
        String value = text(name);
        if (value.isEmpty()) {
            return OptionalLong.empty();
        }
        try {
            long number = Long.parseLong(value);
            if (number >= 0) {
                return OptionalLong.of(number);
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw StatusException.badRequest(
                name + ": Invalid value: \"" + value + "\": must be a number that is not negative");
    }

    /** Whether nothing is to be stored: {@code dryRun=All}. */
    public boolean dryRun() {
        for (String value : parameters.getOrDefault("dryRun", List.of())) {
            if (value.equals("All")) {
                return true;
            }
            if (!value.isEmpty()) {
                throw StatusException.badRequest(
                        "dryRun: Unsupported value: \"" + value + "\": supported values: \"All\"");
            }
        }
        return false;
    }
}
