package dev.nodepath.apiserver.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pods that must not be scheduled yet. */
class SchedulingGatesTest {
    private static final String SPEC = "containers: [{name: c, image: i}]";
    private static final String GATED = "schedulingGates: [{name: example.com/a}, {name: b}], nodeSelector: {a: b}, ";

    private final RuledCluster cluster = new RuledCluster();

    @Test
    void aGatedPodSaysThatItIs() {
        ObjectNode pod = cluster.create(pod(GATED));
        assertThat(pod.path("status").path("conditions").path(0).toString())
                .isEqualTo("{\"type\":\"PodScheduled\",\"status\":\"False\","
                        + "\"lastTransitionTime\":\"2026-01-02T03:04:05Z\",\"reason\":\"SchedulingGated\","
                        + "\"message\":\"Scheduling is blocked due to non-empty scheduling gates\"}");
        assertThat(cluster.create(pod("").replace("name: a", "name: free"))
                        .path("status")
                        .has("conditions"))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        schedulingGates: [{name: a}, {name: a}], | spec.schedulingGates[1].name: Duplicate value: "a"
        schedulingGates: [{name: 'a b'}],        | spec.schedulingGates[0].name: Invalid value: "a b": name part must
        schedulingGates: [{name: a}], nodeName: n, | spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared
        """)
    void aNewOneIsRefused(String spec, String complaint) {
        assertThat(RuledCluster.complaints(() -> cluster.create(pod(spec)))).startsWith(complaint);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        schedulingGates: [{name: b}], nodeSelector: {a: b}    | ``
        nodeSelector: {a: b}                                  | ``
        schedulingGates: [{name: b}], nodeSelector: {a: b, c: d} | ``
        schedulingGates: [{name: b}], nodeSelector: {a: b}, affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}}} | ``
        schedulingGates: [{name: b}, {name: x}], nodeSelector: {a: b} | spec.schedulingGates[1].name: Forbidden: only deletion is allowed, but found new scheduling gate 'x'
        schedulingGates: [{name: b}], nodeSelector: {a: x}    | spec.nodeSelector: Invalid value: {"a":"x"}: only additions to spec.nodeSelector are allowed (no mutations or deletions)
        """)
    void gatesAreOnlyRemovedAndTheChoiceOfNodesGetsNarrower(String spec, String complaint) {
        cluster.create(pod(GATED));
        assertThat(RuledCluster.complaints(() -> change(spec))).isEqualTo(complaint);
    }

    /** Each row: a Pod's node affinity; another one; the complaint about the change. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        preferred: 1              | required: [[a]], preferred: 2    | ``
        preferred: 1              | ``                               | ``
        required: [[a]]           | required: [[a, b]], preferred: 1 | ``
        required: [[a], [b]]      | required: [[a, c], [b]]          | ``
        required: [[a]]           | required: [[b, a]]               | .nodeSelectorTerms[0]: Invalid value: TERM: only additions are allowed (no mutations or deletions)
        required: [[a, b]]        | required: [[a]]                  | .nodeSelectorTerms[0]: Invalid value: TERM: only additions are allowed (no mutations or deletions)
        required: [[]]            | required: [[a]]                  | .nodeSelectorTerms[0]: Invalid value: TERM: only additions are allowed (no mutations or deletions)
        required: [[a]]           | required: [[a], [b]]             | .nodeSelectorTerms: Invalid value: TERMS: no additions/deletions to non-empty NodeSelectorTerms list are allowed
        required: [[a]]           | preferred: 1                     | .nodeSelectorTerms: Invalid value: TERMS: no additions/deletions to non-empty NodeSelectorTerms list are allowed
        """)
    void eachTermOfAGatedPodMayDemandMore(String before, String after, String complaint) {
        cluster.create(pod("schedulingGates: [{name: b}], " + affinity(before) + ","));
        String all = RuledCluster.complaints(() -> change("schedulingGates: [{name: b}], " + affinity(after)));
        assertThat(all.replaceFirst("Invalid value: \\{.*\\}: ", "Invalid value: TERM: ")
                        .replaceFirst("Invalid value: (\\[.*\\]|null): ", "Invalid value: TERMS: "))
                .isEqualTo(
                        complaint.isEmpty()
                                ? ""
                                : "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
                                        + complaint);
    }

    private static String affinity(String brief) {
        JsonNode row = RuledCluster.yaml("{" + brief + "}");
        List<String> parts = new ArrayList<>();
        if (row.has("required")) {
            parts.add("requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: ["
                    + row.path("required")
                            .valueStream()
                            .map(SchedulingGatesTest::term)
                            .collect(Collectors.joining(", "))
                    + "]}");
        }
        if (row.has("preferred")) {
            parts.add("preferredDuringSchedulingIgnoredDuringExecution: [{weight: " + row.path("preferred")
                    + ", preference: {matchExpressions: [{key: a, operator: Exists}]}}]");
        }
        return "affinity: {nodeAffinity: {" + String.join(", ", parts) + "}}";
    }

    private static String term(JsonNode keys) {
        return "{matchExpressions: ["
                + keys.valueStream()
                        .map(key -> "{key: " + key.asText() + ", operator: Exists}")
                        .collect(Collectors.joining(", "))
                + "]}";
    }

    @Test
    void aPodWithoutGatesGetsNone() {
        cluster.create(pod(""));
        assertThat(RuledCluster.complaints(() -> change("schedulingGates: [{name: x}]")))
                .isEqualTo("spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling"
                        + " gate 'x'");
    }

    private void change(String spec) {
        ObjectNode wanted =
                (ObjectNode) RuledCluster.yaml("{spec: {" + spec + "}}").path("spec");
        cluster.api().modify(Resources.PODS, new ObjectKey("default", "a"), "", pod -> {
            ObjectNode changed = pod.withObjectProperty("spec");
            changed.remove(List.of("schedulingGates", "nodeSelector", "affinity"));
            changed.setAll(wanted);
            return pod;
        });
    }

    private static String pod(String spec) {
        return "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {" + spec + SPEC + "}}";
    }
}
