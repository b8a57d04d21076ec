package dev.nodepath.policy.object;

import dev.nodepath.endpoints.source.Fields;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Chooses objects by labels ({@code metav1.LabelSelector}).
 *
 * @param requirements a selected object meets all of them; without any, every object is selected
 */
public record LabelSelector(List<Requirement> requirements) {
    private static final Comparator<Requirement> ORDER = Comparator.comparing(Requirement::toString);

    /** Sorts the requirements, so that equal selectors are equal. */
    public LabelSelector {
        requirements = requirements.stream().distinct().sorted(ORDER).toList();
    }

    /** The comparison of a label. */
    public enum Operator {
        /** The label has one of the values. */
        IN("In"),
        /** The label has none of the values, or is absent. */
        NOT_IN("NotIn"),
        /** The label exists. */
        EXISTS("Exists"),
        /** The label is absent. */
        ABSENT("DoesNotExist");

        private final String text;

        Operator(String text) {
            this.text = text;
        }
    }

    /**
     * The requirement for one label.
     *
     * @param values empty for EXISTS and ABSENT
     */
    public record Requirement(String key, Operator operator, SortedSet<String> values) {
        boolean holds(Map<String, String> labels) {
            String value = labels.get(key);
            return switch (operator) {
                case IN -> value != null && values.contains(value);
                case NOT_IN -> value == null || !values.contains(value);
                case EXISTS -> value != null;
                case ABSENT -> value == null;
            };
        }

        @Override
        public String toString() {
            return key + " " + operator.text + (values.isEmpty() ? "" : " " + values);
        }
    }

    private static Requirement equal(String key, String value) {
        return new Requirement(key, Operator.IN, new TreeSet<>(List.of(value)));
    }

    /** Whether it selects an object with these labels. */
    public boolean matches(Map<String, String> labels) {
        for (Requirement each : requirements) {
            if (!each.holds(labels)) {
                return false;
            }
        }
        return true;
    }

    /** Reads the selector in a field; an absent one selects every object. Empty if a part of it is unusable. */
    static Optional<LabelSelector> read(Fields parent, String field) {
        if (parent.has(field) && !parent.json(field).isObject()) {
            parent.problem(field, "a label selector");
            return Optional.empty();
        }
        Fields selector = parent.object(field);
        List<Requirement> requirements = new ArrayList<>();
        for (String key : selector.object("matchLabels").names()) {
            if (!selector.object("matchLabels").json(key).isTextual()) {
                selector.object("matchLabels").problem(key, "a string");
                return Optional.empty();
            }
            requirements.add(equal(key, selector.object("matchLabels").text(key)));
        }
        List<Fields> expressions = selector.objects("matchExpressions");
        for (Fields expression : expressions) {
            Optional<Requirement> requirement = requirement(expression);
            if (requirement.isEmpty()) {
                return Optional.empty();
            }
            requirements.add(requirement.get());
        }
        return expressions.size() == selector.json("matchExpressions").size()
                ? Optional.of(new LabelSelector(requirements))
                : Optional.empty();
    }

    private static Optional<Requirement> requirement(Fields expression) {
        String key = expression.requiredText("key");
        String name = expression.text("operator");
        SortedSet<String> values = new TreeSet<>(expression.texts("values"));
        for (Operator operator : Operator.values()) {
            if (operator.text.equals(name)) {
                boolean needsValues = operator == Operator.IN || operator == Operator.NOT_IN;
                if (needsValues == values.isEmpty()) {
                    expression.problem("values", needsValues ? "at least one value" : "no values");
                    return Optional.empty();
                }
                return key.isEmpty() ? Optional.empty() : Optional.of(new Requirement(key, operator, values));
            }
        }
        expression.problem("operator", "In, NotIn, Exists or DoesNotExist");
        return Optional.empty();
    }

    /** The requirements in words; empty if it selects every object. */
    @Override
    public String toString() {
        return String.join(
                ", ", requirements.stream().map(Requirement::toString).toList());
    }
}
