package dev.nodepath.apiserver.validation;

import java.util.List;

/** A Pod's demands on its Node: affinity and spreading. */
final class SchedulingValidation {
    private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
    private static final String PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";
    private static final int WEIGHT_MAX = 100;

    private SchedulingValidation() {}

    static void validate(ObjectField spec) {
        ObjectField node = spec.at("affinity").at("nodeAffinity");
        if (node.at(REQUIRED).isPresent()) {
            ObjectField terms = node.at(REQUIRED).at("nodeSelectorTerms");
            terms.require("must have at least one node selector term");
            terms.items().forEach(SchedulingValidation::nodeTerm);
        }
        for (ObjectField term : node.at(PREFERRED).items()) {
            weight(term.at("weight"));
            nodeTerm(term.at("preference"));
        }
        for (String kind : List.of("podAffinity", "podAntiAffinity")) {
            ObjectField pods = spec.at("affinity").at(kind);
            pods.at(REQUIRED).items().forEach(SchedulingValidation::podTerm);
            for (ObjectField term : pods.at(PREFERRED).items()) {
                weight(term.at("weight"));
                podTerm(term.at("podAffinityTerm"));
            }
        }
        spec.at("topologySpreadConstraints").items().forEach(SchedulingValidation::spread);
    }

    private static void nodeTerm(ObjectField term) {
        for (String list : List.of("matchExpressions", "matchFields")) {
            for (ObjectField expression : term.at(list).items()) {
                if (!List.of("Gt", "Lt").contains(expression.at("operator").text())) {
                    CommonValidation.operator(expression);
                } else if (expression.at("values").items().size() != 1) {
                    expression.at("values").required("must be specified single value when `operator` is 'Lt' or 'Gt'");
                }
                MetadataValidation.qualified(
                        expression.at("key"), expression.at("key").text());
            }
        }
    }

    private static void podTerm(ObjectField term) {
        ObjectField key = term.at("topologyKey");
        if (key.require("can not be empty")) {
            MetadataValidation.qualified(key, key.text());
        }
        CommonValidation.selector(term.at("labelSelector"));
    }

    private static void weight(ObjectField weight) {
        if (weight.number() < 1 || weight.number() > WEIGHT_MAX) {
            CommonValidation.zeroIfAbsent(weight).invalid("must be in the range 1-100");
        }
    }

    private static void spread(ObjectField constraint) {
        ObjectField skew = CommonValidation.zeroIfAbsent(constraint.at("maxSkew"));
        if (skew.number() <= 0) {
            skew.invalid("must be greater than zero");
        }
        constraint.at("topologyKey").require("can not be empty");
        constraint.at("whenUnsatisfiable").oneOf("DoNotSchedule", "ScheduleAnyway");
        CommonValidation.selector(constraint.at("labelSelector"));
    }
}
