package dev.nodepath.apiserver.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the API asks of Jobs and adds to them. */
class JobRulesTest {
    private static final String TEMPLATE =
            "template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}";

    private final RuledCluster cluster = new RuledCluster();

    @Test
    void itsPodsAreSelectedByItsUid() {
        ObjectNode job = cluster.create(job(TEMPLATE));
        String uid = job.at("/metadata/uid").asText();
        assertThat(job.at("/spec/selector/matchLabels/batch.kubernetes.io~1controller-uid")
                        .asText())
                .isEqualTo(uid);
        assertThat(job.at("/spec/template/metadata/labels").toString())
                .isEqualTo(
                        "{\"job-name\":\"a\",\"controller-uid\":\"" + uid + "\",\"batch.kubernetes.io/job-name\":\"a\","
                                + "\"batch.kubernetes.io/controller-uid\":\"" + uid + "\"}");
        assertThat(job.at("/spec/completions").asInt()).isEqualTo(1);
        assertThat(job.at("/spec/parallelism").asInt()).isEqualTo(1);
        assertThat(job.at("/spec/backoffLimit").asInt()).isEqualTo(6);
        assertThat(job.at("/spec/completionMode").asText()).isEqualTo("NonIndexed");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            template: {spec: {containers: [{name: c, image: i}]}} | spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"
            completions: -1 | spec.completions: Invalid value: -1: must be greater than or equal to 0
            completionMode: Some | spec.completionMode: Unsupported value: "Some": supported values: "NonIndexed", "Indexed"
            completionMode: Indexed, parallelism: 2 | spec.completions: Required value: when completion mode is Indexed
            selector: {matchLabels: {a: b}} | `selector` not auto-generated
            """)
    void refusesInKubernetesWords(String spec, String complaint) {
        String all = spec.startsWith("template") ? spec : spec + ", " + TEMPLATE;
        assertThat(RuledCluster.complaints(() -> cluster.create(job(all)))).contains(complaint);
    }

    private static String job(String spec) {
        return "{apiVersion: batch/v1, kind: Job, metadata: {name: a}, spec: {" + spec + "}}";
    }
}
