package dev.nodepath.apiserver.validation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.SelectorMatch;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Deployments, ReplicaSets, StatefulSets and DaemonSets. */
final class WorkloadValidation {
    private static final String ROLLING = "RollingUpdate";
    private static final String MAX_SURGE = "maxSurge";
    private static final String MAX_UNAVAILABLE = "maxUnavailable";
    private static final String MIN_READY = "minReadySeconds";
    private static final Map<String, String> WORDS = Map.of(
            "Deployment",
            "deployment",
            "ReplicaSet",
            "deployment",
            "StatefulSet",
            "statefulset",
            "DaemonSet",
            "daemonset");
    private static final Set<String> STATEFUL_CHANGES = Set.of(
            "replicas",
            "ordinals",
            "template",
            "updateStrategy",
            "revisionHistoryLimit",
            "persistentVolumeClaimRetentionPolicy",
            MIN_READY);

    private final String kind;
    private final ObjectField spec;

    private WorkloadValidation(String kind, ObjectField spec) {
        this.kind = kind;
        this.spec = spec;
    }

    static void validate(String kind, ObjectField workload, Optional<ObjectField> before) {
        WorkloadValidation validation = new WorkloadValidation(kind, workload.at("spec"));
        validation.counts();
        validation.selector();
        validation.template();
        switch (kind) {
            case "Deployment" -> validation.deployment();
            case "StatefulSet" -> validation.statefulSet();
            case "DaemonSet" -> validation.daemonSet();
            default -> {}
        }
        before.ifPresent(old -> validation.unchanged(old.at("spec")));
    }

    private void counts() {
        spec.at("replicas").notNegative();
        spec.at(MIN_READY).notNegative();
        spec.at("revisionHistoryLimit").notNegative();
    }

    private void selector() {
        ObjectField selector = spec.at("selector");
        if (!selector.isPresent()) {
            selector.required("");
            return;
        }
        CommonValidation.selector(selector);
        if (!selector.at("matchLabels").isSet()
                && !selector.at("matchExpressions").isSet()) {
            selector.invalid("empty selector is invalid for " + WORDS.get(kind));
        }
    }

    private void template() {
        ObjectField template = spec.at("template");
        ObjectField labels = template.at("metadata").at("labels");
        if (spec.at("selector").isSet()
                && !SelectorMatch.matches(spec.at("selector").value(), labels.value())) {
            labels.invalid("`selector` does not match template `labels`");
        }
        if (kind.equals("StatefulSet")) {
            PodValidation.validateTemplateWithClaims(template);
        } else {
            PodValidation.validateTemplate(template);
        }
        ObjectField restart = template.at("spec").at("restartPolicy");
        if (restart.isSet() && !restart.text().equals("Always")) {
            restart.unsupported(List.of("Always"));
        }
        if (template.at("spec").at("activeDeadlineSeconds").isPresent()) {
            template.at("spec")
                    .at("activeDeadlineSeconds")
                    .forbidden("activeDeadlineSeconds in " + kind + " is not Supported");
        }
    }

    private void deployment() {
        ObjectField strategy = spec.at("strategy");
        strategy.at("type").oneOf("Recreate", ROLLING);
        ObjectField rolling = strategy.at("rollingUpdate");
        if (strategy.at("type").text().equals("Recreate") && rolling.isPresent()) {
            rolling.forbidden("may not be specified when strategy `type` is 'Recreate'");
        } else if (strategy.at("type").text().equals(ROLLING)) {
            rolling(rolling);
            if (bothZero(rolling)) {
                CommonValidation.zeroIfAbsent(rolling.at(MAX_UNAVAILABLE)).invalid("may not be 0 when `maxSurge` is 0");
            }
        }
        ObjectField progress = spec.at("progressDeadlineSeconds");
        progress.notNegative();
        if (progress.isPresent() && progress.number() <= spec.at(MIN_READY).number()) {
            progress.invalid("must be greater than minReadySeconds");
        }
    }

    private static void rolling(ObjectField rolling) {
        CommonValidation.countOrPercent(rolling.at(MAX_UNAVAILABLE));
        CommonValidation.countOrPercent(rolling.at(MAX_SURGE));
        CommonValidation.percentAtMost100(rolling.at(MAX_UNAVAILABLE));
    }

    private static boolean bothZero(ObjectField rolling) {
        return CommonValidation.isZero(rolling.at(MAX_UNAVAILABLE)) && CommonValidation.isZero(rolling.at(MAX_SURGE));
    }

    private void statefulSet() {
        ObjectField policy = spec.at("podManagementPolicy");
        if (!Set.of("OrderedReady", "Parallel").contains(policy.text())) {
            policy.invalid("must be 'OrderedReady' or 'Parallel'");
        }
        ObjectField strategy = spec.at("updateStrategy");
        if (!Set.of(ROLLING, "OnDelete").contains(strategy.at("type").text())) {
            strategy.invalid("must be 'RollingUpdate' or 'OnDelete'");
        }
        if (strategy.at("type").text().equals("OnDelete")
                && strategy.at("rollingUpdate").isPresent()) {
            strategy.at("rollingUpdate").invalid("only allowed for updateStrategy 'RollingUpdate'");
        }
        strategy.at("rollingUpdate").at("partition").notNegative();
        NameFormat.SUBDOMAIN.checkIfSet(spec.at("serviceName"));
    }

    private void daemonSet() {
        ObjectField strategy = spec.at("updateStrategy");
        strategy.at("type").oneOf(ROLLING, "OnDelete");
        if (strategy.at("type").text().equals(ROLLING)) {
            ObjectField rolling = strategy.at("rollingUpdate");
            rolling(rolling);
            CommonValidation.percentAtMost100(rolling.at(MAX_SURGE));
            if (bothZero(rolling)) {
                rolling.at(MAX_UNAVAILABLE).required("cannot be 0 when maxSurge is 0");
            } else if (!CommonValidation.isZero(rolling.at(MAX_UNAVAILABLE))
                    && !CommonValidation.isZero(rolling.at(MAX_SURGE))) {
                rolling.at(MAX_SURGE).invalid("may not be set when maxUnavailable is non-zero");
            }
        }
    }

    private void unchanged(ObjectField before) {
        if (!kind.equals("StatefulSet")) {
            CommonValidation.immutable(spec.at("selector"), before.at("selector"));
        } else if (!withoutChanges(spec.value()).equals(withoutChanges(before.value()))) {
            spec.forbidden("updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template',"
                    + " 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and"
                    + " 'minReadySeconds' are forbidden");
        }
    }

    private static JsonNode withoutChanges(JsonNode spec) {
        return ((ObjectNode) spec.deepCopy()).without(STATEFUL_CHANGES);
    }
}
