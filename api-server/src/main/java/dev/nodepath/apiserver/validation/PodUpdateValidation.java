package dev.nodepath.apiserver.validation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The fields of a Pod that may change: images, added tolerations, the deadline, the Node once. Scheduling gates may
 * only be removed. While there are gates, the choice of Nodes may get narrower (KEP-3838).
 */
final class PodUpdateValidation {
    private static final String RULE = "pod updates may not change fields other than `spec.containers[*].image`,"
            + "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing"
            + " tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

    private static final String EXPRESSIONS = "matchExpressions";
    private static final String FIELDS = "matchFields";

    private PodUpdateValidation() {}

    static void validate(ObjectField spec, ObjectField before) {
        for (String list : List.of("containers", "initContainers")) {
            if (spec.at(list).items().size() != before.at(list).items().size()) {
                spec.at(list).forbidden("pod updates may not add or remove containers");
                return;
            }
        }
        if (!fixed(spec.value(), before.value()).equals(fixed(before.value(), before.value()))) {
            spec.forbidden(RULE);
        }
        gates(spec.at("schedulingGates"), before.at("schedulingGates"));
        if (before.at("schedulingGates").isSet()) {
            nodeSelector(spec.at("nodeSelector"), before.at("nodeSelector").value());
            nodeTerms(terms(spec), terms(before).items());
        }
        deadline(spec.at("activeDeadlineSeconds"), before.at("activeDeadlineSeconds"));
        tolerations(spec.at("tolerations"), before.at("tolerations"));
    }

    /** Existing ones must stay as they are. */
    static void ephemeralContainers(ObjectField spec, ObjectField before) {
        ObjectField containers = spec.at("ephemeralContainers");
        for (ObjectField old : before.at("ephemeralContainers").items()) {
            String name = old.at("name").text();
            Optional<ObjectField> same = containers.items().stream()
                    .filter(each -> each.at("name").text().equals(name))
                    .findFirst();
            if (same.isEmpty()) {
                containers.forbidden("existing ephemeral containers \"" + name + "\" may not be removed");
            } else if (!same.get().value().equals(old.value())) {
                containers.forbidden("existing ephemeral containers \"" + name + "\" may not be changed");
            }
        }
    }

    /** The spec without the changeable fields. A scheduler sets the Node. */
    private static JsonNode fixed(JsonNode spec, JsonNode before) {
        ObjectNode fixed = spec.deepCopy();
        fixed.remove(List.of("tolerations", "activeDeadlineSeconds", "schedulingGates"));
        if (before.path("nodeName").asText("").isEmpty()) {
            fixed.remove("nodeName");
        }
        if (!before.path("schedulingGates").isEmpty()) {
            fixed.remove("nodeSelector");
            if (fixed.path("affinity") instanceof ObjectNode affinity) {
                affinity.remove("nodeAffinity");
            }
            if (fixed.path("affinity").isEmpty()) {
                fixed.remove("affinity");
            }
        }
        for (String list : List.of("containers", "initContainers")) {
            for (JsonNode container : fixed.path(list)) {
                ((ObjectNode) container).remove("image");
            }
        }
        return fixed;
    }

    private static void gates(ObjectField gates, ObjectField before) {
        List<String> old =
                before.items().stream().map(each -> each.at("name").text()).toList();
        for (ObjectField gate : gates.items()) {
            String name = gate.at("name").text();
            if (!old.contains(name)) {
                gate.at("name").forbidden("only deletion is allowed, but found new scheduling gate '" + name + "'");
            }
        }
    }

    private static void nodeSelector(ObjectField selector, JsonNode before) {
        if (!before.properties().stream()
                .allMatch(label -> label.getValue().equals(selector.value().path(label.getKey())))) {
            selector.invalid("only additions to spec.nodeSelector are allowed (no mutations or deletions)");
        }
    }

    private static ObjectField terms(ObjectField spec) {
        return spec.at("affinity")
                .at("nodeAffinity")
                .at("requiredDuringSchedulingIgnoredDuringExecution")
                .at("nodeSelectorTerms");
    }

    /**
     * A Node has to match one of the terms, so each term may only demand more, and no term may be added to existing
     * ones.
     */
    private static void nodeTerms(ObjectField terms, List<ObjectField> before) {
        List<ObjectField> now = terms.items();
        if (!before.isEmpty() && now.size() != before.size()) {
            terms.invalid("no additions/deletions to non-empty NodeSelectorTerms list are allowed");
            return;
        }
        for (int i = 0; i < before.size(); i++) {
            if (!demandsAsMuch(now.get(i), before.get(i))) {
                now.get(i).invalid("only additions are allowed (no mutations or deletions)");
            }
        }
    }

    /** A term without demands matches no Node, so it stays as it is. */
    private static boolean demandsAsMuch(ObjectField term, ObjectField before) {
        if (!before.at(EXPRESSIONS).isSet() && !before.at(FIELDS).isSet()) {
            return !term.at(EXPRESSIONS).isSet() && !term.at(FIELDS).isSet();
        }
        return startsWith(term.at(EXPRESSIONS).value(), before.at(EXPRESSIONS).value())
                && startsWith(term.at(FIELDS).value(), before.at(FIELDS).value());
    }

    private static boolean startsWith(JsonNode list, JsonNode start) {
        for (int i = 0; i < start.size(); i++) {
            if (!start.path(i).equals(list.path(i))) {
                return false;
            }
        }
        return true;
    }

    private static void deadline(ObjectField deadline, ObjectField before) {
        if (!before.isPresent()) {
            return;
        }
        if (!deadline.isPresent()) {
            deadline.invalid("must not update from a positive integer to nil value");
        } else if (deadline.number() > before.number()) {
            deadline.invalid("must be less than or equal to previous value");
        }
    }

    private static void tolerations(ObjectField tolerations, ObjectField before) {
        List<JsonNode> now = withoutSeconds(tolerations.value());
        if (!now.containsAll(withoutSeconds(before.value()))) {
            tolerations.forbidden("existing toleration can not be modified except its tolerationSeconds");
        }
    }

    private static List<JsonNode> withoutSeconds(JsonNode tolerations) {
        List<JsonNode> all = new ArrayList<>();
        if (tolerations instanceof ArrayNode list) {
            list.forEach(each -> all.add(((ObjectNode) each.deepCopy()).without("tolerationSeconds")));
        }
        return all;
    }
}
