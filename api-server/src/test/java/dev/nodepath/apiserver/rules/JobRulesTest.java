package dev.nodepath.apiserver.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The API's rules and defaults for Jobs. */
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

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        maxFailedIndexes: 1 | spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified
        backoffLimitPerIndex: 1 | spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode
        {I}, backoffLimitPerIndex: -1 | spec.backoffLimitPerIndex: Invalid value: -1: must be greater than or equal to 0
        {I}, backoffLimitPerIndex: 1, maxFailedIndexes: 6 | spec.maxFailedIndexes: Invalid value: 6: must be less than or equal to completions
        {I}, parallelism: 100001 | spec.parallelism: Invalid value: 100001: must be less than or equal to 100000 when completion mode is Indexed
        completionMode: Indexed, completions: 100001, backoffLimitPerIndex: 1 | spec.maxFailedIndexes: Required value: must be specified when completions is above 100000
        {P}[{action: FailJob}]} | spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required
        {P}[{action: FailJob, onExitCodes: {operator: In, values: [1]}, onPodConditions: [{type: A}]}]} | spec.podFailurePolicy.rules[0]: Invalid value: specifying both OnExitCodes and OnPodConditions is not supported
        {P}[{action: '', onPodConditions: [{type: A}]}]} | spec.podFailurePolicy.rules[0].action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]
        {P}[{action: Stop, onPodConditions: [{type: A}]}]} | spec.podFailurePolicy.rules[0].action: Unsupported value: "Stop": supported values: "Count", "FailIndex", "FailJob", "Ignore"
        {P}[{action: FailIndex, onPodConditions: [{type: A}]}]} | spec.podFailurePolicy.rules[0].action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set
        {P}[{action: Count, onPodConditions: [{type: A, status: Maybe}]}]} | spec.podFailurePolicy.rules[0].onPodConditions[0].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"
        {X}{operator: In, values: [1, 0]}}]} | spec.podFailurePolicy.rules[0].onExitCodes.values[1]: Invalid value: 0: must not be 0 for the In operator
        {X}{operator: In, values: [1, 1]}}]} | spec.podFailurePolicy.rules[0].onExitCodes.values[1]: Duplicate value: 1
        {X}{operator: In, values: [2, 1]}}]} | spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [2,1]: must be ordered
        {X}{operator: In, values: []}}]} | spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: null: at least one value is required
        {X}{operator: '', values: [1]}}]} | spec.podFailurePolicy.rules[0].onExitCodes.operator: Required value: valid values: ["In" "NotIn"]
        {X}{containerName: z, operator: In, values: [1]}}]} | spec.podFailurePolicy.rules[0].onExitCodes.containerName: Invalid value: "z": must be one of the container or initContainer names in the pod template
        {P}[]}, podReplacementPolicy: TerminatingOrFailed | spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"
        successPolicy: {rules: [{succeededCount: 1}]} | requires indexed completion mode
        {I}, successPolicy: {} | spec.successPolicy.rules: Required value: at least one rules must be specified when the successPolicy is specified
        {S}{}]} | spec.successPolicy.rules[0]: Required value: at least one of succeededCount or succeededIndexes must be specified
        {S}{succeededCount: 6}]} | spec.successPolicy.rules[0].succeededCount: Invalid value: 6: must be less than or equal to 5 (the number of specified completions)
        {S}{succeededCount: 4, succeededIndexes: 0-2}]} | spec.successPolicy.rules[0].succeededCount: Invalid value: 4: must be less than or equal to 3 (the number of indexes in the specified succeededIndexes field)
        {S}{succeededIndexes: invalid-format}]} | spec.successPolicy.rules[0].succeededIndexes: Invalid value: "invalid-format": error parsing succeededIndexes: cannot convert string to integer for index: "invalid"
        {S}{succeededIndexes: '5'}]} | spec.successPolicy.rules[0].succeededIndexes: Invalid value: "5": error parsing succeededIndexes: too large index: "5"
        {S}{succeededIndexes: '3,1'}]} | spec.successPolicy.rules[0].succeededIndexes: Invalid value: "3,1": error parsing succeededIndexes: non-increasing order, previous: 3, current: 1
        {S}{succeededIndexes: 0-1-2}]} | the fragment "0-1-2" violates the requirement that an index interval can have at most two parts separated by '-'
        """, quoteCharacter = '`')
    void refusesPoliciesInKubernetesWords(String spec, String complaint) {
        String full = spec.replace("{I}", "completionMode: Indexed, completions: 5")
                .replace("{S}", "completionMode: Indexed, completions: 5, successPolicy: {rules: [")
                .replace("{X}", "podFailurePolicy: {rules: [{action: FailJob, onExitCodes: ")
                .replace("{P}", "podFailurePolicy: {rules: ");
        assertThat(RuledCluster.complaints(() -> cluster.create(job(full + ", " + TEMPLATE))))
                .contains(complaint);
    }

    @Test
    void aPolicyForFailuresNeedsPodsThatRunOnce() {
        assertThat(RuledCluster.complaints(() -> cluster.create(
                        job("podFailurePolicy: {rules: []}, " + TEMPLATE.replace("Never", "OnFailure")))))
                .isEqualTo("spec.template.spec.restartPolicy: Invalid value: \"OnFailure\": only \"Never\" is supported"
                        + " when podFailurePolicy is specified");
    }

    @Test
    void policiesHaveDefaults() {
        ObjectNode job = cluster.create(job("completionMode: Indexed, completions: 5, backoffLimitPerIndex: 1,"
                + " podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]}, "
                + TEMPLATE));
        assertThat(job.at("/spec/backoffLimit").asInt()).isEqualTo(Integer.MAX_VALUE);
        assertThat(job.at("/spec/podReplacementPolicy").asText()).isEqualTo("Failed");
        assertThat(job.at("/spec/podFailurePolicy/rules/0/onPodConditions/0/status")
                        .asText())
                .isEqualTo("True");
    }

    private static String job(String spec) {
        return "{apiVersion: batch/v1, kind: Job, metadata: {name: a}, spec: {" + spec + "}}";
    }
}
