package dev.nodepath.apiserver.validation;

import java.util.List;

/** Roles, their bindings, and decisions about certificates. */
final class AccessValidation {
    private static final String URLS = "nonResourceURLs";
    private static final List<String> DECISIONS = List.of("Approved", "Denied");
    private static final List<String> LASTING = List.of("Approved", "Denied", "Failed");
    private static final String[] TRUE = {"True"};
    private static final String[] STATUSES = {"False", "True", "Unknown"};

    private AccessValidation() {}

    /** The rules of a role. Only cluster roles may name paths. */
    static void role(ObjectField role, boolean namespaced) {
        for (ObjectField rule : role.at("rules").items()) {
            rule.at("verbs").require("verbs must contain at least one value");
            ObjectField urls = rule.at(URLS);
            if (!urls.isSet()) {
                rule.at("apiGroups").require("resource rules must supply at least one api group");
                rule.at("resources").require("resource rules must supply at least one resource");
                continue;
            }
            if (namespaced) {
                urls.invalid("namespaced rules cannot apply to non-resource URLs");
            }
            if (List.of("apiGroups", "resources", "resourceNames").stream()
                    .anyMatch(each -> rule.at(each).isSet())) {
                urls.invalid("rules cannot apply to both regular resources and non-resource URLs");
            }
        }
    }

    /** A change of a binding may not give its subjects another role. */
    static void binding(ObjectField binding, ObjectField before) {
        if (!binding.at("roleRef").value().equals(before.at("roleRef").value())) {
            binding.at("roleRef").invalid("cannot change roleRef");
        }
    }

    /** A decision is final, and only its subresource makes it. */
    static void decision(ObjectField request, ObjectField before, boolean decides) {
        ObjectField conditions = request.at("status").at("conditions");
        List<String> types = types(conditions);
        List<String> old = types(before.at("status").at("conditions"));
        boolean both = old.containsAll(DECISIONS);
        for (int i = 0; i < types.size(); i++) {
            ObjectField condition = conditions.items().get(i);
            ObjectField type = condition.at("type");
            if (type.require("") && types.indexOf(type.text()) < i) {
                type.duplicate();
            }
            if (condition.at("status").require("")) {
                condition.at("status").oneOf(LASTING.contains(type.text()) ? TRUE : STATUSES);
            }
            if (!both && DECISIONS.contains(type.text()) && types.subList(0, i).contains(other(type.text()))) {
                type.invalid("Approved and Denied conditions are mutually exclusive");
            }
        }
        for (String type : LASTING) {
            if (old.contains(type) && !types.contains(type)) {
                conditions.forbidden("updates may not remove a condition of type " + GoText.quote(type));
            }
            if (!decides && DECISIONS.contains(type) && types.contains(type) && !old.contains(type)) {
                conditions.forbidden("updates may not add a condition of type " + GoText.quote(type));
            }
        }
    }

    private static List<String> types(ObjectField conditions) {
        return conditions.items().stream().map(each -> each.at("type").text()).toList();
    }

    private static String other(String decision) {
        return DECISIONS.get(1 - DECISIONS.indexOf(decision));
    }
}
