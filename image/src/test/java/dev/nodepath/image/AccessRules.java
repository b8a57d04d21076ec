package dev.nodepath.image;

import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;

/** The rights of a manifest's roles, and their use so far. */
final class AccessRules {
    private static final Set<String> NAMESPACES_TOP = Set.of("namespaces");

    private final Map<String, String> namespaces = new TreeMap<>();
    private final Set<String> used = new ConcurrentSkipListSet<>();

    AccessRules(DeployManifests manifests) {
        for (ClusterRole role : manifests.all(ClusterRole.class)) {
            add(role.getRules(), "");
        }
        for (Role role : manifests.all(Role.class)) {
            add(role.getRules(), role.getMetadata().getNamespace());
        }
    }

    /** Whether a request is permitted; requests open to everybody (discovery, version) always are. */
    boolean permit(String method, String path, boolean watch) {
        if (path.matches("/apis/[^/]+/[^/]+|/api/v1|/version")) {
            return true;
        }
        List<String> parts = List.of(path.substring(1).split("/", -1));
        String group = parts.get(0).equals("api") ? "" : parts.get(1);
        List<String> rest = parts.subList(group.isEmpty() ? 2 : 3, parts.size());
        String namespace = "";
        if (NAMESPACES_TOP.contains(rest.get(0)) && rest.size() > 2) {
            namespace = rest.get(1);
            rest = rest.subList(2, rest.size());
        }
        String resource = rest.size() > 2 ? rest.get(0) + "/" + rest.get(2) : rest.get(0);
        String right = verb(method, rest.size() > 1, watch) + " " + group + "/" + resource;
        String where = Optional.ofNullable(namespaces.get(right)).orElse("-");
        if (where.isEmpty() || where.equals(namespace)) {
            used.add(right);
            return true;
        }
        return false;
    }

    /** Rights that no request has needed. */
    Set<String> unused() {
        Set<String> unused = new TreeSet<>(namespaces.keySet());
        unused.removeAll(used);
        return unused;
    }

    private static String verb(String method, boolean one, boolean watch) {
        return switch (method) {
            case "GET" -> watch ? "watch" : one ? "get" : "list";
            case "POST" -> "create";
            case "PATCH" -> "patch";
            default -> method;
        };
    }

    private void add(List<PolicyRule> rules, String namespace) {
        for (PolicyRule rule : rules) {
            for (String group : rule.getApiGroups()) {
                for (String resource : rule.getResources()) {
                    rule.getVerbs().forEach(verb -> namespaces.put(verb + " " + group + "/" + resource, namespace));
                }
            }
        }
    }
}
