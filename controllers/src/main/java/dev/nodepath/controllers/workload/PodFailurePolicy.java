package dev.nodepath.controllers.workload;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.controllers.object.Meta;
import java.util.List;
import java.util.Optional;

/**
 * {@code spec.podFailurePolicy} of a Job: the consequences of a Pod's failure. The first rule that matches decides
 * (KEP-3329).
 */
final class PodFailurePolicy {
    private PodFailurePolicy() {}

    /** The action of a rule. */
    enum Action {
        COUNT,
        IGNORE,
        FAIL_INDEX,
        FAIL_JOB;

        private static Action of(String word) {
            return switch (word) {
                case "Ignore" -> IGNORE;
                case "FailIndex" -> FAIL_INDEX;
                case "FailJob" -> FAIL_JOB;
                default -> COUNT;
            };
        }
    }

    /**
     * The consequence of a failure.
     *
     * @param message why the Job fails, for {@link Action#FAIL_JOB}
     */
    record Meaning(Action action, String message) {}

    /** The consequence of a Pod's failure; without a matching rule the failure counts. */
    static Meaning of(JsonNode job, JsonNode pod) {
        int index = 0;
        for (JsonNode rule : job.path("spec").path("podFailurePolicy").path("rules")) {
            Optional<String> match = rule.has("onExitCodes")
                    ? exitCode(rule.path("onExitCodes"), pod)
                    : condition(rule.path("onPodConditions"), pod);
            if (match.isPresent()) {
                String action = rule.path("action").asText();
                return new Meaning(Action.of(action), match.get() + " matching " + action + " rule at index " + index);
            }
            index++;
        }
        return new Meaning(Action.COUNT, "");
    }

    private static Optional<String> exitCode(JsonNode rule, JsonNode pod) {
        for (String list : List.of("containerStatuses", "initContainerStatuses")) {
            for (JsonNode container : pod.path("status").path(list)) {
                String name = container.path("name").asText();
                JsonNode code = container.path("state").path("terminated").path("exitCode");
                if (code.asInt() != 0 && rule.path("containerName").asText(name).equals(name) && has(rule, code)) {
                    return Optional.of(
                            "Container " + name + " for pod " + place(pod) + " failed with exit code " + code.asInt());
                }
            }
        }
        return Optional.empty();
    }

    private static boolean has(JsonNode rule, JsonNode code) {
        boolean listed = rule.path("values").valueStream().anyMatch(value -> value.asInt() == code.asInt());
        return listed == rule.path("operator").asText().equals("In");
    }

    private static Optional<String> condition(JsonNode patterns, JsonNode pod) {
        for (JsonNode condition : pod.path("status").path("conditions")) {
            String type = condition.path("type").asText();
            if (patterns.valueStream()
                    .anyMatch(pattern -> pattern.path("type").asText().equals(type)
                            && pattern.path("status")
                                    .asText("True")
                                    .equals(condition.path("status").asText()))) {
                return Optional.of("Pod " + place(pod) + " has condition " + type);
            }
        }
        return Optional.empty();
    }

    private static String place(JsonNode pod) {
        return Meta.namespace(pod) + "/" + Meta.name(pod);
    }
}
