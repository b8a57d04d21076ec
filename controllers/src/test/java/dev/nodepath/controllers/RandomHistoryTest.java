package dev.nodepath.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.Deletion;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.controllers.endpoints.EndpointSliceBuilder;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.Owners;
import dev.nodepath.controllers.object.PodState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Users and Nodes act in random order: when they stop, the state follows from the objects. */
class RandomHistoryTest {
    private static final int STEPS = 150;
    private static final List<String> NAMES = List.of("a", "b", "c");
    private static final List<Resource> SETS =
            List.of(Resources.DEPLOYMENTS, Resources.STATEFUL_SETS, Resources.DAEMON_SETS);

    static List<Long> seeds() {
        List<Long> seeds = new ArrayList<>();
        String given = System.getProperty("nodepath.seed", "");
        for (int i = 0; i < Integer.getInteger("nodepath.histories", 20); i++) {
            seeds.add(given.isEmpty() ? System.nanoTime() + i : Long.parseLong(given));
        }
        return given.isEmpty() ? seeds : seeds.subList(0, 1);
    }

    @ParameterizedTest(name = "-Dnodepath.seed={0}")
    @MethodSource("seeds")
    void endsInTheStateThatTheObjectsAskFor(long seed) {
        Random random = new Random(seed);
        try (TestCluster cluster = new TestCluster("n1", "n2", "n3")) {
            for (int step = 0; step < STEPS; step++) {
                act(cluster, random);
                rest(cluster, random);
            }
            for (String node : cluster.names(Resources.NODES)) {
                cluster.kubelet().setCutOff(node, false);
            }
            cluster.settle();
            deleteReleasedPods(cluster);
            cluster.pass(Duration.ofSeconds(20));
            check(cluster);
        }
    }

    private static void act(TestCluster cluster, Random random) {
        Resource kind = SETS.get(random.nextInt(SETS.size()));
        String name = NAMES.get(random.nextInt(NAMES.size()));
        try {
            switch (random.nextInt(13)) {
                case 0, 1, 2 -> cluster.create(kind, set(kind, name, random));
                case 3, 4 ->
                    cluster.change(
                            kind, name, set -> set.withObjectProperty("spec").put("replicas", random.nextInt(7)));
                case 5, 6 ->
                    cluster.change(
                            kind,
                            name,
                            set -> ((ObjectNode) set.at("/spec/template/spec/containers/0"))
                                    .put("image", image(random)));
                case 7 -> delete(cluster, kind, name, random);
                case 8 ->
                    cluster.create(
                            Resources.SERVICES,
                            TestObjects.service(
                                    name, "{'ports': [{'port': 80}]," + " 'selector': {'app': '" + name + "'}}"));
                case 9 -> cluster.delete(Resources.SERVICES, name);
                case 10 -> cluster.kubelet().setCutOff("n" + (1 + random.nextInt(3)), random.nextInt(3) == 0);
                case 11 -> disturbPod(cluster, random);
                default -> toggleNode(cluster, random);
            }
        } catch (StatusException e) {
            if (e.code() != 404 && e.code() != 409) {
                throw e;
            }
        }
    }

    private static ObjectNode set(Resource kind, String name, Random random) {
        int surge = random.nextInt(3);
        String rolling = "{'maxSurge': " + surge + ", 'maxUnavailable': " + (surge == 0 ? 1 : random.nextInt(2)) + "}";
        String spec = kind.equals(Resources.DEPLOYMENTS)
                ? "{'strategy': {'type': 'RollingUpdate', 'rollingUpdate': " + rolling + "}}"
                : "{'podManagementPolicy': '" + (random.nextBoolean() ? "Parallel" : "OrderedReady") + "'}";
        // Pods of different kinds have different labels: a controller owns all Pods that its selector matches.
        ObjectNode set = TestObjects.workload(kind, name, random.nextInt(6), image(random), spec);
        ((ObjectNode) set.at("/spec/selector/matchLabels")).put("kind", kind.kind());
        ((ObjectNode) set.at("/spec/template/metadata/labels")).put("kind", kind.kind());
        return set;
    }

    private static String image(Random random) {
        return "v" + random.nextInt(4);
    }

    private static void delete(TestCluster cluster, Resource kind, String name, Random random) {
        String how = random.nextBoolean() ? "Background" : "Foreground";
        cluster.api().delete(kind, new ObjectKey("default", name), new Deletion(OptionalLong.empty(), how, "", ""));
    }

    private static void disturbPod(TestCluster cluster, Random random) {
        List<String> pods = cluster.names(Resources.PODS);
        if (pods.isEmpty()) {
            return;
        }
        String pod = pods.get(random.nextInt(pods.size()));
        switch (random.nextInt(4)) {
            case 0 -> cluster.delete(Resources.PODS, pod);
            case 1 ->
                cluster.change(Resources.PODS, pod, each -> Meta.label(each, "app", NAMES.get(random.nextInt(3))));
            case 2 -> cluster.kubelet().setReady(new ObjectKey("default", pod), false);
            default -> cluster.kubelet().setReady(new ObjectKey("default", pod), true);
        }
    }

    private static void toggleNode(TestCluster cluster, Random random) {
        if (cluster.names(Resources.NODES).contains("n3") && random.nextBoolean()) {
            cluster.delete(Resources.NODES, "n3");
        } else if (!cluster.names(Resources.NODES).contains("n3")) {
            cluster.kubelet().addNode("n3", Map.of());
        } else {
            cluster.change(
                    Resources.NODES,
                    "n2",
                    node -> node.withObjectProperty("spec").put("unschedulable", random.nextBoolean()));
        }
    }

    private static void rest(TestCluster cluster, Random random) {
        switch (random.nextInt(4)) {
            case 0 -> cluster.settle();
            case 1 -> cluster.control();
            case 2 -> cluster.pass(Duration.ofSeconds(random.nextInt(4)));
            default -> {} // the next action comes before anybody has seen this one
        }
    }

    /** Pods that lost their label have no owner and stay. */
    private static void deleteReleasedPods(TestCluster cluster) {
        cluster.list(Resources.PODS).stream()
                .filter(pod -> Owners.controller(pod).isEmpty())
                .forEach(pod -> cluster.delete(Resources.PODS, Meta.name(pod)));
    }

    private static void check(TestCluster cluster) {
        checkUnready(cluster);
        for (ObjectNode pod : cluster.list(Resources.PODS)) {
            assertThat(Meta.isTerminating(pod))
                    .as("%s terminates", Meta.name(pod))
                    .isFalse();
            assertThat(Owners.controller(pod)).as("owner of %s", Meta.name(pod)).isPresent();
            assertThat(cluster.names(Resources.NODES)).contains(PodState.node(pod));
        }
        cluster.list(Resources.DEPLOYMENTS).forEach(each -> checkDeployment(cluster, each));
        cluster.list(Resources.STATEFUL_SETS).forEach(each -> checkStatefulSet(cluster, each));
        cluster.list(Resources.DAEMON_SETS).forEach(each -> checkDaemonSet(cluster, each));
        checkOwners(cluster);
        checkSlices(cluster);
    }

    /** Pods that the history left unready are made ready, so that all that waits for them can end. */
    private static void checkUnready(TestCluster cluster) {
        for (int i = 0; i < 50; i++) {
            List<ObjectNode> unready = cluster.list(Resources.PODS).stream()
                    .filter(pod -> !PodState.isReady(pod))
                    .toList();
            if (unready.isEmpty()) {
                break;
            }
            unready.forEach(pod -> cluster.kubelet().setReady(ObjectKey.of(pod), true));
            cluster.pass(Duration.ofSeconds(12));
        }
    }

    private static void checkDeployment(TestCluster cluster, ObjectNode deployment) {
        int replicas = deployment.at("/spec/replicas").asInt();
        List<ObjectNode> pods = cluster.list(Resources.REPLICA_SETS).stream()
                .filter(set -> Owners.isControlledBy(set, deployment))
                .flatMap(set -> cluster.podsOf(set).stream())
                .toList();
        assertThat(pods).as("Pods of Deployment %s", Meta.name(deployment)).hasSize(replicas);
        assertThat(images(pods))
                .isSubsetOf(
                        deployment.at("/spec/template/spec/containers/0/image").asText());
        JsonNode status = deployment.path("status");
        for (String field : List.of("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")) {
            assertThat(status.path(field).asInt(0))
                    .as("%s of %s", field, Meta.name(deployment))
                    .isEqualTo(replicas);
        }
        assertThat(status.path("observedGeneration").asLong()).isEqualTo(Meta.generation(deployment));
    }

    private static void checkStatefulSet(TestCluster cluster, ObjectNode set) {
        Set<String> expected = new TreeSet<>();
        for (int i = 0; i < set.at("/spec/replicas").asInt(); i++) {
            expected.add(Meta.name(set) + "-" + i);
        }
        List<ObjectNode> pods = cluster.podsOf(set);
        assertThat(pods.stream().map(Meta::name)).containsExactlyElementsOf(expected);
        assertThat(images(pods))
                .isSubsetOf(set.at("/spec/template/spec/containers/0/image").asText());
        assertThat(set.at("/status/readyReplicas").asInt(0)).isEqualTo(expected.size());
        assertThat(set.at("/status/currentRevision")).isEqualTo(set.at("/status/updateRevision"));
    }

    private static void checkDaemonSet(TestCluster cluster, ObjectNode set) {
        List<ObjectNode> pods = cluster.podsOf(set);
        assertThat(pods.stream().map(PodState::node).sorted())
                .containsExactlyElementsOf(cluster.names(Resources.NODES));
        assertThat(images(pods))
                .isSubsetOf(set.at("/spec/template/spec/containers/0/image").asText());
        assertThat(set.at("/status/numberAvailable").asInt()).isEqualTo(pods.size());
    }

    private static Set<String> images(List<ObjectNode> pods) {
        return pods.stream()
                .map(pod -> pod.at("/spec/containers/0/image").asText())
                .collect(Collectors.toSet());
    }

    private static void checkOwners(TestCluster cluster) {
        for (Resource resource : Resources.all()) {
            for (ObjectNode object : cluster.list(resource)) {
                Owners.references(object).forEach(reference -> {
                    Resource kind = cluster.api()
                            .kinds()
                            .ofKind(
                                    reference.path("apiVersion").asText(),
                                    reference.path("kind").asText())
                            .orElseThrow();
                    Optional<ObjectNode> owner = cluster.api()
                            .find(
                                    kind,
                                    new ObjectKey(
                                            "default", reference.path("name").asText()));
                    assertThat(owner.map(Meta::uid))
                            .as("owner of %s %s", resource, Meta.name(object))
                            .contains(reference.path("uid").asText());
                });
            }
        }
    }

    private static void checkSlices(TestCluster cluster) {
        Map<String, Set<String>> expected = new TreeMap<>();
        for (ObjectNode service : cluster.list(Resources.SERVICES)) {
            collect(
                    EndpointSliceBuilder.build(
                            service,
                            cluster.list(Resources.PODS),
                            node -> cluster.api().find(Resources.NODES, new ObjectKey("", node))),
                    expected);
        }
        Map<String, Set<String>> present = new TreeMap<>();
        collect(cluster.list(Resources.ENDPOINT_SLICES), present);
        assertThat(present).isEqualTo(expected);
    }

    private static void collect(List<ObjectNode> slices, Map<String, Set<String>> endpoints) {
        for (ObjectNode slice : slices) {
            String key = Meta.labels(slice).path("kubernetes.io/service-name").asText()
                    + (slice.path("endpoints").isEmpty()
                            ? ""
                            : slice.path("ports").toString());
            Set<String> all = endpoints.computeIfAbsent(key, each -> new TreeSet<>());
            slice.path("endpoints").forEach(each -> all.add(each.toString()));
        }
    }
}
