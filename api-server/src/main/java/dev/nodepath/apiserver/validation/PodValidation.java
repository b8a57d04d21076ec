package dev.nodepath.apiserver.validation;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The spec of a Pod, also in the template of a workload. */
final class PodValidation {
    private static final long DEADLINE_MAX = Integer.MAX_VALUE;
    private static final int NAMESERVERS_MAX = 3;
    private static final int SEARCHES_MAX = 32;

    private PodValidation() {}

    /**
     * Checks the template of a workload.
     *
     * @param template the workload's {@code spec.template}
     */
    static void validateTemplate(ObjectField template) {
        template(template);
        validate(template.at("spec"));
    }

    /**
     * As {@link #validateTemplate}, but mounts may name volumes that each Pod gets later, such as those of its claims.
     */
    static void validateTemplateWithClaims(ObjectField template) {
        template(template);
        VolumeValidation.validate(template.at("spec").at("volumes"));
        validate(template.at("spec"), Optional.empty());
    }

    private static void template(ObjectField template) {
        MetadataValidation.labels(template.at("metadata").at("labels"));
        forbidEphemeral(template.at("spec"), "ephemeral containers not allowed in pod template");
    }

    /** Fields that a new Pod must not have. */
    static void validateNew(ObjectField pod) {
        VolumeValidation.claimNames(pod);
        ObjectField spec = pod.at("spec");
        forbidEphemeral(spec, "cannot be set on create");
        if (spec.at("schedulingGates").isSet() && spec.at("nodeName").isSet()) {
            spec.at("nodeName").forbidden("cannot be set until all schedulingGates have been cleared");
        }
    }

    private static void forbidEphemeral(ObjectField spec, String why) {
        if (!spec.at("ephemeralContainers").items().isEmpty()) {
            spec.at("ephemeralContainers").forbidden(why);
        }
    }

    static void validate(ObjectField spec) {
        validate(spec, Optional.of(VolumeValidation.validate(spec.at("volumes"))));
    }

    private static void validate(ObjectField spec, Optional<Set<String>> volumes) {
        ContainerValidation.validate(spec, volumes);
        spec.at("restartPolicy").oneOf("Always", "OnFailure", "Never");
        spec.at("dnsPolicy").oneOf("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None");
        dnsConfig(spec);
        MetadataValidation.labels(spec.at("nodeSelector"));
        for (String name : List.of("serviceAccountName", "nodeName", "priorityClassName", "runtimeClassName")) {
            NameFormat.SUBDOMAIN.checkIfSet(spec.at(name));
        }
        NameFormat.LABEL.checkIfSet(spec.at("hostname"));
        NameFormat.LABEL.checkIfSet(spec.at("subdomain"));
        if (spec.at("activeDeadlineSeconds").isPresent()) {
            spec.at("activeDeadlineSeconds").between(1, DEADLINE_MAX);
        }
        spec.at("terminationGracePeriodSeconds").notNegative();
        spec.at("tolerations").items().forEach(PodValidation::toleration);
        for (ObjectField alias : spec.at("hostAliases").items()) {
            CommonValidation.ip(alias.at("ip"));
            alias.at("hostnames").items().forEach(NameFormat.SUBDOMAIN::check);
        }
        for (ObjectField gate : spec.at("readinessGates").items()) {
            MetadataValidation.qualified(
                    gate.at("conditionType"), gate.at("conditionType").text());
        }
        for (ObjectField gate : spec.at("schedulingGates").items()) {
            MetadataValidation.qualified(gate.at("name"), gate.at("name").text());
        }
        CommonValidation.unique(spec.at("schedulingGates").items(), "name");
        SchedulingValidation.validate(spec);
    }

    private static void dnsConfig(ObjectField spec) {
        ObjectField config = spec.at("dnsConfig");
        if (spec.at("dnsPolicy").text().equals("None")) {
            if (!config.isPresent()) {
                config.required("must provide `dnsConfig` when `dnsPolicy` is None");
            } else {
                config.at("nameservers").require("must provide at least one DNS nameserver when `dnsPolicy` is None");
            }
        }
        ObjectField servers = config.at("nameservers");
        if (servers.items().size() > NAMESERVERS_MAX) {
            servers.invalid("must not have more than " + NAMESERVERS_MAX + " nameservers");
        }
        servers.items().forEach(CommonValidation::ip);
        if (config.at("searches").items().size() > SEARCHES_MAX) {
            config.at("searches").invalid("must not have more than " + SEARCHES_MAX + " search paths");
        }
        for (ObjectField option : config.at("options").items()) {
            if (!option.at("name").isSet()) {
                option.required("must not be empty");
            }
        }
    }

    private static void toleration(ObjectField toleration) {
        ObjectField key = toleration.at("key");
        ObjectField operator = toleration.at("operator");
        if (key.isSet()) {
            MetadataValidation.qualified(key, key.text());
        } else if (!operator.text().equals("Exists")) {
            operator.invalid(
                    operator.text(),
                    "operator must be Exists when `key` is empty, which means \"match all values and all keys\"");
        }
        operator.oneOf("Equal", "Exists");
        if (operator.text().equals("Exists") && toleration.at("value").isSet()) {
            operator.invalid("value must be empty when `operator` is 'Exists'");
        }
        ObjectField effect = toleration.at("effect");
        effect.oneOf("NoSchedule", "PreferNoSchedule", "NoExecute");
        if (toleration.at("tolerationSeconds").isPresent() && !effect.text().equals("NoExecute")) {
            effect.invalid(effect.text(), "effect must be 'NoExecute' when `tolerationSeconds` is set");
        }
    }
}
