package dev.nodepath.apiserver.form;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.resource.ConditionList;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Cells of the kinds of {@code kinds.txt} that need more than one value of the object. */
final class StoredCells {
    private static final Map<String, String> MODES =
            Map.of("ReadWriteOnce", "RWO", "ReadOnlyMany", "ROX", "ReadWriteMany", "RWX", "ReadWriteOncePod", "RWOP");
    private static final List<String> ORDER =
            List.of("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod");
    private static final int HOSTS_MAX = 3;

    private StoredCells() {}

    /**
     * A cell.
     *
     * @param word which one
     * @param value the value at the path behind the word
     */
    static String of(String word, JsonNode object, JsonNode value) {
        return switch (word) {
            case "targets" -> ScalerForms.targets(object);
            case "phase" -> isDeleted(object) ? "Terminating" : value.asText();
            case "modes" -> modes(value);
            case "labels" -> LabelText.of(value);
            case "selector" -> LabelText.selector(value);
            case "requests" -> quota(object, value, false);
            case "limits" -> quota(object, value, true);
            case "seconds" -> value.isNumber() ? Ages.of(Duration.ofSeconds(value.asLong())) : Cells.NONE;
            case "decision" -> decision(object, value);
            case "dangling" ->
                ConditionList.find(object, "Dangling")
                        .map(each -> each.path("status").asText())
                        .orElse("?");
            case "hosts" -> hosts(value);
            case "addresses" ->
                texts(
                        value,
                        each -> each.path("ip").asText(each.path("hostname").asText("")),
                        ",");
            case "ports" -> value.isEmpty() ? "80" : "80, 443";
            case "users" -> subjects(value, "User");
            case "groups" -> subjects(value, "Group");
            case "accounts" -> subjects(value, "ServiceAccount");
            case "claim" -> claim(object);
            case "default" -> className(object);
            default -> throw new IllegalStateException("kinds.txt: (" + word + ")");
        };
    }

    private static boolean isDeleted(JsonNode object) {
        return object.path("metadata").has("deletionTimestamp");
    }

    private static String texts(JsonNode list, Function<JsonNode, String> text, String separator) {
        return list.valueStream().map(text).filter(each -> !each.isEmpty()).collect(Collectors.joining(separator));
    }

    private static String modes(JsonNode modes) {
        List<String> all = modes.valueStream().map(JsonNode::asText).toList();
        return ORDER.stream().filter(all::contains).map(MODES::get).collect(Collectors.joining(","));
    }

    /** This cluster counts no usage; a program may write it into the status. */
    private static String quota(JsonNode object, JsonNode hard, boolean limits) {
        JsonNode used = object.path("status").path("used");
        Map<String, String> cells = new TreeMap<>();
        hard.properties().forEach(each -> {
            if (each.getKey().startsWith("limits.") == limits) {
                cells.put(
                        each.getKey(),
                        used.path(each.getKey()).asText("0") + "/"
                                + each.getValue().asText());
            }
        });
        return cells.entrySet().stream()
                .map(each -> each.getKey() + ": " + each.getValue())
                .collect(Collectors.joining(", "));
    }

    private static String decision(JsonNode object, JsonNode status) {
        List<String> words = new ArrayList<>();
        boolean approved = ConditionList.find(object, "Approved").isPresent();
        boolean denied = ConditionList.find(object, "Denied").isPresent();
        words.add(denied ? "Denied" : approved ? "Approved" : "Pending");
        if (ConditionList.find(object, "Failed").isPresent()) {
            words.add("Failed");
        }
        if (!status.path("certificate").asText("").isEmpty()) {
            words.add("Issued");
        }
        return String.join(",", words);
    }

    private static String hosts(JsonNode rules) {
        List<String> hosts = rules.valueStream()
                .map(each -> each.path("host").asText(""))
                .filter(each -> !each.isEmpty())
                .toList();
        if (hosts.isEmpty()) {
            return "*";
        }
        String first = hosts.stream().limit(HOSTS_MAX).collect(Collectors.joining(","));
        return hosts.size() >= HOSTS_MAX && rules.size() > HOSTS_MAX
                ? first + " + " + (rules.size() - HOSTS_MAX) + " more..."
                : first;
    }

    private static String subjects(JsonNode subjects, String kind) {
        return subjects.valueStream()
                .filter(each -> each.path("kind").asText().equals(kind))
                .map(each ->
                        (kind.equals("ServiceAccount") ? each.path("namespace").asText() + "/" : "")
                                + each.path("name").asText())
                .collect(Collectors.joining(", "));
    }

    private static String claim(JsonNode object) {
        List<String> states = new ArrayList<>();
        JsonNode status = object.path("status");
        if (isDeleted(object)) {
            states.add("deleted");
        }
        if (status.has("allocation")) {
            states.add("allocated");
            if (!status.path("reservedFor").isEmpty()) {
                states.add("reserved");
            }
        } else if (!isDeleted(object)) {
            states.add("pending");
        }
        return String.join(",", states);
    }

    private static String className(JsonNode object) {
        JsonNode annotations = object.path("metadata").path("annotations");
        boolean standard = Stream.of("storageclass.kubernetes.io", "storageclass.beta.kubernetes.io")
                .anyMatch(each ->
                        annotations.path(each + "/is-default-class").asText().equals("true"));
        return object.path("metadata").path("name").asText() + (standard ? " (default)" : "");
    }
}
