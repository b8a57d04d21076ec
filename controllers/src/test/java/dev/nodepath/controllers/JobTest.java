package dev.nodepath.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ConditionList;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.PodState;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

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

    @Test
    void oneThatAnotherControllerManagesIsLeftAlone() {
        start("{'completions': 1, 'parallelism': 1, 'managedBy': 'example.com/mine'}");
        assertThat(active()).isEmpty();
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
