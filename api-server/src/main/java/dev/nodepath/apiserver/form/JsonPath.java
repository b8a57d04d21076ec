package dev.nodepath.apiserver.form;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A path of Kubernetes' JSONPath as columns use it: {@code .spec.hosts[0]}, {@code .spec.ports[*].port}, {@code
 * .status.conditions[?(@.type=="Ready")].status}, {@code .metadata.labels['a.b/c']} and {@code .metadata.labels.a\.b}.
 * A path in another form finds nothing.
 */
final class JsonPath {
    private static final Pattern STEP = Pattern.compile("\\.?\\[\\s*(?:(?<all>\\*)|(?<index>-?[0-9]{1,9})"
            + "|'(?<quoted>[^']*)'|\"(?<doubled>[^\"]*)\""
            + "|\\?\\(\\s*@\\.(?<field>[^=!<>\\s]+)\\s*==\\s*[\"'](?<value>[^\"']*)[\"']\\s*\\))\\s*\\]"
            + "|\\.(?<name>(?:[^.\\[\\\\]|\\\\.)+)");

    private final List<Function<JsonNode, List<JsonNode>>> steps;

    private JsonPath(List<Function<JsonNode, List<JsonNode>>> steps) {
        this.steps = steps;
    }

    static JsonPath parse(String text) {
        String bare = text.replaceFirst("^\\{(.*)\\}$", "$1").replaceFirst("^\\$", "");
        Matcher step = STEP.matcher(bare);
        List<Function<JsonNode, List<JsonNode>>> steps = new ArrayList<>();
        int end = 0;
        while (end < bare.length() && step.find(end) && step.start() == end) {
            steps.add(step(step));
            end = step.end();
        }
        return new JsonPath(end == bare.length() && end > 0 ? steps : List.of(node -> List.of()));
    }

    /** The values at this path, in their order. */
    List<JsonNode> of(JsonNode object) {
        List<JsonNode> found = List.of(object);
        for (Function<JsonNode, List<JsonNode>> step : steps) {
            List<JsonNode> next = new ArrayList<>();
            found.forEach(each -> next.addAll(step.apply(each)));
            found = next;
        }
        return found;
    }

    private static Function<JsonNode, List<JsonNode>> step(Matcher step) {
        if (step.group("all") != null) {
            return JsonPath::children;
        }
        if (step.group("index") != null) {
            int index = Integer.parseInt(step.group("index"));
            return node -> present(node.path(index < 0 ? node.size() + index : index));
        }
        if (step.group("field") != null) {
            JsonPath field = parse("." + step.group("field"));
            String value = step.group("value");
            return node -> children(node).stream()
                    .filter(each -> field.of(each).stream()
                            .anyMatch(found -> found.asText().equals(value)))
                    .toList();
        }
        String name = name(step);
        return node -> present(node.path(name));
    }

    private static String name(Matcher step) {
        for (String group : List.of("quoted", "doubled")) {
            if (step.group(group) != null) {
                return step.group(group);
            }
        }
        return step.group("name").replaceAll("\\\\(.)", "$1");
    }

    private static List<JsonNode> children(JsonNode node) {
        List<JsonNode> children = new ArrayList<>();
        node.forEach(children::add);
        return children;
    }

    private static List<JsonNode> present(JsonNode node) {
        return node.isMissingNode() || node.isNull() ? List.of() : List.of(node);
    }
}
