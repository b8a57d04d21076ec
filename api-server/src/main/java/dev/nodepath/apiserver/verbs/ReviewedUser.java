package dev.nodepath.apiserver.verbs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.request.ApiRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A user that a review is about: the one of the cluster's token, or one that a request acts as. */
record ReviewedUser(String name, String uid, List<String> groups) {
    private static final String MASTERS = "system:masters";
    private static final String AUTHENTICATED = "system:authenticated";
    private static final String ANONYMOUS = "system:anonymous";
    private static final String ACCOUNT = "system:serviceaccount:";

    ReviewedUser {
        groups = List.copyOf(groups);
    }

    /** Who asks: with the headers of impersonation it is another. */
    static ReviewedUser of(ApiRequest request) {
        String name = request.header("impersonate-user");
        if (name.isEmpty()) {
            return new ReviewedUser("kubernetes-admin", "", List.of(MASTERS, AUTHENTICATED));
        }
        List<String> groups = Stream.of(request.header("impersonate-group").split(",", -1))
                .map(String::trim)
                .filter(group -> !group.isEmpty())
                .collect(Collectors.toCollection(ArrayList::new));
        if (groups.isEmpty() && name.startsWith(ACCOUNT)) {
            groups.add("system:serviceaccounts");
            groups.add(
                    "system:serviceaccounts:" + name.substring(ACCOUNT.length()).replaceFirst(":.*", ""));
        }
        String all = name.equals(ANONYMOUS) ? "system:unauthenticated" : AUTHENTICATED;
        if (!groups.contains(all)) {
            groups.add(all);
        }
        return new ReviewedUser(name, request.header("impersonate-uid"), groups);
    }

    /** The user that a SubjectAccessReview names. */
    static ReviewedUser of(JsonNode spec) {
        List<String> groups =
                spec.path("groups").valueStream().map(JsonNode::asText).toList();
        return new ReviewedUser(spec.path("user").asText(), spec.path("uid").asText(), groups);
    }

    /** Whether no role limits this user. */
    boolean isMaster() {
        return groups.contains(MASTERS);
    }

    /** Whether a subject of a binding is this user. A ServiceAccount without namespace is of the binding's. */
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
    }
}
