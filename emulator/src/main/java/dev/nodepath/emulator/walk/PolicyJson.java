package dev.nodepath.emulator.walk;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.policy.object.PolicyAnswer;
import dev.nodepath.policy.object.PolicyQuestion;
import java.util.List;
import java.util.Locale;

/** The answer of policies at a hop, for programs. */
public final class PolicyJson {
    private PolicyJson() {}

    /**
     * The question and its answer: {@code allowed} or {@code refused} by NetworkPolicies, {@code accepted} or
     * {@code denied} by a ClusterNetworkPolicy, or {@code free} for a {@code reason}.
     */
    public static ObjectNode of(PolicyHop hop) {
        PolicyQuestion question = hop.question();
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("asker", lowerCase(hop.asker()))
                .put("direction", question.direction().lowerCase())
                .put("pod", question.pod().name().toString());
        json.set("admin", names(question.asked().admin()));
        json.set("isolatedBy", names(question.asked().isolating()));
        json.set("baseline", names(question.asked().baseline()));
        question.passed().forEach(rule -> json.withArray("passedBy").add(rule(rule)));
        addAnswer(json, question.answer());
        return json;
    }

    private static void addAnswer(ObjectNode json, PolicyAnswer answer) {
        if (answer instanceof PolicyAnswer.Allowed allowed) {
            json.put("answer", "allowed")
                    .putObject("by")
                    .put("policy", allowed.policy().toString())
                    .put("rule", allowed.rule());
        } else if (answer instanceof PolicyAnswer.Accepted accepted) {
            json.put("answer", "accepted").set("by", rule(accepted.rule()));
        } else if (answer instanceof PolicyAnswer.Denied denied) {
            json.put("answer", "denied").set("by", rule(denied.rule()));
        } else if (answer instanceof PolicyAnswer.Free free) {
            json.put("answer", "free").put("reason", lowerCase(free.reason()));
        } else {
            json.put("answer", "refused");
        }
    }

    private static JsonNode rule(PolicyAnswer.ClusterRuleName rule) {
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("tier", rule.tier().toString())
                .put("policy", rule.policy())
                .put("rule", rule.number());
        return rule.name().isEmpty() ? json : json.put("name", rule.name());
    }

    /** ClusterNetworkPolicies have no namespace. */
    private static ArrayNode names(List<NamespacedName> policies) {
        ArrayNode names = JsonNodeFactory.instance.arrayNode();
        policies.forEach(policy -> names.add(policy.namespace().isEmpty() ? policy.name() : policy.toString()));
        return names;
    }

    private static String lowerCase(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
