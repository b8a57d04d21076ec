package dev.nodepath.apiserver.validation;

import dev.nodepath.apiserver.resource.SelectorMatch;
import java.util.List;
import java.util.Optional;

final class JobValidation {
    private static final String UID = "batch.kubernetes.io/controller-uid";

    /** Above this number of indexes there are further limits. */
    private static final int INDEXES_MAX = 100_000;

    private static final int MANY_INDEXES_MAX = 10_000;

    private static final List<String> FIXED = List.of(
            "selector", "completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy");

    private JobValidation() {}

    static void validate(ObjectField job, Optional<ObjectField> before) {
        ObjectField spec = job.at("spec");
        for (String count : List.of(
                "parallelism",
                "completions",
                "activeDeadlineSeconds",
                "backoffLimit",
                "backoffLimitPerIndex",
                "maxFailedIndexes",
                "ttlSecondsAfterFinished")) {
            spec.at(count).notNegative();
        }
        spec.at("completionMode").oneOf("NonIndexed", "Indexed");
        if (isIndexed(spec) && !spec.at("completions").isPresent()) {
            spec.at("completions").required("when completion mode is Indexed");
        }
        indexLimits(spec);
        boolean policy = spec.at("podFailurePolicy").isPresent();
        if (policy) {
            JobPolicyValidation.failure(spec);
            spec.at("podReplacementPolicy").oneOf("Failed");
        } else {
            spec.at("podReplacementPolicy").oneOf("Failed", "TerminatingOrFailed");
        }
        if (spec.at("successPolicy").isPresent()) {
            JobPolicyValidation.success(spec);
        }
        selector(spec, job.at("metadata").at("uid").text());
        ObjectField template = spec.at("template");
        PodValidation.validateTemplate(template);
        ObjectField restart = template.at("spec").at("restartPolicy");
        if (!List.of("OnFailure", "Never").contains(restart.text())) {
            restart.required("valid values: \"OnFailure\", \"Never\"");
        } else if (policy && !restart.text().equals("Never")) {
            restart.invalid("only \"Never\" is supported when podFailurePolicy is specified");
        }
        before.ifPresent(old -> unchanged(spec, old.at("spec")));
    }

    /** The failure limits of each index, and the most indexes and Pods with such limits. */
    private static void indexLimits(ObjectField spec) {
        ObjectField perIndex = spec.at("backoffLimitPerIndex");
        ObjectField failed = spec.at("maxFailedIndexes");
        if (failed.isPresent() && !perIndex.isPresent()) {
            perIndex.required("when maxFailedIndexes is specified");
        }
        if (!isIndexed(spec)) {
            for (ObjectField limit : List.of(perIndex, failed)) {
                if (limit.isPresent()) {
                    limit.invalid("requires indexed completion mode");
                }
            }
            return;
        }
        atMost(spec.at("parallelism"), INDEXES_MAX, " when completion mode is Indexed");
        ObjectField completions = spec.at("completions");
        if (completions.isPresent() && failed.number() > completions.number()) {
            failed.invalid("must be less than or equal to completions");
        }
        atMost(failed, INDEXES_MAX, "");
        if (perIndex.isPresent() && completions.number() > INDEXES_MAX) {
            if (!failed.isPresent()) {
                failed.required("must be specified when completions is above " + INDEXES_MAX);
            }
            String when = " when completions are above " + INDEXES_MAX + " and used with backoff limit per index";
            atMost(spec.at("parallelism"), MANY_INDEXES_MAX, when);
            atMost(failed, MANY_INDEXES_MAX, when);
        }
    }

    private static void atMost(ObjectField number, int most, String when) {
        if (number.number() > most) {
            number.invalid("must be less than or equal to " + most + when);
        }
    }

    static boolean isIndexed(ObjectField spec) {
        return spec.at("completionMode").text().equals("Indexed");
    }

    private static void selector(ObjectField spec, String uid) {
        ObjectField selector = spec.at("selector");
        if (!selector.isPresent()) {
            selector.required("");
            return;
        }
        CommonValidation.selector(selector);
        ObjectField labels = spec.at("template").at("metadata").at("labels");
        if (!SelectorMatch.matches(selector.value(), labels.value())) {
            labels.invalid("`selector` does not match template `labels`");
        }
        boolean manual = spec.at("manualSelector").value().asBoolean();
        if (!manual && !selector.at("matchLabels").value().path(UID).asText().equals(uid)) {
            selector.invalid("`selector` not auto-generated");
        }
    }

    private static void unchanged(ObjectField spec, ObjectField before) {
        boolean elastic = isIndexed(spec)
                && spec.at("completions").value().equals(spec.at("parallelism").value());
        if (!elastic) {
            CommonValidation.immutable(spec.at("completions"), before.at("completions"));
        }
        for (String field : FIXED) {
            CommonValidation.immutable(spec.at(field), before.at(field));
        }
        if (!before.at("suspend").value().asBoolean()) {
            CommonValidation.immutable(spec.at("template"), before.at("template"));
        }
    }
}
