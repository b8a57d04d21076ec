package dev.nodepath.apiserver.validation;

import com.fasterxml.jackson.databind.node.BooleanNode;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** CustomResourceDefinitions. Of a schema it only checks that it exists. */
final class DefinitionValidation {
    private DefinitionValidation() {}

    static void validate(ObjectField definition, Optional<ObjectField> before) {
        ObjectField spec = definition.at("spec");
        group(spec.at("group"));
        names(spec.at("names"));
        if (spec.at("scope").require("")) {
            spec.at("scope").oneOf("Cluster", "Namespaced");
        }
        ObjectField name = definition.at("metadata").at("name");
        String wanted =
                spec.at("names").at("plural").text() + "." + spec.at("group").text();
        if (!name.text().equals(wanted)) {
            name.invalid("must be spec.names.plural+\".\"+spec.group");
        }
        versions(spec.at("versions"));
        before.ifPresent(old -> {
            for (String field : List.of("group", "scope")) {
                CommonValidation.immutable(spec.at(field), old.at("spec").at(field));
            }
            for (String field : List.of("plural", "kind")) {
                CommonValidation.immutable(
                        spec.at("names").at(field), old.at("spec").at("names").at(field));
            }
        });
    }

    private static void group(ObjectField group) {
        if (!group.require("")) {
            return;
        }
        NameFormat.SUBDOMAIN.check(group);
        if (!group.text().contains(".")) {
            group.invalid("should be a domain with at least one dot");
        }
    }

    private static void names(ObjectField names) {
        for (String field : List.of("plural", "singular", "kind", "listKind")) {
            ObjectField name = names.at(field);
            if (name.require("")) {
                boolean lower = field.equals("plural") || field.equals("singular");
                NameFormat.LABEL.problems(lower ? name.text() : name.text().toLowerCase(Locale.ROOT)).stream()
                        .map(why -> lower ? why : "may have mixed case, but should otherwise match: " + why)
                        .forEach(name::invalid);
            }
        }
        names.at("shortNames").items().forEach(NameFormat.LABEL::check);
        names.at("categories").items().forEach(NameFormat.LABEL::check);
        if (names.at("kind").isSet()
                && names.at("kind").text().equals(names.at("listKind").text())) {
            names.at("listKind").invalid("kind and listKind may not be the same");
        }
    }

    private static void versions(ObjectField versions) {
        Set<String> names = new HashSet<>();
        boolean unique = true;
        int stored = 0;
        for (ObjectField version : versions.items()) {
            if (version.at("name").require("")) {
                NameFormat.LABEL.check(version.at("name"));
            }
            unique &= names.add(version.at("name").text());
            stored += version.at("storage").value().asBoolean() ? 1 : 0;
            if (!version.at("served").isPresent()) {
                version.at("served").showing(BooleanNode.FALSE).required("");
            }
            version.at("schema").at("openAPIV3Schema").require("schemas are required");
        }
        if (!unique) {
            versions.invalid("must contain unique version names");
        }
        if (stored != 1) {
            versions.invalid("must have exactly one version marked as storage version");
        }
    }
}
