package dev.nodepath.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.nodepath.apiserver.Deletion;
import dev.nodepath.apiserver.resource.ConditionList;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.PodState;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Jobs and the Pods that they make. */
class JobTest {
    private final TestCluster cluster = new TestCluster("n1");

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void runsAsManyPodsAtATimeAsItMayUntilEnoughSucceeded() {
        start("{'completions': 3, 'parallelism': 2}");
        assertThat(active()).hasSize(2);
        assertThat(status().path("active").asInt()).isEqualTo(2);
        assertThat(status().path("ready").asInt()).isEqualTo(2);
        end(active().get(0), "Succeeded");
        assertThat(active()).hasSize(2);
        end(active().get(0), "Succeeded");
        assertThat(active()).hasSize(1);
        end(active().get(0), "Succeeded");
        assertThat(conditions())
                .containsExactly("SuccessCriteriaMet CompletionsReached", "Complete CompletionsReached");
        assertThat(status().path("succeeded").asInt()).isEqualTo(3);
        assertThat(status().has("completionTime")).isTrue();
        assertThat(status().path("uncountedTerminatedPods").isObject()).isTrue();
        assertThat(cluster.events("job"))
                .contains("Completed: Job completed")
                .anyMatch(each -> each.startsWith("SuccessfulCreate: Created pod: job-"));
        assertThat(cluster.list(Resources.PODS)).as("kept for their logs").hasSize(3);
    }

    @Test
    void aWorkQueueEndsWhenOneSucceededAndAllHaveEnded() {
        start("{'parallelism': 2}");
        end(active().get(0), "Succeeded");
        assertThat(active()).hasSize(1);
        assertThat(conditions()).isEmpty();
        end(active().get(0), "Succeeded");
        assertThat(conditions()).contains("Complete CompletionsReached");
    }

    @Test
    void eachIndexSucceedsOnce() {
        start("{'completions': 4, 'parallelism': 4, 'completionMode': 'Indexed'}");
        assertThat(active()).hasSize(4).allSatisfy(pod -> {
            String index = Meta.annotation(pod, "batch.kubernetes.io/job-completion-index");
            assertThat(Meta.name(pod)).startsWith("job-" + index + "-");
            assertThat(pod.at("/spec/hostname").asText()).isEqualTo("job-" + index);
            assertThat(pod.at("/spec/containers/0/env/0/name").asText()).isEqualTo("JOB_COMPLETION_INDEX");
            assertThat(pod.at("/spec/containers/0/env/0/valueFrom/fieldRef/fieldPath")
                            .asText())
                    .isEqualTo("metadata.labels['batch.kubernetes.io/job-completion-index']");
        });
        for (String index : List.of("0", "1", "3")) {
            end(withIndex(index), "Succeeded");
        }
        assertThat(status().path("completedIndexes").asText()).isEqualTo("0,1,3");
        end(withIndex("2"), "Failed");
        cluster.pass(Duration.ofSeconds(11));
        end(withIndex("2"), "Succeeded");
        assertThat(status().path("completedIndexes").asText()).isEqualTo("0-3");
        assertThat(conditions()).contains("Complete CompletionsReached");
    }

    @Test
    void failuresAreTriedAgainLaterAndLaterUntilTheLimit() {
        start("{'completions': 1, 'parallelism': 1, 'backoffLimit': 2}");
        end(active().get(0), "Failed");
        assertThat(active()).isEmpty();
        cluster.pass(Duration.ofSeconds(11));
        end(active().get(0), "Failed");
        cluster.pass(Duration.ofSeconds(11));
        assertThat(active()).as("20 s after the second failure").isEmpty();
        cluster.pass(Duration.ofSeconds(10));
        end(active().get(0), "Failed");
        assertThat(conditions()).containsExactly("FailureTarget BackoffLimitExceeded", "Failed BackoffLimitExceeded");
        assertThat(status().path("failed").asInt()).isEqualTo(3);
        assertThat(cluster.events("job")).contains("BackoffLimitExceeded: Job has reached the specified backoff limit");
    }

    @Test
    void aDeadlineEndsIt() {
        start("{'completions': 1, 'parallelism': 1, 'activeDeadlineSeconds': 5}");
        cluster.pass(Duration.ofSeconds(7));
        assertThat(active()).isEmpty();
        assertThat(conditions()).contains("Failed DeadlineExceeded");
        assertThat(status().path("failed").asInt()).isEqualTo(1);
    }

    @Test
    void aFinishedOneGoesAfterItsLifetimeWithItsPods() {
        start("{'completions': 1, 'parallelism': 1, 'ttlSecondsAfterFinished': 5}");
        end(active().get(0), "Succeeded");
        assertThat(cluster.names(Resources.JOBS)).containsExactly("job");
        cluster.pass(Duration.ofSeconds(7));
        assertThat(cluster.names(Resources.JOBS)).isEmpty();
        assertThat(cluster.list(Resources.PODS)).isEmpty();
    }

    @Test
    void aSuspendedOneHasNoPodsUntilItIsResumed() {
        start("{'completions': 1, 'parallelism': 1, 'suspend': true}");
        assertThat(active()).isEmpty();
        assertThat(conditions()).containsExactly("Suspended JobSuspended");
        suspend(false);
        assertThat(active()).hasSize(1);
        suspend(true);
        assertThat(active()).isEmpty();
        assertThat(status().path("failed").asInt()).isZero();
        suspend(false);
        end(active().get(0), "Succeeded");
        assertThat(conditions()).contains("Complete CompletionsReached");
    }

    @Test
    void aPodThatSomebodyDeletesHasFailed() {
        start("{'completions': 1, 'parallelism': 1}");
        cluster.delete(Resources.PODS, Meta.name(active().get(0)));
        cluster.control();
        assertThat(status().path("failed").asInt()).isEqualTo(1);
    }

    /** {@code kubectl delete --force}, or a Node that was deleted: the Pod is gone before anybody looks. */
    @ParameterizedTest
    @CsvSource({"Running, 1, 0", "Failed, 1, 0", "Succeeded, 0, 1"})
    void aPodThatGoesAtOnceIsCountedAsItWasLast(String phase, int failed, int succeeded) {
        start("{'completions': 2, 'parallelism': 1}");
        ObjectKey pod = ObjectKey.of(active().get(0));
        cluster.api().modify(Resources.PODS, pod, "status", copy -> {
            copy.withObjectProperty("status").put("phase", phase);
            return copy;
        });
        cluster.api().delete(Resources.PODS, pod, Deletion.NOW);
        cluster.settle();
        assertThat(status().path("failed").asInt()).isEqualTo(failed);
        assertThat(status().path("succeeded").asInt()).isEqualTo(succeeded);
        assertThat(active()).as("a failure has a pause").hasSize(succeeded);
    }

    @Test
    void aPodThatIsNoLongerItsOwnIsNotCounted() {
        start("{'completions': 1, 'parallelism': 1}");
        String pod = Meta.name(active().get(0));
        cluster.change(
                Resources.PODS,
                pod,
                copy -> copy.withObjectProperty("metadata")
                        .withObjectProperty("labels")
                        .removeAll());
        cluster.settle();
        cluster.api().delete(Resources.PODS, new ObjectKey("default", pod), Deletion.NOW);
        cluster.settle();
        assertThat(status().path("failed").asInt()).isZero();
        assertThat(active()).hasSize(1);
    }

    @Test
    void aPodOfADeletedNodeIsIgnoredIfARuleSaysSo() {
        start("{'completions': 1, 'parallelism': 1, 'backoffLimit': 0, 'podFailurePolicy': {'rules':"
                + " [{'action': 'Ignore', 'onPodConditions': [{'type': 'DisruptionTarget', 'status': 'True'}]}]}}");
        cluster.delete(Resources.NODES, "n1");
        cluster.pass(Duration.ofSeconds(4));
        assertThat(status().path("failed").asInt()).isZero();
        assertThat(conditions()).isEmpty();
    }

    @Test
    void aSmallerJobForgetsTheIndexesThatItHasNoMore() {
        start("{'completions': 4, 'parallelism': 4, 'completionMode': 'Indexed', 'backoffLimit': 2147483647,"
                + " 'backoffLimitPerIndex': 0}");
        exit(withIndex("3"), 0);
        exit(withIndex("2"), 1);
        assertThat(status().path("completedIndexes").asText()).isEqualTo("3");
        assertThat(status().path("failedIndexes").asText()).isEqualTo("2");
        resize(2);
        assertThat(status().has("completedIndexes")).isFalse();
        assertThat(status().has("succeeded")).isFalse();
        assertThat(status().path("failedIndexes").asText()).isEmpty();
        exit(withIndex("0"), 0);
        exit(withIndex("1"), 0);
        assertThat(status().path("completedIndexes").asText()).isEqualTo("0,1");
        assertThat(conditions()).contains("Complete CompletionsReached");
    }

    @Test
    void aSmallerJobEndsThePodsOfIndexesThatItHasNoMore() {
        start("{'completions': 4, 'parallelism': 4, 'completionMode': 'Indexed'}");
        cluster.kubelet().setReady(ObjectKey.of(withIndex("0")), false);
        resize(2);
        assertThat(active())
                .extracting(pod -> Meta.annotation(pod, "batch.kubernetes.io/job-completion-index"))
                .containsExactlyInAnyOrder("0", "1");
        assertThat(status().path("failed").asInt()).isZero();
    }

    private void resize(int completions) {
        cluster.change(
                Resources.JOBS,
                "job",
                job -> job.withObjectProperty("spec")
                        .put("completions", completions)
                        .put("parallelism", completions));
        cluster.settle();
    }

    @Test
    void oneThatAnotherControllerManagesIsLeftAlone() {
        start("{'completions': 1, 'parallelism': 1, 'managedBy': 'example.com/mine'}");
        assertThat(active()).isEmpty();
    }

    @Test
    void aFailureThatARuleNamesEndsTheJob() {
        start("{'completions': 2, 'parallelism': 2, 'podReplacementPolicy': 'Failed', 'podFailurePolicy': {'rules':"
                + " [{'action': 'Ignore', 'onExitCodes': {'operator': 'In', 'values': [7]}},{'action': 'FailJob',"
                + " 'onExitCodes': {'containerName': 'c', 'operator': 'NotIn', 'values': [3, 7]}}]}}");
        exit(active().get(0), 3);
        assertThat(status().path("failed").asInt()).as("no rule").isEqualTo(1);
        exit(active().get(0), 7);
        assertThat(status().path("failed").asInt()).as("ignored").isEqualTo(1);
        assertThat(conditions()).isEmpty();
        cluster.pass(Duration.ofSeconds(21));
        ObjectNode last = active().get(0);
        exit(last, 42);
        assertThat(conditions()).containsExactly("FailureTarget PodFailurePolicy", "Failed PodFailurePolicy");
        assertThat(cluster.events("job"))
                .contains("PodFailurePolicy: Container c for pod default/" + Meta.name(last)
                        + " failed with exit code 42 matching FailJob rule at index 1");
        assertThat(active()).isEmpty();
    }

    @Test
    void aPodThatIsEvictedFailsOnlyWhenItHasEndedAndIsIgnoredIfARuleSaysSo() {
        start("{'completions': 1, 'parallelism': 1, 'backoffLimit': 0, 'podReplacementPolicy': 'Failed',"
                + " 'podFailurePolicy': {'rules': [{'action': 'Ignore', 'onPodConditions':"
                + " [{'type': 'DisruptionTarget', 'status': 'True'}]}]}}");
        ObjectNode pod = active().get(0);
        cluster.api().modify(Resources.PODS, ObjectKey.of(pod), "status", copy -> {
            ConditionList.set(
                    copy, "DisruptionTarget", "True", "", "", cluster.clock().instant());
            return copy;
        });
        cluster.delete(Resources.PODS, Meta.name(pod));
        cluster.control();
        assertThat(active()).as("not replaced before it has ended").isEmpty();
        cluster.pass(Duration.ofSeconds(11));
        assertThat(status().path("failed").asInt()).isZero();
        assertThat(active()).hasSize(1);
        cluster.delete(Resources.PODS, Meta.name(active().get(0)));
        cluster.settle();
        assertThat(conditions()).as("this one nobody announced").contains("Failed BackoffLimitExceeded");
    }

    @Test
    void eachIndexHasFailuresOfItsOwn() {
        start("{'completions': 3, 'parallelism': 3, 'completionMode': 'Indexed', 'backoffLimit': 2147483647,"
                + " 'backoffLimitPerIndex': 1}");
        assertThat(status().path("failedIndexes")).isEqualTo(TextNode.valueOf(""));
        assertThat(failuresOf("1")).isEqualTo("0");
        exit(withIndex("1"), 1);
        exit(withIndex("0"), 0);
        cluster.pass(Duration.ofSeconds(11));
        assertThat(failuresOf("1")).isEqualTo("1");
        exit(withIndex("1"), 1);
        assertThat(status().path("failedIndexes").asText()).isEqualTo("1");
        assertThat(conditions()).as("index 2 goes on").isEmpty();
        cluster.pass(Duration.ofSeconds(30));
        assertThat(active()).as("a failed index is not tried again").hasSize(1);
        exit(withIndex("2"), 0);
        assertThat(conditions()).containsExactly("FailureTarget FailedIndexes", "Failed FailedIndexes");
        assertThat(status().path("completedIndexes").asText()).isEqualTo("0,2");
        assertThat(cluster.events("job")).contains("FailedIndexes: Job has failed indexes");
    }

    @Test
    void moreFailedIndexesThanTheLimitEndTheJob() {
        start("{'completions': 4, 'parallelism': 4, 'completionMode': 'Indexed', 'backoffLimit': 2147483647,"
                + " 'backoffLimitPerIndex': 3, 'maxFailedIndexes': 1, 'podReplacementPolicy': 'Failed',"
                + " 'podFailurePolicy': {'rules': [{'action': 'FailIndex', 'onExitCodes':"
                + " {'operator': 'In', 'values': [9]}}]}}");
        exit(withIndex("3"), 9);
        assertThat(status().path("failedIndexes").asText()).isEqualTo("3");
        assertThat(conditions()).isEmpty();
        exit(withIndex("0"), 9);
        assertThat(status().path("failedIndexes").asText()).isEqualTo("0,3");
        assertThat(conditions())
                .containsExactly("FailureTarget MaxFailedIndexesExceeded", "Failed MaxFailedIndexesExceeded");
        assertThat(active()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        'succeededIndexes': '0,2-3'                      | 3 2 0
        'succeededIndexes': '0,2-9'                      | 2 3 4 0
        'succeededIndexes': '1-3', 'succeededCount': 1   | 0 4 2
        'succeededCount': 2                              | 4 1
        """, quoteCharacter = '`')
    void enoughIndexesEndTheJob(String rule, String indexes) {
        start("{'completions': 5, 'parallelism': 5, 'completionMode': 'Indexed', 'successPolicy': {'rules': ["
                + "{'succeededCount': 5}, {" + rule + "}]}}");
        for (String index : indexes.split(" ", -1)) {
            assertThat(conditions()).isEmpty();
            exit(withIndex(index), 0);
        }
        assertThat(conditions()).containsExactly("SuccessCriteriaMet SuccessPolicy", "Complete SuccessPolicy");
        assertThat(ConditionList.find(cluster.get(Resources.JOBS, "job"), "Complete")
                        .orElseThrow()
                        .path("message")
                        .asText())
                .isEqualTo("Matched rules at index 1");
        assertThat(active()).as("those that are not needed end").isEmpty();
        assertThat(status().path("failed").asInt()).isZero();
    }

    private String failuresOf(String index) {
        return Meta.annotation(withIndex(index), "batch.kubernetes.io/job-index-failure-count");
    }

    private void exit(ObjectNode pod, int code) {
        cluster.api().modify(Resources.PODS, ObjectKey.of(pod), "status", copy -> {
            copy.withObjectProperty("status")
                    .set(
                            "containerStatuses",
                            TestObjects.json("{'all': [{'name': 'c', 'state': {'terminated': {'exitCode': " + code
                                            + "}}}]}")
                                    .path("all"));
            return copy;
        });
        end(pod, code == 0 ? "Succeeded" : "Failed");
    }

    private void start(String spec) {
        ObjectNode job = TestObjects.object(Resources.JOBS, "default", "job");
        ObjectNode full = TestObjects.json(spec);
        full.setAll(TestObjects.json("{'selector': {'matchLabels': {'job-name': 'job'}}, 'template': {"
                + "'metadata': {'labels': {'job-name': 'job'}}, 'spec': {'restartPolicy': 'Never', 'containers':"
                + " [{'name': 'c', 'image': 'i'}]}}}"));
        if (!full.has("backoffLimit")) {
            full.put("backoffLimit", 6);
        }
        job.set("spec", full);
        cluster.create(Resources.JOBS, job);
        cluster.settle();
    }

    private void suspend(boolean suspend) {
        cluster.change(
                Resources.JOBS, "job", job -> job.withObjectProperty("spec").put("suspend", suspend));
        cluster.settle();
    }

    private void end(ObjectNode pod, String phase) {
        cluster.api().modify(Resources.PODS, ObjectKey.of(pod), "status", copy -> {
            copy.withObjectProperty("status").put("phase", phase);
            ConditionList.set(
                    copy, "Ready", "False", "PodCompleted", "", cluster.clock().instant());
            return copy;
        });
        cluster.settle();
    }

    private List<ObjectNode> active() {
        return cluster.list(Resources.PODS).stream().filter(PodState::isActive).toList();
    }

    private ObjectNode withIndex(String index) {
        return active().stream()
                .filter(pod -> Meta.annotation(pod, "batch.kubernetes.io/job-completion-index")
                        .equals(index))
                .findFirst()
                .orElseThrow();
    }

    private JsonNode status() {
        return cluster.get(Resources.JOBS, "job").path("status");
    }

    private List<String> conditions() {
        return java.util.stream.StreamSupport.stream(status().path("conditions").spliterator(), false)
                .filter(each -> each.path("status").asText().equals("True"))
                .map(each ->
                        each.path("type").asText() + " " + each.path("reason").asText())
                .toList();
    }
}
