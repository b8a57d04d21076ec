package dev.nodepath.apiserver.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.Resources;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodReferencesTest {
    private final RuledCluster cluster = new RuledCluster();

    @BeforeEach
    void start() {
        StandardObjects.create(cluster.api());
    }

    private ObjectNode create(String field) {
        return cluster.create("{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {" + field
                + ", containers: [{name: c, image: i}]}}");
    }

    private void createClass(String name, String more) {
        cluster.create("{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: " + name + "}, " + more
                + "}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        serviceAccountName: nosa | error looking up service account default/nosa: serviceaccount "nosa" not found
        priorityClassName: none  | no PriorityClass with name none was found
        priority: 5              | the integer value of priority (5) must not be provided in pod spec; priority \
        admission controller computed 0 from the given PriorityClass name
        """)
    void whatAPodNamesMustBeThere(String field, String problem) {
        assertThat(RuledCluster.complaints(() -> create(field))).isEqualTo("403 pods \"a\" is forbidden: " + problem);
    }

    @Test
    void aPodMayNameAnAccountThatIsThere() {
        cluster.create("{apiVersion: v1, kind: ServiceAccount, metadata: {name: own}}");
        assertThat(create("serviceAccountName: own").at("/spec/serviceAccount").asText())
                .isEqualTo("own");
    }

    @Test
    void aPodHasThePriorityOfItsClass() {
        JsonNode spec = create("priorityClassName: system-node-critical").path("spec");
        assertThat(spec.path("priority").asInt()).isEqualTo(2000001000);
        assertThat(spec.path("preemptionPolicy").asText()).isEqualTo("PreemptLowerPriority");
    }

    @Test
    void aClassCanBeTheDefault() {
        createClass("mine", "value: 7, globalDefault: true, preemptionPolicy: Never");
        JsonNode spec = create("priority: 7").path("spec");
        assertThat(spec.path("priorityClassName").asText()).isEqualTo("mine");
        assertThat(spec.path("priority").asInt()).isEqualTo(7);
        assertThat(spec.path("preemptionPolicy").asText()).isEqualTo("Never");
    }

    @Test
    void aNameThatIsMadeIsToldAsItsPrefix() {
        ObjectNode pod = RuledCluster.yaml("{metadata: {namespace: default, generateName: web-},"
                + " spec: {priorityClassName: none, containers: [{name: c, image: i}]}}");
        assertThat(RuledCluster.complaints(() -> cluster.api().create(Resources.PODS, pod)))
                .isEqualTo("403 pods \"web-\" is forbidden: no PriorityClass with name none was found");
    }
}
