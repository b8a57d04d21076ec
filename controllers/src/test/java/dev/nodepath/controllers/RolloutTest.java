package dev.nodepath.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ConditionList;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ChangeEvent;
import dev.nodepath.apiserver.store.Subscription;
import dev.nodepath.controllers.object.PodState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A rolling update with kubelets that take their time, watched change by change. */
class RolloutTest {
    private final Map<ObjectKey, ObjectNode> pods = new HashMap<>();
    private int mostPods;
    private int fewestAvailable = Integer.MAX_VALUE;

    static LongStream seeds() {
        long first = System.nanoTime();
        return LongStream.range(first, first + 60);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void neverHasMorePodsOrFewerAvailableOnesThanItsLimits(long seed) {
        Random random = new Random(seed);
        int replicas = 1 + random.nextInt(8);
        int surge = random.nextInt(3);
        int unavailable = surge == 0 ? 1 : random.nextInt(2);
        try (TestCluster cluster = new TestCluster("n1", "n2")) {
            cluster.create(
                    Resources.DEPLOYMENTS,
                    TestObjects.workload(
                            Resources.DEPLOYMENTS,
                            "web",
                            replicas,
                            "v0",
                            "{'strategy': {'rollingUpdate': {'maxSurge': " + surge + ", 'maxUnavailable': "
                                    + unavailable + "}}}"));
            cluster.settle();
            try (Subscription listener = cluster.api().subscribe(Resources.PODS, event -> {
                if (event.type() == ChangeEvent.Type.DELETED) {
                    pods.remove(event.key());
                } else {
                    pods.put(event.key(), event.object());
                }
                if (pods.size() >= replicas - unavailable) {
                    count();
                }
            })) {
                assertThat(listener).isNotNull();
                mostPods = 0;
                fewestAvailable = Integer.MAX_VALUE;
                count();
                for (int version = 1; version < 4; version++) {
                    roll(cluster, version, random);
                }
            }
            cluster.settle();
            assertThat(mostPods).isLessThanOrEqualTo(replicas + surge);
            assertThat(fewestAvailable).isGreaterThanOrEqualTo(replicas - unavailable);
            assertThat(cluster.list(Resources.PODS))
                    .hasSize(replicas)
                    .allMatch(pod -> pod.at("/spec/containers/0/image").asText().equals("v3"));
            ObjectNode web = cluster.get(Resources.DEPLOYMENTS, "web");
            assertThat(ConditionList.find(web, "Progressing")
                            .orElseThrow()
                            .path("reason")
                            .asText())
                    .isEqualTo("NewReplicaSetAvailable");
        }
    }

    /** Changes the template, and again before the rollout is over. */
    private static void roll(TestCluster cluster, int version, Random random) {
        cluster.change(
                Resources.DEPLOYMENTS,
                "web",
                web -> ((ObjectNode) web.at("/spec/template/spec/containers/0")).put("image", "v" + version));
        int steps = random.nextInt(60);
        cluster.control();
        for (int i = 0; i < steps && cluster.kubelet().stepOne(random); i++) {
            if (random.nextBoolean()) {
                cluster.control();
            }
        }
    }

    private void count() {
        List<ObjectNode> active =
                pods.values().stream().filter(PodState::isActive).toList();
        mostPods = Math.max(mostPods, active.size());
        fewestAvailable = Math.min(
                fewestAvailable, (int) active.stream().filter(PodState::isReady).count());
    }
}
