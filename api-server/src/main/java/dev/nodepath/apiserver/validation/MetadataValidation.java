package dev.nodepath.apiserver.validation;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Names, labels, annotations and owners. */
final class MetadataValidation {
    /** Groups whose objects may have names of users and groups. */
    private static final List<String> ACCESS = List.of("rbac.authorization.k8s.io", "certificates.k8s.io");

    /** Finalizers without a domain, which only the server itself knows. */
    private static final List<String> FINALIZERS = List.of("kubernetes", "orphan", "foregroundDeletion");

    private static final int ANNOTATIONS_BYTES_MAX = 256 * 1024;

    private MetadataValidation() {}

    static void validate(Resource resource, ObjectField object, Optional<ObjectField> before) {
        ObjectField metadata = object.at("metadata");
        if (metadata.at("generateName").isSet()) {
            // The generated suffix makes the last letter valid.
            nameFormat(resource)
                    .problems(metadata.at("generateName").text().replaceFirst("[-.]$", "a"))
                    .forEach(metadata.at("generateName")::invalid);
        }
        if (metadata.at("name").require("name or generateName is required")
                && !Resources.stored(resource).equals(Resources.EVENTS)) {
            nameFormat(resource).check(metadata.at("name"));
        }
        labels(metadata.at("labels"));
        annotations(metadata.at("annotations"));
        finalizers(resource, metadata.at("finalizers"));
        before.map(old -> old.at("metadata"))
                .filter(old -> old.at("deletionTimestamp").isSet())
                .ifPresent(old -> noNew(metadata.at("finalizers"), old.at("finalizers")));
        owners(metadata.at("ownerReferences"));
    }

    private static void finalizers(Resource resource, ObjectField finalizers) {
        boolean custom = !Resources.isBuiltIn(resource) || resource.equals(Resources.CUSTOM_RESOURCE_DEFINITIONS);
        for (ObjectField each : finalizers.items()) {
            NameFormat.qualifiedProblems(each.text()).forEach(why -> finalizers.invalid(each.text(), why));
            if (!custom && !each.text().contains("/") && !FINALIZERS.contains(each.text())) {
                each.invalid("name is neither a standard finalizer name nor is it fully qualified");
            }
        }
    }

    /** An object that is being deleted gets no new finalizers. */
    private static void noNew(ObjectField finalizers, ObjectField before) {
        List<String> news = finalizers.texts().stream()
                .filter(each -> !before.texts().contains(each))
                .sorted()
                .toList();
        if (!news.isEmpty()) {
            finalizers.forbidden("no new finalizers can be added if the object is being deleted, found new finalizers"
                    + news.stream().map(GoText::quote).collect(Collectors.joining(", ", " []string{", "}")));
        }
    }

    private static NameFormat nameFormat(Resource resource) {
        if (ACCESS.contains(resource.group())) {
            return NameFormat.PATH_SEGMENT;
        }
        return resource.equals(Resources.SERVICES) || resource.equals(Resources.NAMESPACES)
                ? NameFormat.LABEL
                : NameFormat.SUBDOMAIN;
    }

    /** Keys and values of labels, or of a selector of labels. */
    static void labels(ObjectField labels) {
        for (String key : labels.names()) {
            qualified(labels, key);
            String value = labels.value().path(key).asText();
            NameFormat.LABEL_VALUE.problems(value).forEach(why -> labels.invalid(value, why));
        }
    }

    private static void annotations(ObjectField annotations) {
        long bytes = 0;
        for (String key : annotations.names()) {
            NameFormat.qualifiedProblems(key.toLowerCase(Locale.ROOT)).forEach(why -> annotations.invalid(key, why));
            bytes += key.length() + annotations.value().path(key).asText().getBytes(UTF_8).length;
        }
        if (bytes > ANNOTATIONS_BYTES_MAX) {
            annotations.tooLong(ANNOTATIONS_BYTES_MAX);
        }
    }

    /** The name of a label, reported where the labels are. */
    static void qualified(ObjectField field, String name) {
        NameFormat.qualifiedProblems(name).forEach(why -> field.invalid(name, why));
    }

    private static void owners(ObjectField owners) {
        String controller = "";
        for (ObjectField owner : owners.items()) {
            for (String field : List.of("apiVersion", "kind", "name", "uid")) {
                if (!owner.at(field).isSet()) {
                    owner.at(field)
                            .invalid(
                                    "", field.equals("apiVersion") ? "version must not be empty" : "must not be empty");
                }
            }
            if (owner.at("controller").value().asBoolean(false)) {
                String name = owner.at("kind").text() + "/" + owner.at("name").text();
                if (!controller.isEmpty()) {
                    owners.invalid(
                            "Only one reference can have Controller set to true. Found \"true\" in references for "
                                    + controller + " and " + name);
                }
                controller = name;
            }
        }
    }
}
