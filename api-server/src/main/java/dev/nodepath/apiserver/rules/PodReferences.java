package dev.nodepath.apiserver.rules;

import static java.util.Comparator.comparingInt;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ObjectStore;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Checks that the objects a new Pod refers to exist: its ServiceAccount and its PriorityClass. The words are those of
 * Kubernetes.
 */
final class PodReferences {
    private static final String PULL_SECRETS = "imagePullSecrets";

    private final ObjectStore store;

    PodReferences(ObjectStore store) {
        this.store = store;
    }

    /** Checks a new Pod, and sets its priority and the fields from its account. The caller holds the store's lock. */
    void resolve(ObjectNode pod) {
        ObjectNode spec = pod.withObjectProperty("spec");
        requireAccount(pod).ifPresent(account -> addPullSecrets(spec, account));
        String name = spec.path("priorityClassName").asText("");
        Optional<ObjectNode> found = name.isEmpty()
                ? defaults().min(comparingInt(each -> each.path("value").asInt()))
                : store.get(Resources.PRIORITY_CLASSES, new ObjectKey("", name));
        if (found.isEmpty() && !name.isEmpty()) {
            throw refused(pod, "no PriorityClass with name " + name + " was found");
        }
        JsonNode priorityClass = found.map(JsonNode.class::cast).orElse(MissingNode.getInstance());
        int priority = priorityClass.path("value").asInt();
        String preemption = priorityClass.path("preemptionPolicy").asText("PreemptLowerPriority");
        requireComputed(pod, "integer value of priority", spec.path("priority"), IntNode.valueOf(priority));
        requireComputed(
                pod, "string value of PreemptionPolicy", spec.path("preemptionPolicy"), TextNode.valueOf(preemption));
        found.ifPresent(
                each -> spec.put("priorityClassName", each.at("/metadata/name").asText()));
        spec.put("priority", priority).put("preemptionPolicy", preemption);
    }

    /** Only one PriorityClass may be the default. */
    void requireOneDefault(ObjectNode priorityClass) {
        String name = priorityClass.at("/metadata/name").asText();
        if (!priorityClass.path("globalDefault").asBoolean()) {
            return;
        }
        defaults()
                .map(each -> each.at("/metadata/name").asText())
                .filter(other -> !other.equals(name))
                .findFirst()
                .ifPresent(other -> {
                    throw StatusException.forbidden(
                            Resources.PRIORITY_CLASSES,
                            name,
                            "PriorityClass " + other + " is already marked as default. Only one default can exist");
                });
    }

    private Stream<ObjectNode> defaults() {
        return store.list(Resources.PRIORITY_CLASSES, "").objects().stream()
                .filter(each -> each.path("globalDefault").asBoolean());
    }

    /** A change keeps the values of {@link #resolve} that it leaves out. */
    static void keep(ObjectNode pod, ObjectNode before) {
        ObjectNode spec = pod.withObjectProperty("spec");
        for (String field : List.of("priority", "preemptionPolicy")) {
            JsonNode set = before.path("spec").path(field);
            if (Absent.is(spec, field) && !set.isMissingNode()) {
                spec.set(field, set);
            }
        }
    }

    private static void requireComputed(JsonNode pod, String what, JsonNode given, JsonNode computed) {
        if (!given.isMissingNode() && !given.equals(computed)) {
            throw refused(
                    pod,
                    "the " + what + " (" + given.asText() + ") must not be provided in pod spec; priority admission"
                            + " controller computed " + computed.asText() + " from the given PriorityClass name");
        }
    }

    /** A new namespace gets its account {@code default} a moment later. */
    private Optional<ObjectNode> requireAccount(JsonNode pod) {
        String account = pod.at("/spec/serviceAccountName").asText();
        String namespace = pod.at("/metadata/namespace").asText();
        Optional<ObjectNode> found = store.get(Resources.SERVICE_ACCOUNTS, new ObjectKey(namespace, account));
        if (!account.equals("default") && found.isEmpty()) {
            throw refused(
                    pod,
                    "error looking up service account " + namespace + "/" + account + ": serviceaccount \"" + account
                            + "\" not found");
        }
        return found;
    }

    /** A Pod without secrets for its images gets those of its account. */
    private static void addPullSecrets(ObjectNode spec, JsonNode account) {
        JsonNode secrets = account.path(PULL_SECRETS);
        if (spec.path(PULL_SECRETS).isEmpty() && !secrets.isEmpty()) {
            spec.set(PULL_SECRETS, secrets.deepCopy());
        }
    }

    private static StatusException refused(JsonNode pod, String why) {
        return StatusException.forbidden(Resources.PODS, pod, why);
    }
}
