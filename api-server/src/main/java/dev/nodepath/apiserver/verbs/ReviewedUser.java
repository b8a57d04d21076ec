package dev.nodepath.apiserver.verbs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.request.ApiRequest;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The user of a review, or the author of a request.
 *
 * @param extra further facts, by key
 * @param own whether it is the user of the cluster's token, not one that a request impersonates
 */
record ReviewedUser(String name, String uid, List<String> groups, Map<String, List<String>> extra, boolean own) {
    private static final String MASTERS = "system:masters";
    private static final String AUTHENTICATED = "system:authenticated";
    private static final String UNAUTHENTICATED = "system:unauthenticated";
    private static final String ANONYMOUS = "system:anonymous";
    private static final String ACCOUNT = "system:serviceaccount:";
    private static final String IMPERSONATE = "impersonate-";
    private static final String USER = IMPERSONATE + "user";
    private static final String EXTRA = IMPERSONATE + "extra-";

    ReviewedUser {
        groups = List.copyOf(groups);
        extra = Map.copyOf(extra);
    }

    /**
     * The author of a request; headers of impersonation name another user.
     *
     * @throws StatusException 400 if there are such headers, but none names a user
     */
    static ReviewedUser of(ApiRequest request) {
        String name = request.header(USER);
        if (name.isEmpty()) {
            requireNoOther(request);
            return new ReviewedUser("kubernetes-admin", "", List.of(MASTERS, AUTHENTICATED), Map.of(), true);
        }
        List<String> groups = new ArrayList<>(request.headers(IMPERSONATE + "group"));
        if (groups.isEmpty() && name.startsWith(ACCOUNT)) {
            groups.add("system:serviceaccounts");
            groups.add(
                    "system:serviceaccounts:" + name.substring(ACCOUNT.length()).replaceFirst(":.*", ""));
        }
        boolean anonymous = name.equals(ANONYMOUS);
        if (!groups.contains(UNAUTHENTICATED) && (anonymous || !groups.contains(AUTHENTICATED))) {
            groups.add(anonymous ? UNAUTHENTICATED : AUTHENTICATED);
        }
        return new ReviewedUser(name, request.header(IMPERSONATE + "uid"), groups, extra(request), false);
    }

    private static void requireNoOther(ApiRequest request) {
        List<String> others = request.headers().keySet().stream()
                .filter(each -> each.startsWith(IMPERSONATE) && !each.equals(USER))
                .sorted()
                .toList();
        if (!others.isEmpty()) {
            throw StatusException.badRequest("requested " + others + " without impersonating a user");
        }
    }

    /** Keys are in lower case, with octets in percent encoding (Kubernetes' page "User impersonation"). */
    private static Map<String, List<String>> extra(ApiRequest request) {
        Map<String, List<String>> extra = new HashMap<>();
        request.headers().forEach((header, values) -> {
            if (header.startsWith(EXTRA)) {
                extra.put(decoded(header.substring(EXTRA.length())), values);
            }
        });
        return extra;
    }

    private static String decoded(String key) {
        try {
            return URLDecoder.decode(key.replace("+", "%2b"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return key;
        }
    }

    /** Writes the author of a request for a certificate into it, whatever its fields say. */
    static void sign(ApiRequest request, Resource resource, ObjectNode object) {
        if (resource.equals(Resources.CERTIFICATE_REQUESTS) && object.get("spec") instanceof ObjectNode spec) {
            spec.remove(List.of("username", "uid", "groups", "extra"));
            of(request).write(spec);
        }
    }

    /** The user in a SubjectAccessReview. */
    static ReviewedUser of(JsonNode spec) {
        List<String> groups =
                spec.path("groups").valueStream().map(JsonNode::asText).toList();
        return new ReviewedUser(spec.path("user").asText(), spec.path("uid").asText(), groups, Map.of(), false);
    }

    /** Whether the user may do everything. */
    boolean isMaster() {
        return groups.contains(MASTERS);
    }

    /** Whether a subject of a binding is this user. A ServiceAccount without a namespace is in the binding's. */
    boolean is(JsonNode subject, String namespace) {
        String subjectName = subject.path("name").asText();
        return switch (subject.path("kind").asText()) {
            case "User" -> subjectName.equals(name);
            case "Group" -> groups.contains(subjectName);
            case "ServiceAccount" ->
                (ACCOUNT + subject.path("namespace").asText(namespace) + ":" + subjectName).equals(name);
            default -> false;
        };
    }

    void write(ObjectNode info) {
        info.put("username", name);
        if (!uid.isEmpty()) {
            info.put("uid", uid);
        }
        groups.forEach(info.withArrayProperty("groups")::add);
        new TreeMap<>(extra)
                .forEach((key, values) ->
                        values.forEach(info.withObjectProperty("extra").withArrayProperty(key)::add));
    }
}
