package dev.nodepath.apiserver.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ObjectStore;
import java.util.Optional;

/** What a new Pod names must be there: its ServiceAccount and its PriorityClass. The words are those of Kubernetes. */
final class PodReferences {
    private final ObjectStore store;

    PodReferences(ObjectStore store) {
        this.store = store;
    }

    /** Checks a new Pod, and sets its priority. The store is locked. */
    void resolve(ObjectNode pod) {
        requireAccount(pod);
        ObjectNode spec = pod.withObjectProperty("spec");
        String name = spec.path("priorityClassName").asText("");
        Optional<ObjectNode> found = name.isEmpty()
                ? store.list(Resources.PRIORITY_CLASSES, "").objects().stream()
                        .filter(each -> each.path("globalDefault").asBoolean())
                        .findFirst()
                : store.get(Resources.PRIORITY_CLASSES, new ObjectKey("", name));
        if (found.isEmpty() && !name.isEmpty()) {
            throw refused(pod, "no PriorityClass with name " + name + " was found");
        }
        int computed = found.map(each -> each.path("value").asInt()).orElse(0);
        int given = spec.path("priority").asInt();
        if (given != 0 && given != computed) {
            throw refused(
                    pod,
                    "the integer value of priority (" + given + ") must not be provided in pod spec; priority"
                            + " admission controller computed " + computed + " from the given PriorityClass name");
        }
        spec.put("priority", computed);
        found.ifPresent(each -> {
            spec.put("priorityClassName", each.at("/metadata/name").asText());
            spec.put("preemptionPolicy", each.path("preemptionPolicy").asText("PreemptLowerPriority"));
        });
    }

    /** That of a new namespace is not there from the first moment on. */
    private void requireAccount(JsonNode pod) {
        String account = pod.at("/spec/serviceAccountName").asText();
        String namespace = pod.at("/metadata/namespace").asText();
        if (!account.equals("default")
                && store.get(Resources.SERVICE_ACCOUNTS, new ObjectKey(namespace, account))
                        .isEmpty()) {
            throw refused(
                    pod,
                    "error looking up service account " + namespace + "/" + account + ": serviceaccount \"" + account
                            + "\" not found");
        }
    }

    private static StatusException refused(JsonNode pod, String why) {
        JsonNode metadata = pod.path("metadata");
        // As Kubernetes, which has not made the name yet: the Events of one set are alike.
        String name = metadata.path("generateName").asText(metadata.path("name").asText());
        return StatusException.forbidden(Resources.PODS, name, why);
    }
}
