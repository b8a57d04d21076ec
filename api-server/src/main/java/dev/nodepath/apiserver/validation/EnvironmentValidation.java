package dev.nodepath.apiserver.validation;

import java.util.List;
import java.util.Set;

/** The environment variables of a container. */
final class EnvironmentValidation {
    private static final List<String> SOURCES =
            List.of("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef");
    private static final List<String> FIELDS = List.of(
            "metadata.name",
            "metadata.namespace",
            "metadata.uid",
            "spec.nodeName",
            "spec.serviceAccountName",
            "status.hostIP",
            "status.hostIPs",
            "status.podIP",
            "status.podIPs");
    /** Fields with a name for programs; some are only for volumes, or only for variables. */
    private static final Set<String> NAMED = Set.of(
            "metadata.annotations",
            "metadata.labels",
            "metadata.name",
            "metadata.namespace",
            "metadata.uid",
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "status.hostIP",
            "status.hostIPs",
            "status.phase",
            "status.podIP",
            "status.podIPs");

    private static final List<String> RESOURCES = List.of(
            "limits.cpu",
            "limits.ephemeral-storage",
            "limits.memory",
            "requests.cpu",
            "requests.ephemeral-storage",
            "requests.memory");

    private EnvironmentValidation() {}

    static void validate(ObjectField container) {
        for (ObjectField variable : container.at("env").items()) {
            if (variable.at("name").require("")) {
                NameFormat.ENVIRONMENT.check(variable.at("name"));
            }
            if (variable.at("valueFrom").isPresent()) {
                valueFrom(variable.at("valueFrom"), variable.at("value").isSet());
            }
        }
        container.at("envFrom").items().forEach(EnvironmentValidation::from);
    }

    private static void valueFrom(ObjectField source, boolean hasValue) {
        long sources =
                SOURCES.stream().filter(each -> source.at(each).isPresent()).count();
        if (sources == 0) {
            source.invalid(
                    "", "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`");
        } else if (hasValue) {
            source.invalid("", "may not be specified when `value` is not empty");
        } else if (sources > 1) {
            source.invalid("", "may not have more than one field specified at a time");
        }
        fieldRef(source.at("fieldRef"), FIELDS);
        resourceFieldRef(source.at("resourceFieldRef"));
        for (String reference : List.of("configMapKeyRef", "secretKeyRef")) {
            ObjectField key = source.at(reference);
            if (key.isPresent()) {
                key.at("name").require("");
                if (key.at("key").require("")) {
                    NameFormat.CONFIG_KEY.check(key.at("key"));
                }
            }
        }
    }

    /** A field of the Pod itself. Labels and annotations are referred to one by one. */
    static void fieldRef(ObjectField reference, List<String> fields) {
        if (!reference.isPresent()) {
            return;
        }
        ObjectField path = reference.at("fieldPath");
        if (!path.require("") || path.text().matches("metadata\\.(labels|annotations)\\['[^']+']")) {
            return;
        }
        if (NAMED.contains(path.text())) {
            path.oneOf(fields.toArray(String[]::new));
        } else {
            path.invalid(path.text(), "error converting fieldPath: field label not supported: " + path.text());
        }
    }

    static void resourceFieldRef(ObjectField reference) {
        if (reference.isPresent() && reference.at("resource").require("")) {
            reference.at("resource").oneOf(RESOURCES.toArray(String[]::new));
        }
    }

    private static void from(ObjectField source) {
        NameFormat.ENVIRONMENT.checkIfSet(source.at("prefix"));
        List<ObjectField> references = List.of("configMapRef", "secretRef").stream()
                .map(source::at)
                .filter(ObjectField::isPresent)
                .toList();
        if (references.isEmpty()) {
            source.invalid("", "must specify one of: `configMapRef` or `secretRef`");
        } else if (references.size() > 1) {
            source.invalid("", "may not have more than one field specified at a time");
        }
        references.forEach(each -> each.at("name").require(""));
    }
}
