package dev.nodepath.apiserver.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.Deletion;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Valid objects with random damage are stored or refused; nothing else happens. */
class MutatedObjectsTest {
    private static final int OBJECTS = 20_000;
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final List<String> TEXTS = List.of(
            "",
            "a",
            "A",
            "-1",
            "80",
            "None",
            "10.96.0.5",
            "fd00::1",
            "::",
            "10.96.0.0/12",
            "Always",
            "Local",
            "100%",
            "a/b",
            "../x",
            "metadata.name",
            "\u0000",
            "ü",
            "x".repeat(300),
            "1e9",
            "1Ki",
            "ClientIP",
            "ExternalName",
            "NodePort",
            "RequireDualStack",
            "2026-01-01T00:00:00Z",
            "YQ==",
            "=",
            "[",
            "%s");

    private final long seed = new Random().nextLong();
    private final Random random = new Random(seed);
    private final Map<Integer, Integer> codes = new HashMap<>();

    @Test
    void areStoredOrRefused() {
        System.out.println("seed " + seed);
        List<ObjectNode> valid = DefaultsTest.objects()
                .map(row -> RuledCluster.yaml((String) row.get()[1]))
                .toList();
        RuledCluster cluster = new RuledCluster(seed, "10.96.0.0/24", "fd00:96::/112");
        for (int i = 0; i < OBJECTS; i++) {
            ObjectNode object = valid.get(random.nextInt(valid.size())).deepCopy();
            Resource resource = RuledCluster.resource(object);
            if (resource.namespaced()) {
                object.withObjectProperty("metadata").put("namespace", "default");
            }
            for (int damage = random.nextInt(3); damage >= 0; damage--) {
                mutate(object);
            }
            String text = object.toString();
            try {
                write(cluster, resource, object);
            } catch (RuntimeException e) {
                throw new AssertionError("seed " + seed + ", " + text, e);
            }
        }
        assertThat(codes.keySet()).isSubsetOf(200, 400, 404, 409, 422, 500);
        assertThat(codes.get(200)).isGreaterThan(OBJECTS / 20);
        assertThat(codes.get(422)).isGreaterThan(OBJECTS / 20);
        assertThat(codes.get(400)).isGreaterThan(OBJECTS / 20);
        assertThat(codes.getOrDefault(500, 0)).as("a full range").isLessThan(OBJECTS / 20);
    }

    /** Creates or changes an object; the stored one is complete, so a second write does not change it. */
    private void write(RuledCluster cluster, Resource resource, ObjectNode object) {
        if (!object.path("metadata").isObject()) {
            return; // the HTTP side refuses it
        }
        ObjectKey key = ObjectKey.of(object);
        try {
            boolean exists = cluster.api().find(resource, key).isPresent();
            ObjectNode stored = exists
                    ? cluster.api().update(resource, object)
                    : cluster.api().create(resource, object);
            assertThat(cluster.api().update(resource, stored.deepCopy())).isSameAs(stored);
            if (random.nextInt(4) > 0) {
                cluster.api().delete(resource, ObjectKey.of(stored), Deletion.NOW);
            }
            codes.merge(200, 1, Integer::sum);
        } catch (StatusException e) {
            codes.merge(e.code(), 1, Integer::sum);
        }
    }

    private void mutate(ObjectNode object) {
        List<JsonNode> containers = new ArrayList<>();
        collect(object, containers);
        JsonNode container = containers.get(random.nextInt(containers.size()));
        if (container instanceof ArrayNode list) {
            change(list);
        } else if (container instanceof ObjectNode fields) {
            change(fields);
        }
    }

    private void change(ArrayNode list) {
        int at = list.isEmpty() ? 0 : random.nextInt(list.size());
        switch (random.nextInt(3)) {
            case 0 -> list.add(list.isEmpty() ? value() : list.get(at).deepCopy());
            case 1 -> list.remove(at);
            default -> list.insert(at, value());
        }
    }

    private void change(ObjectNode fields) {
        List<String> names = new ArrayList<>();
        fields.fieldNames().forEachRemaining(names::add);
        String name = names.isEmpty() ? "a" : names.get(random.nextInt(names.size()));
        boolean identity = fields.has("apiVersion") || name.equals("namespace");
        switch (random.nextInt(4)) {
            case 0 -> {
                if (!identity) {
                    fields.remove(name);
                }
            }
            case 1 -> fields.set(TEXTS.get(random.nextInt(TEXTS.size())), value());
            default -> {
                if (!identity) {
                    fields.set(name, value());
                }
            }
        }
    }

    private JsonNode value() {
        return switch (random.nextInt(9)) {
            case 0 -> NODES.nullNode();
            case 1 -> NODES.booleanNode(random.nextBoolean());
            case 2 -> NODES.numberNode(random.nextInt(70_000) - 1000);
            case 3 -> NODES.numberNode(random.nextLong());
            case 4 -> NODES.numberNode(random.nextDouble());
            case 5 -> NODES.arrayNode().add(TEXTS.get(random.nextInt(TEXTS.size())));
            case 6 -> NODES.objectNode();
            default -> NODES.textNode(TEXTS.get(random.nextInt(TEXTS.size())));
        };
    }

    private static void collect(JsonNode node, List<JsonNode> containers) {
        if (node.isContainerNode()) {
            containers.add(node);
            node.forEach(each -> collect(each, containers));
        }
    }
}
