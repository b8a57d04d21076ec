package dev.nodepath.apiserver.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import java.util.List;
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
        "priority: 5, priorityClassName: low" | the integer value of priority (5) must not be provided in pod spec; \
        priority admission controller computed 1 from the given PriorityClass name
        "priority: 0, priorityClassName: low" | the integer value of priority (0) must not be provided in pod spec; \
        priority admission controller computed 1 from the given PriorityClass name
        preemptionPolicy: Never  | the string value of PreemptionPolicy (Never) must not be provided in pod spec; \
        priority admission controller computed PreemptLowerPriority from the given PriorityClass name
        serviceAccount: nosa     | error looking up service account default/nosa: serviceaccount "nosa" not found
        priority: 5              | the integer value of priority (5) must not be provided in pod spec; priority \
        admission controller computed 0 from the given PriorityClass name
        """)
    void whatAPodNamesMustBeThere(String field, String problem) {
        createClass("low", "value: 1");
        assertThat(RuledCluster.complaints(() -> create(field.replace("\"", ""))))
                .isEqualTo("403 pods \"a\" is forbidden: " + problem);
    }

    @Test
    void aPodMayNameAnAccountThatIsThere() {
        cluster.create("{apiVersion: v1, kind: ServiceAccount, metadata: {name: own}}");
        assertThat(create("serviceAccountName: own").at("/spec/serviceAccount").asText())
                .isEqualTo("own");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        []            | of-account
        [{name: its}] | its
        """)
    void aPodWithoutSecretsForImagesHasThoseOfItsAccount(String its, String secret) {
        cluster.create("{apiVersion: v1, kind: ServiceAccount, metadata: {name: own},"
                + " imagePullSecrets: [{name: of-account}]}");
        JsonNode secrets =
                create("serviceAccountName: own, imagePullSecrets: " + its).at("/spec/imagePullSecrets");
        assertThat(secrets).hasSize(1);
        assertThat(secrets.at("/0/name").asText()).isEqualTo(secret);
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

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        web-5d- | web-5d-abcde | web-5d-
        web-5d- | own          | own
        ''      | own          | own
        """)
    void aGivenNameIsTold(String prefix, String name, String told) {
        ObjectNode pod = RuledCluster.yaml("{metadata: {namespace: default, generateName: '" + prefix + "', name: "
                + name + "}, spec: {priorityClassName: none, containers: [{name: c, image: i}]}}");
        assertThat(RuledCluster.complaints(() -> cluster.api().create(Resources.PODS, pod)))
                .startsWith("403 pods \"" + told + "\" is forbidden");
    }

    @Test
    void aChangeThatLeavesThePriorityOutKeepsIt() {
        createClass("low", "value: 1, preemptionPolicy: Never");
        ObjectNode changed = create("priorityClassName: low").deepCopy();
        changed.withObjectProperty("spec").remove(List.of("priority", "preemptionPolicy"));
        changed.withObjectProperty("metadata").putObject("labels").put("a", "b");
        JsonNode spec = cluster.api().update(Resources.PODS, changed).path("spec");
        assertThat(spec.path("priority").asInt()).isEqualTo(1);
        assertThat(spec.path("preemptionPolicy").asText()).isEqualTo("Never");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        mine     | value: 1000000001 | value: Forbidden: maximum allowed value of a user defined priority is 1000000000
        system-x | value: 1          | metadata.name: Forbidden: priority class names with 'system-' prefix are \
        reserved for system use only. error: system-x is not a known system priority class
        mine     | "value: 1, preemptionPolicy: Maybe" | preemptionPolicy: Unsupported value: "Maybe": supported \
        values: "PreemptLowerPriority", "Never"
        """)
    void aClassIsChecked(String name, String fields, String problem) {
        assertThat(RuledCluster.complaints(() -> createClass(name, fields.replace("\"", ""))))
                .isEqualTo(problem);
    }

    @Test
    void thereIsOneDefaultAndAValueStays() {
        createClass("mine", "value: 7, globalDefault: true");
        assertThat(RuledCluster.complaints(() -> createClass("other", "value: 8, globalDefault: true")))
                .isEqualTo("403 priorityclasses.scheduling.k8s.io \"other\" is forbidden: PriorityClass mine is already"
                        + " marked as default. Only one default can exist");
        ObjectNode changed = cluster.api()
                .get(Resources.PRIORITY_CLASSES, new ObjectKey("", "mine"))
                .deepCopy()
                .put("value", 8);
        assertThat(RuledCluster.complaints(() -> cluster.api().update(Resources.PRIORITY_CLASSES, changed)))
                .isEqualTo("value: Forbidden: may not be changed in an update.");
    }

    @Test
    void aNameThatIsMadeIsToldAsItsPrefix() {
        ObjectNode pod = RuledCluster.yaml("{metadata: {namespace: default, generateName: web-},"
                + " spec: {priorityClassName: none, containers: [{name: c, image: i}]}}");
        assertThat(RuledCluster.complaints(() -> cluster.api().create(Resources.PODS, pod)))
                .isEqualTo("403 pods \"web-\" is forbidden: no PriorityClass with name none was found");
    }
}
