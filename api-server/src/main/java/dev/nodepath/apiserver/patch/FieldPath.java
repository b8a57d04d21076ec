package dev.nodepath.apiserver.patch;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.request.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A place in an object, in the steps of {@code fieldsV1}.
 *
 * @param steps {@code f:NAME} for a field, <code>k:{"name":"c"}</code> for the object of a list with these keys,
 *     {@code v:VALUE} for a value of a set
 */
record FieldPath(List<String> steps) implements Comparable<FieldPath> {
    static final FieldPath ROOT = new FieldPath(List.of());

    /**
     * Names and keys usually have at most a few hundred characters. Each field below a longer step would be as long.
     */
    private static final int TEXT_MAX = 8 * 1024;

    FieldPath {
        steps = List.copyOf(steps);
    }

    /**
     * A place below this one.
     *
     * @throws StatusException 413 if the steps have more than {@value #TEXT_MAX} characters together
     */
    FieldPath then(String step) {
        if (steps.stream().mapToInt(String::length).sum() + step.length() > TEXT_MAX) {
            throw StatusException.tooLarge("the path of a field has more than " + TEXT_MAX + " characters");
        }
        List<String> longer = new ArrayList<>(steps);
        longer.add(step);
        return new FieldPath(longer);
    }

    FieldPath field(String name) {
        return then("f:" + name);
    }

    boolean isEmpty() {
        return steps.isEmpty();
    }

    String last() {
        return steps.get(steps.size() - 1);
    }

    FieldPath parent() {
        return new FieldPath(steps.subList(0, steps.size() - 1));
    }

    boolean startsWith(FieldPath start) {
        return steps.size() >= start.steps.size()
                && steps.subList(0, start.steps.size()).equals(start.steps);
    }

    /** The keys of a step that begins with {@code k:}, or the value of one that begins with {@code v:}. */
    static JsonNode json(String step) {
        try {
            return Json.MAPPER.readTree(step.substring(2));
        } catch (IOException e) {
            throw new IllegalArgumentException("no step of a path: " + step, e);
        }
    }

    @Override
    public int compareTo(FieldPath other) {
        for (int i = 0; i < Math.min(steps.size(), other.steps.size()); i++) {
            int byStep = steps.get(i).compareTo(other.steps.get(i));
            if (byStep != 0) {
                return byStep;
            }
        }
        return Integer.compare(steps.size(), other.steps.size());
    }

    /** As errors show it: {@code .spec.containers[name="c"].image}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (String step : steps) {
            switch (step.charAt(0)) {
                case 'f' -> text.append('.').append(step, 2, step.length());
                case 'k' ->
                    text.append(json(step).properties().stream()
                            .map(key -> key.getKey() + "=" + key.getValue())
                            .collect(Collectors.joining(",", "[", "]")));
                default -> text.append("[=").append(step, 2, step.length()).append(']');
            }
        }
        return text.toString();
    }
}
