package dev.nodepath.emulator.kubelet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.request.PieceSource;
import dev.nodepath.apiserver.stream.LogOptions;
import dev.nodepath.apiserver.stream.PortOutput;
import dev.nodepath.linux.Eventually;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Pods of an API on a node in memory. */
@Timeout(900)
class KubeletTest {
    private static final int CONNECTING_MAX = 2;
    private static final int WAITING = 4 * Runtime.getRuntime().availableProcessors();
    private static final String QUIET = "{'containers': [{'name': 'main', 'image': 'quiet'}]}";
    private static final String WAITS = "{'initContainers': [{'name': 'first', 'command': ['no-such-program']}],"
            + " 'containers': [{'name': 'main', 'image': 'quiet'}]}";

    @TempDir
    private Path folder;

    private QuietNode node;
    private Kubelet kubelet;

    @BeforeEach
    void start() throws Exception {
        node = new QuietNode(folder, CONNECTING_MAX);
        kubelet = node.kubelet();
    }

    @AfterEach
    void stop() {
        kubelet.close();
        node.close();
    }

    @Test
    void podsThatWaitHoldUpNoOther() throws Exception {
        node.cni.cutOff = "cut";
        for (int i = 0; i < WAITING; i++) {
            node.create("initializing-" + i, WAITS);
            node.create("cut-off-" + i, QUIET);
        }
        node.create("web", QUIET);
        Eventually.isTrue("web is ready", () -> node.isReady("web"));
    }

    @Test
    void aPodThatWaitsForItsTurnCanBeDeleted() throws Exception {
        node.cluster.connecting().acquire(CONNECTING_MAX);
        node.create("web", QUIET);
        Eventually.isTrue("web is taken", () -> kubelet.runs(QuietNode.key("web")));
        node.delete("web", 1);
        Eventually.isTrue("web is gone", () -> node.find("web").isEmpty() && !kubelet.isBusy());
    }

    @Test
    void nothingOfAnEndedPodIsLeft() throws Exception {
        ObjectNode pod = node.create("web", QUIET);
        PodFolder files = PodFolder.of(folder, pod);
        Eventually.isTrue("web is ready", () -> node.isReady("web"));
        assertThat(files.log("main")).content().contains("serving as quiet");
        assertThat(files.files()).exists();
        node.delete("web", 1);
        Eventually.isTrue("web is gone", () -> node.find("web").isEmpty() && !kubelet.isBusy());
        assertThat(files.files()).doesNotExist();
        assertThat(files.logs()).doesNotExist();
        assertThat(node.podNamespaces()).isZero();
        assertThat(new Places(folder).find("web", Optional.empty())).isEmpty();
    }

    @Test
    void aPodThatIsActiveForTooLongFailsAndCanBeDeleted() throws Exception {
        node.create("late", QUIET.replace("{'containers'", "{'activeDeadlineSeconds': 1, 'containers'"));
        Eventually.isTrue(
                "late has failed",
                () -> node.find("late")
                        .map(pod -> pod.path("status"))
                        .filter(status -> status.path("phase").asText().equals("Failed"))
                        .filter(status -> status.path("reason").asText().equals("DeadlineExceeded"))
                        .isPresent());
        assertThat(node.isReady("late")).isFalse();
        node.delete("late", 1);
        Eventually.isTrue("late is gone", () -> node.find("late").isEmpty() && !kubelet.isBusy());
    }

    /** Its first container never ends. */
    @Test
    void aPodThatIsNotStartedInTimeFails() throws Exception {
        node.create("waits", WAITS.replace("{'initContainers'", "{'activeDeadlineSeconds': 1, 'initContainers'"));
        Eventually.isTrue(
                "it has failed",
                () -> node.find("waits")
                        .filter(pod -> pod.at("/status/phase").asText().equals("Failed"))
                        .isPresent());
    }

    @Test
    void aWorkerThatThrowsIsForgotten() throws Exception {
        node.create("web", QUIET);
        Eventually.isTrue("web is ready", () -> node.isReady("web"));
        node.cni.broken = true;
        node.delete("web", 1);
        Eventually.isTrue("the worker is gone", () -> !kubelet.isBusy());
    }

    @Test
    void aFollowedLogEndsWithItsPodNotWithItsName() throws Exception {
        KubeletStreams streams = streams();
        ObjectNode first = node.create("web", QUIET);
        Eventually.isTrue("web is ready", () -> node.isReady("web"));
        try (PieceSource log = streams.log(first, following())) {
            assertThat(log.poll()).isNotNull();
            node.delete("web", 0);
            ObjectNode second = node.create("web", QUIET);
            Eventually.isTrue("the second is ready", () -> node.isReady("web"));
            Eventually.isTrue("the first has ended", () -> {
                log.poll();
                return log.ended();
            });
            assertThat(kubelet.runs(QuietNode.key("web"))).isTrue();
            assertThatThrownBy(() -> streams.log(second, previous())).hasMessageContaining("previous terminated");
        }
    }

    @Test
    void aLogThatIsNotThereYetSaysWhatItWaitsFor() throws Exception {
        node.cni.cutOff = "waits";
        ObjectNode pod = node.create("waits", "{'containers': [{'name': 'main', 'image': 'quiet'}, {'name': 'b'}]}");
        for (String reason : List.of("PodInitializing", "CreateContainerConfigError")) {
            ObjectNode status = pod.putObject("status");
            status.putArray("initContainerStatuses")
                    .addObject()
                    .put("name", "first")
                    .putObject("state")
                    .putObject("running");
            status.putArray("containerStatuses")
                    .addObject()
                    .put("name", "main")
                    .putObject("state")
                    .putObject("waiting")
                    .put("reason", reason);
            assertThatThrownBy(() -> streams().log(pod, following()))
                    .hasMessage("container \"main\" in pod \"waits\" is waiting to start: " + reason);
        }
        pod.remove("status");
        assertThatThrownBy(() -> streams().log(pod, following())).hasMessageContaining("start: ContainerCreating");
    }

    @Test
    void theLogOfAPodWithoutANodeIsEmpty() throws Exception {
        ObjectNode pod = node.create("nowhere", QUIET);
        // A node that still makes its folders would do so while the test removes them.
        Eventually.isTrue("it is ready", () -> node.isReady("nowhere"));
        pod.withObjectProperty("spec").remove("nodeName");
        for (LogOptions options : List.of(following(), previous())) {
            PieceSource log = streams().log(pod, options);
            log.start(() -> {});
            assertThat(log.poll()).isNull();
            assertThat(log.ended()).isTrue();
            log.close();
        }
    }

    @Test
    void aPortOfAPodWithoutANetworkIsRefused() throws Exception {
        node.cni.cutOff = "cut";
        ObjectNode pod = node.create("cut-off", QUIET);
        Eventually.isTrue("it is taken", () -> kubelet.runs(QuietNode.key("cut-off")));
        Eventually.isTrue("it waits", () -> node.podNamespaces() == 0);
        KubeletStreams streams = streams();
        assertThatThrownBy(() -> streams.connect(pod, 1, new NoOutput()))
                .isInstanceOf(StatusException.class)
                .hasMessageContaining("pod cut-off has no network");
    }

    private KubeletStreams streams() {
        KubeletStreams streams = new KubeletStreams(folder);
        streams.add(QuietNode.NAME, kubelet);
        return streams;
    }

    private static LogOptions following() {
        return options(true, false);
    }

    private static LogOptions previous() {
        return options(false, true);
    }

    private static LogOptions options(boolean follow, boolean previous) {
        return new LogOptions(
                "", follow, previous, false, Optional.empty(), OptionalLong.empty(), OptionalLong.empty());
    }

    private static final class NoOutput implements PortOutput {
        @Override
        public void receive(byte[] octets) {}

        @Override
        public void ended() {}

        @Override
        public void failed(String why) {}
    }
}
