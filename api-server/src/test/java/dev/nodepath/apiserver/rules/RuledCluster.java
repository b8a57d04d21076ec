package dev.nodepath.apiserver.rules;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ObjectStore;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** A cluster with the real rules, and objects written as YAML. */
final class RuledCluster {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final ClusterApi api;

    RuledCluster(long seed, String... serviceCidrs) {
        ObjectStore store = new ObjectStore(1, 1000);
        this.api = new ClusterApi(
                store,
                new ClusterRules(store, new Random(seed)),
                InstantSource.fixed(Instant.parse("2026-01-02T03:04:05Z")));
        new InitialObjects(List.of(serviceCidrs), "172.30.0.2", 6443).create(api);
    }

    RuledCluster() {
        this(1, "10.96.0.0/12");
    }

    ClusterApi api() {
        return api;
    }

    static ObjectNode yaml(String yaml) {
        return JSON.valueToTree(new Load(LoadSettings.builder().build()).loadFromString(yaml));
    }

    ObjectNode create(String yaml) {
        ObjectNode object = yaml(yaml);
        Resource resource = resource(object);
        if (resource.namespaced()) {
            ObjectNode metadata = object.withObjectProperty("metadata");
            if (!metadata.has("namespace")) {
                metadata.put("namespace", "default");
            }
        }
        return api.create(resource, object);
    }

    static Resource resource(ObjectNode object) {
        return Resources.all().stream()
                .filter(each ->
                        each.apiVersion().equals(object.path("apiVersion").asText())
                                && each.kind().equals(object.path("kind").asText()))
                .findFirst()
                .orElseThrow();
    }

    /** One line for each cause of a refusal; the message, if it has no causes; empty if the step is done. */
    static String complaints(Runnable step) {
        try {
            step.run();
            return "";
        } catch (StatusException e) {
            return e.causes().isEmpty()
                    ? e.code() + " " + e.getMessage()
                    : e.causes().stream()
                            .map(cause -> cause.field() + ": " + cause.message())
                            .collect(Collectors.joining("\n"));
        }
    }
}
