package dev.nodepath.controllers.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ConditionList;
import dev.nodepath.apiserver.resource.SelectorMatch;
import dev.nodepath.controllers.object.Meta;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Decides whether a Pod may run on a Node, from these two objects alone. The reasons are in the words of
 * kube-scheduler.
 */
public final class NodeFilter {
    /** Taint of a Node that is not ready. */
    public static final String NOT_READY = "node.kubernetes.io/not-ready";
    /** Taint of an unreachable Node. */
    public static final String UNREACHABLE = "node.kubernetes.io/unreachable";

    /** Taint of a Node that takes no new Pods. */
    public static final String UNSCHEDULABLE = "node.kubernetes.io/unschedulable";

    private NodeFilter() {}

    /** Why a Node does not take a new Pod; empty if it does. */
    static Optional<String> refusal(JsonNode pod, JsonNode node) {
        if (!toleratesUnschedulable(pod, node)) {
            return Optional.of("node(s) were unschedulable");
        }
        Optional<JsonNode> taint = untolerated(pod, node, List.of("NoSchedule", "NoExecute"));
        if (taint.isPresent()) {
            return Optional.of(
                    "node(s) had untolerated taint {" + taint.get().path("key").asText() + ": "
                            + taint.get().path("value").asText("") + "}");
        }
        return matchesAffinity(pod, node)
                ? Optional.empty()
                : Optional.of("node(s) didn't match Pod's node affinity/selector");
    }

    /** Whether a Pod's nodeSelector and required node affinity match a Node. */
    public static boolean matchesAffinity(JsonNode pod, JsonNode node) {
        JsonNode selector = pod.path("spec").path("nodeSelector");
        if (!selector.isEmpty() && !SelectorMatch.matchesMap(selector, Meta.labels(node))) {
            return false;
        }
        JsonNode required = pod.path("spec")
                .path("affinity")
                .path("nodeAffinity")
                .path("requiredDuringSchedulingIgnoredDuringExecution");
        return !required.isObject() || matchesAnyTerm(required.path("nodeSelectorTerms"), node);
    }

    /** The first taint with one of these effects that a Pod does not tolerate. */
    public static Optional<JsonNode> untolerated(JsonNode pod, JsonNode node, List<String> effects) {
        return taints(node).stream()
                .filter(taint -> effects.contains(taint.path("effect").asText()))
                .filter(taint -> toleration(pod, taint).isEmpty())
                .findFirst();
    }

    /** The first toleration of a Pod that meets a taint. */
    public static Optional<JsonNode> toleration(JsonNode pod, JsonNode taint) {
        for (JsonNode each : pod.path("spec").path("tolerations")) {
            if (tolerates(each, taint)) {
                return Optional.of(each);
            }
        }
        return Optional.empty();
    }

    /**
     * The taints of a Node. An unready Node counts as tainted even before the node lifecycle controller writes the
     * taint.
     */
    private static List<JsonNode> taints(JsonNode node) {
        List<JsonNode> taints = new ArrayList<>();
        node.path("spec").path("taints").forEach(taints::add);
        String ready = ConditionList.status(node, "Ready");
        String implied = ready.equals("True") ? "" : ready.equals("Unknown") ? UNREACHABLE : NOT_READY;
        if (!implied.isEmpty()
                && taints.stream().noneMatch(each -> each.path("key").asText().equals(implied))) {
            taints.add(taint(implied, "NoSchedule"));
        }
        return taints;
    }

    private static boolean toleratesUnschedulable(JsonNode pod, JsonNode node) {
        return !node.path("spec").path("unschedulable").asBoolean(false)
                || toleration(pod, taint(UNSCHEDULABLE, "NoSchedule")).isPresent();
    }

    private static ObjectNode taint(String key, String effect) {
        return JsonNodeFactory.instance.objectNode().put("key", key).put("effect", effect);
    }

    private static boolean tolerates(JsonNode toleration, JsonNode taint) {
        String effect = toleration.path("effect").asText("");
        if (!effect.isEmpty() && !effect.equals(taint.path("effect").asText())) {
            return false;
        }
        String key = toleration.path("key").asText("");
        if (!key.isEmpty() && !key.equals(taint.path("key").asText())) {
            return false;
        }
        return toleration.path("operator").asText("Equal").equals("Exists")
                || (!key.isEmpty()
                        && toleration
                                .path("value")
                                .asText("")
                                .equals(taint.path("value").asText("")));
    }

    private static boolean matchesAnyTerm(JsonNode terms, JsonNode node) {
        for (JsonNode term : terms) {
            boolean asksNothing = term.path("matchExpressions").isEmpty()
                    && term.path("matchFields").isEmpty();
            if (!asksNothing
                    && SelectorMatch.matchesAll(term.path("matchExpressions"), Meta.labels(node))
                    && SelectorMatch.matchesAll(term.path("matchFields"), fields(node))) {
                return true;
            }
        }
        return false;
    }

    /** The only field that terms may refer to. */
    private static ObjectNode fields(JsonNode node) {
        return JsonNodeFactory.instance.objectNode().put("metadata.name", Meta.name(node));
    }
}
