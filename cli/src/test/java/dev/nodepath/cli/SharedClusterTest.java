package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** After a test that failed halfway the next one finds the cluster in its first state. */
@Tag("netns")
@Tag("page")
@ExtendWith(SharedCluster.OfAllClasses.class)
@Timeout(900)
class SharedClusterTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @Test
    void givesPodsBackAndEndsThoseOfTests(SharedCluster cluster) throws Exception {
        cluster.whole();
        Set<String> before = podsOfNobody(cluster);

        cluster.page().post("kill", pod("web-3"));
        cluster.page().post("ready", pod("web-1").put("ready", false));
        NodepathScript.Result made =
                cluster.script().ask("kubectl", "run", "left", "--image=none", "--restart=Never", "--", "sleep", "1d");
        assertThat(made.exitCode()).as(made.output()).isZero();
        assertThat(podsOfNobody(cluster)).isNotEqualTo(before);

        cluster.whole();

        assertThat(podsOfNobody(cluster)).isEqualTo(before).contains("web-1 true", "web-3 true");
    }

    private static ObjectNode pod(String name) {
        return JSON.createObjectNode().put("pod", name);
    }

    /** The name of each that no Deployment makes again, and whether it is ready. */
    private static Set<String> podsOfNobody(SharedCluster cluster) throws Exception {
        Set<String> pods = new TreeSet<>();
        for (JsonNode pod : cluster.page().state().path("pods")) {
            if (!pod.path("scales").asBoolean()) {
                pods.add(pod.path("id").asText() + " " + pod.path("ready").asBoolean());
            }
        }
        return pods;
    }
}
