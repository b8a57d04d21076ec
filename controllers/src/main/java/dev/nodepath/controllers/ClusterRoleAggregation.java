package dev.nodepath.controllers;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.SelectorMatch;
import dev.nodepath.controllers.object.Controller;
import dev.nodepath.controllers.object.KeyQueue;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.Trigger;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Gives each ClusterRole with an {@code aggregationRule} the rules of the roles that it selects (Kubernetes' page
 * "Using RBAC Authorization", aggregated ClusterRoles). Such a role may be part of another, so the change of one
 * reconciles all.
 */
final class ClusterRoleAggregation implements Controller {
    private static final ObjectKey ALL = new ObjectKey("", "all");

    private final ClusterApi api;
    private final Resource roles;

    ClusterRoleAggregation(ClusterApi api) {
        this.api = api;
        this.roles = api.kinds()
                .ofKind("rbac.authorization.k8s.io/v1", "ClusterRole")
                .orElseThrow();
    }

    @Override
    public String name() {
        return "clusterrole-aggregation";
    }

    @Override
    public List<Trigger> triggers() {
        return List.of(Trigger.any(roles, ALL));
    }

    @Override
    public void reconcile(ObjectKey key, KeyQueue queue) {
        List<ObjectNode> all = api.list(roles, "").objects().stream()
                .sorted(Comparator.comparing(Meta::name))
                .toList();
        for (ObjectNode role : all) {
            if (role.path("aggregationRule").isObject() && !Meta.isTerminating(role)) {
                ArrayNode rules = role.arrayNode().addAll(rules(role, all));
                if (!rules.equals(role.path("rules"))) {
                    api.modify(roles, ObjectKey.of(role), "", copy -> copy.set("rules", rules));
                }
            }
        }
    }

    /** The rules of selected roles, each once, in the order of the selectors, then of the names. */
    private static Set<JsonNode> rules(ObjectNode role, List<ObjectNode> all) {
        Set<JsonNode> rules = new LinkedHashSet<>();
        for (JsonNode selector : role.path("aggregationRule").path("clusterRoleSelectors")) {
            for (ObjectNode part : all) {
                if (!Meta.name(part).equals(Meta.name(role)) && SelectorMatch.matches(selector, Meta.labels(part))) {
                    part.path("rules").forEach(rules::add);
                }
            }
        }
        return rules;
    }
}
