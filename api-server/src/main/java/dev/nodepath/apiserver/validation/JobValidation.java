package dev.nodepath.apiserver.validation;

import dev.nodepath.apiserver.resource.SelectorMatch;
import java.util.List;
import java.util.Optional;

final class JobValidation {
    private static final String UID = "batch.kubernetes.io/controller-uid";

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
        if (spec.at("completionMode").text().equals("Indexed")
                && !spec.at("completions").isPresent()) {
            spec.at("completions").required("when completion mode is Indexed");
        }
        spec.at("podReplacementPolicy").oneOf("Failed", "TerminatingOrFailed");
        selector(spec, job.at("metadata").at("uid").text());
        ObjectField template = spec.at("template");
        PodValidation.validateTemplate(template);
        ObjectField restart = template.at("spec").at("restartPolicy");
        if (!List.of("OnFailure", "Never").contains(restart.text())) {
            restart.required("valid values: \"OnFailure\", \"Never\"");
        }
        before.ifPresent(old -> unchanged(spec, old.at("spec")));
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
        boolean elastic = spec.at("completionMode").text().equals("Indexed")
                && spec.at("completions").value().equals(spec.at("parallelism").value());
        if (!elastic) {
            CommonValidation.immutable(spec.at("completions"), before.at("completions"));
        }
        for (String field : List.of("selector", "completionMode", "podFailurePolicy", "successPolicy")) {
            CommonValidation.immutable(spec.at(field), before.at(field));
        }
        if (!before.at("suspend").value().asBoolean()) {
            CommonValidation.immutable(spec.at("template"), before.at("template"));
        }
    }
}
