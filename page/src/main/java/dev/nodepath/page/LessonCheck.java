package dev.nodepath.page;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The task of a lesson: a choice for the reader, and a fact to observe in the cluster. In the document it is an HTML
 * comment below a list of choices:
 *
 * <pre>
 * &lt;!-- check
 * packet FROM TO                  or: change POD ready|unready, or: flow FROM TO
 * when service NAME POLICY        or: when pod NAME ready|unready, or: when policy NAMESPACE/NAME isolates;
 *                                 this line may be left out
 * FACT: VALUE, VALUE              what is observed; a value for each choice, in their order
 * --&gt;
 * </pre>
 *
 * <p>The facts of a packet are {@code seen} (the source at its receiver: the {@code sender}'s or a {@code node}'s),
 * {@code becomes} (the translated destination on the first node: a {@code pod}'s or a {@code node}'s) and {@code
 * outcome} ({@code answered}, {@code refused}, {@code silent}). The fact of a change is {@code rules} (the nodes with
 * changed rules: {@code all}, {@code one}, {@code none}); the fact of a flow is {@code state} ({@code open}, {@code
 * ended}).
 *
 * @param subject {@code packet}, {@code change} or {@code flow}
 * @param of its two words
 * @param when the condition before it; null if there is none
 * @param fact the fact to observe
 * @param values one for each choice
 */
record LessonCheck(
        String subject, List<String> of, @Nullable Condition when, String fact, List<String> values) {
    private static final String LANGUAGE =
            "three lines: \"packet FROM TO\", \"change POD ready|unready\" or \"flow FROM TO\";"
                    + " maybe \"when service NAME POLICY\", \"when pod NAME ready|unready\" or"
                    + " \"when policy NAMESPACE/NAME isolates\"; \"FACT: VALUE, VALUE\"";

    private static final Pattern CHECK =
            Pattern.compile("<!-- check\n(?<subject>packet|change|flow) (?<first>\\S+) (?<second>\\S+)\n"
                    + "(?:when (?<kind>service|pod|policy) (?<name>\\S+) (?<state>.+)\n)?"
                    + "(?<fact>\\w+): (?<values>\\w+(?:, \\w+)+)\n-->");

    private static final Map<String, Map<String, Set<String>>> FACTS = Map.of(
            "packet",
            Map.of(
                    "seen", Set.of("sender", "node"),
                    "becomes", Set.of("pod", "node"),
                    "outcome", Set.of("answered", "refused", "silent")),
            "change",
            Map.of("rules", Set.of("all", "one", "none")),
            "flow",
            Map.of("state", Set.of("open", "ended")));
    private static final String ISOLATES = "isolates";
    private static final Set<String> READINESS = Set.of("ready", "unready");

    /**
     * The condition for an observation.
     *
     * @param kind {@code service}, {@code pod}, or {@code policy} that isolates an end of the packet
     * @param name of it
     * @param state a policy as the page shows it, {@code ready} or {@code unready}, or {@code isolates}
     */
    record Condition(String kind, String name, String state) {}

    LessonCheck {
        of = List.copyOf(of);
        values = List.copyOf(values);
    }

    /**
     * Reads a comment.
     *
     * @throws IllegalArgumentException if it is malformed
     */
    static LessonCheck parse(String comment) {
        Matcher parts = CHECK.matcher(comment.strip());
        if (!parts.matches()) {
            throw new IllegalArgumentException("check: \"" + comment.strip() + "\" (expected: " + LANGUAGE + ")");
        }
        String subject = parts.group("subject");
        String fact = parts.group("fact");
        Set<String> known = FACTS.getOrDefault(subject, Map.of()).get(fact);
        if (known == null) {
            throw wrong("fact", fact, FACTS.getOrDefault(subject, Map.of()).keySet());
        }
        List<String> values = List.of(parts.group("values").split(", "));
        values.forEach(value -> oneOf("value of " + fact, value, known));
        if (subject.equals("change")) {
            oneOf("change", parts.group("second"), READINESS);
        }
        return new LessonCheck(
                subject, List.of(parts.group("first"), parts.group("second")), condition(parts), fact, values);
    }

    private static @Nullable Condition condition(Matcher parts) {
        String kind = parts.group("kind");
        if (kind == null) {
            return null;
        }
        if (kind.equals("pod")) {
            oneOf("when pod", parts.group("state"), READINESS);
        } else if (kind.equals("policy")) {
            oneOf("when policy", parts.group("state"), Set.of(ISOLATES));
            oneOf("subject of a policy", parts.group("subject"), Set.of("packet"));
        }
        return new Condition(kind, parts.group("name"), parts.group("state"));
    }

    private static void oneOf(String field, String was, Set<String> expected) {
        if (!expected.contains(was)) {
            throw wrong(field, was, expected);
        }
    }

    private static IllegalArgumentException wrong(String field, String was, Set<String> expected) {
        return new IllegalArgumentException(field + ": \"" + was + "\" (expected: one of " + expected + ")");
    }

    ObjectNode json() {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("subject", subject);
        of.forEach(json.putArray("of")::add);
        if (when != null) {
            json.putObject("when")
                    .put("kind", when.kind())
                    .put("name", when.name())
                    .put("state", when.state());
        }
        json.put("fact", fact);
        values.forEach(json.putArray("values")::add);
        return json;
    }
}
