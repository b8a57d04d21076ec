package dev.nodepath.apiserver.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.Deletion;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Random Services against a model: the owners of values, and the necessary refusals. */
class AllocationHistoryTest {
    private static final int STEPS = 8_000;
    private static final int NAMES = 20;

    private final Map<String, Held> model = new HashMap<>();

    private record Held(Set<String> addresses, Set<Integer> ports) {}

    @Test
    void givesEachValueToOneServiceAndRefusesTheRest() {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        // 13 addresses of IPv4 for 20 names: the range is often full.
        RuledCluster cluster = new RuledCluster(seed, "10.96.0.0/28", "fd00:96::/112");
        hold("kubernetes", cluster.api().get(Resources.SERVICES, new ObjectKey("default", "kubernetes")));
        int refused = 0;
        for (int step = 0; step < STEPS; step++) {
            String name = "s" + random.nextInt(NAMES);
            ObjectKey key = new ObjectKey("default", name);
            if (model.containsKey(name) && random.nextInt(3) > 0) {
                cluster.api().delete(Resources.SERVICES, key, Deletion.NOW);
                model.remove(name);
            } else {
                refused += write(cluster, random, name) ? 0 : 1;
            }
            assertThat(holders()).as("step %d", step).doesNotHaveDuplicates();
        }
        assertThat(refused).isBetween(STEPS / 20, STEPS / 2);
    }

    private boolean write(RuledCluster cluster, Random random, String name) {
        ObjectNode service = service(random, name);
        boolean exists = model.containsKey(name);
        Set<Object> mine = mine(name);
        Set<Object> others = new HashSet<>(holders());
        others.removeAll(mine);
        boolean conflict = asked(service).stream().anyMatch(others::contains);
        try {
            ObjectNode stored = exists
                    ? cluster.api().update(Resources.SERVICES, service)
                    : cluster.api().create(Resources.SERVICES, service);
            assertThat(conflict).as("a value of another Service").isFalse();
            hold(name, stored);
            if (exists) {
                Set<Object> kept = mine(name);
                assertThat(kept).as("values are kept").containsAll(ofFamily(mine));
            }
            return true;
        } catch (StatusException e) {
            boolean full = String.valueOf(e.getMessage()).contains("range is full") && freeIpv4() == 0;
            boolean immutable = exists && String.valueOf(e.getMessage()).contains("may not change once set");
            assertThat(conflict || full || immutable).as(e.getMessage()).isTrue();
            return false;
        }
    }

    /** An update gives no values, or possibly conflicting ones. */
    private static ObjectNode service(Random random, String name) {
        ObjectNode service = RuledCluster.yaml("""
                apiVersion: v1
                kind: Service
                metadata: {namespace: default}
                spec: {type: NodePort, ports: [{name: a, port: 80}, {name: b, port: 80, protocol: UDP}]}
                """);
        service.withObjectProperty("metadata").put("name", name);
        ObjectNode spec = service.withObjectProperty("spec");
        if (random.nextInt(4) == 0) {
            spec.put("clusterIP", "10.96.0." + (1 + random.nextInt(14)));
        }
        if (random.nextInt(4) == 0) {
            ((ObjectNode) spec.path("ports").path(0)).put("nodePort", 30_000 + random.nextInt(30));
        }
        if (random.nextInt(3) == 0) {
            spec.put("ipFamilyPolicy", "PreferDualStack");
        }
        return service;
    }

    private static Set<Object> asked(ObjectNode service) {
        Set<Object> asked = new HashSet<>();
        JsonNode spec = service.path("spec");
        if (spec.has("clusterIP")) {
            asked.add(spec.path("clusterIP").asText());
        }
        if (spec.path("ports").path(0).has("nodePort")) {
            asked.add(spec.path("ports").path(0).path("nodePort").asInt());
        }
        return asked;
    }

    private void hold(String name, ObjectNode service) {
        Set<String> addresses = new HashSet<>();
        service.path("spec").path("clusterIPs").forEach(each -> addresses.add(each.asText()));
        assertThat(service.path("spec").path("clusterIPs").size())
                .isEqualTo(service.path("spec").path("ipFamilies").size());
        assertThat(service.path("spec").path("clusterIP"))
                .isEqualTo(((ArrayNode) service.path("spec").path("clusterIPs")).get(0));
        Set<Integer> ports = new HashSet<>();
        service.path("spec").path("ports").forEach(port -> {
            if (port.has("nodePort")) {
                ports.add(port.path("nodePort").asInt());
            }
        });
        model.put(name, new Held(addresses, ports));
    }

    private Set<Object> mine(String name) {
        return all(model.getOrDefault(name, new Held(Set.of(), Set.of())));
    }

    private static Set<Object> all(Held held) {
        Set<Object> all = new HashSet<>(held.addresses());
        all.addAll(held.ports());
        return all;
    }

    /** The first family's address never changes; a second one may go. */
    private static List<Object> ofFamily(Set<Object> values) {
        return values.stream().filter(each -> each.toString().startsWith("10.")).toList();
    }

    private List<Object> holders() {
        List<Object> all = new ArrayList<>();
        model.values().forEach(held -> all.addAll(all(held)));
        return all;
    }

    private long freeIpv4() {
        return 14
                - holders().stream()
                        .filter(each -> each.toString().startsWith("10."))
                        .count();
    }
}
