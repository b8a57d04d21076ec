package dev.nodepath.policy.object;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.source.Fields;
import dev.nodepath.endpoints.source.Problems;
import java.util.List;
import org.junit.jupiter.api.Test;

class PolicyPodConverterTest {
    private static final String POD = """
            {"metadata": {"labels": {"app": "web", "tier": "front"}},
             "spec": {"nodeName": "n1", "containers": [{"ports": [{"name": "http", "containerPort": 8080}]}]}}
            """;

    @Test
    void podsOfOneKindHaveOneValueForTheirLabelsPortsAndNode() throws Exception {
        PolicyPodConverter converter = new PolicyPodConverter();
        PolicyPod one = read(converter, "a").get(0);
        PolicyPod other = read(converter, "b").get(0);
        assertThat(other.labels()).isSameAs(one.labels()).containsEntry("app", "web");
        assertThat(other.ports()).isSameAs(one.ports()).hasSize(1);
        assertThat(other.node()).isSameAs(one.node());
    }

    private static List<PolicyPod> read(PolicyPodConverter converter, String name) throws Exception {
        return converter.convert(
                new NamespacedName("x", name), Fields.of(new JsonMapper().readTree(POD), new Problems()));
    }
}
