package dev.nodepath.emulator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.ObjectRules;
import dev.nodepath.apiserver.resource.ConditionList;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ObjectStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RolloutsTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final ClusterApi api = new ClusterApi(new ObjectStore(1, 100), ObjectRules.NONE, InstantSource.system());
    private final List<String> progress = new ArrayList<>();
    private Duration now = Duration.ofHours(5);
    private final Rollouts rollouts = new Rollouts(api, () -> now = now.plusSeconds(4));

    @BeforeEach
    void createNamespace() {
        ObjectNode namespace = JSON.createObjectNode();
        namespace.putObject("metadata").put("name", "default");
        api.create(Resources.NAMESPACES, namespace);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            0 | waiting for pods that a workload has yet to get
            1 | waiting for 1 pod: default/p0
            4 | waiting for 4 pods: default/p0, default/p1, default/p2, default/p3
            5 | waiting for 5 pods: default/p0, default/p1, default/p2, default/p3, ...
            """)
    void namesThoseThatAreWaitedFor(int pods, String line) {
        List<ObjectNode> unready =
                IntStream.range(0, pods).mapToObj(i -> pod("p" + i)).toList();

        assertThat(Rollouts.waitingFor(unready)).isEqualTo(line);
    }

    @Test
    void doesNotWaitForWhatIsComplete() throws InterruptedException {
        api.create(Resources.PODS, pod("p0", "Ready", "True", ""));

        assertThat(rollouts.await(progress::add)).isEmpty();
        assertThat(progress).isEmpty();
    }

    @Test
    void tellsWhyAPodIsNotReadyWhenTheWaitIsOver() throws InterruptedException {
        api.create(Resources.PODS, pod("p0", "PodScheduled", "False", "0/2 nodes are available"));

        assertThat(rollouts.await(progress::add))
                .containsExactly("pod default/p0 is not ready: 0/2 nodes are available");
        assertThat(progress).as("the wait was short").hasSize(1);
    }

    @Test
    void saysNowAndThenForWhomItWaits() throws InterruptedException {
        api.create(Resources.PODS, pod("p0"));

        assertThat(rollouts.await(progress::add)).containsExactly("pod default/p0 is not ready: Pending");
        assertThat(progress).hasSize(5).containsOnly("waiting for 1 pod: default/p0");
    }

    private static ObjectNode pod(String name, String condition, String status, String message) {
        ObjectNode pod = pod(name);
        ConditionList.set(pod, condition, status, "", message, Instant.EPOCH);
        return pod;
    }

    private static ObjectNode pod(String name) {
        ObjectNode pod = JSON.createObjectNode();
        pod.putObject("metadata").put("namespace", "default").put("name", name);
        return pod;
    }
}
