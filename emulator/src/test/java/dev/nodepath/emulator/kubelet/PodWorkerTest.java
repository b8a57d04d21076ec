package dev.nodepath.emulator.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpServer;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One Pod on a node in memory, step by step. */
@Timeout(900)
class PodWorkerTest {
    private static final String QUIET = "{'containers': [{'name': 'main', 'image': 'quiet'}]}";

    @TempDir
    private Path folder;

    private QuietNode node;

    @BeforeEach
    void start() throws Exception {
        node = new QuietNode(folder, 1);
    }

    @AfterEach
    void stop() {
        node.close();
    }

    @Test
    void leavesNoNamespaceWhenAddAndDelFail() throws Exception {
        node.cni.failingAdds.set(2);
        node.cni.failingDeletes.set(2);
        int handles = node.net.openHandles();
        PodWorker worker = node.worker(node.create("web", QUIET));
        worker.run();
        assertThat(node.podNamespaces()).isEqualTo(1);
        assertThat(node.net.openHandles()).isEqualTo(handles + 1);
        end(worker);
        assertThat(node.podNamespaces()).isZero();
        assertThat(node.net.openHandles()).isEqualTo(handles);
    }

    /** For example a debugging container that one user adds while another deletes the Pod by force. */
    @Test
    void whatIsAddedToAPodThatIsGoneGetsNoPlace() throws Exception {
        ObjectNode pod = node.create("web", QUIET);
        PodWorker worker = node.worker(pod);
        worker.run();
        Path places = node.folder.resolve("places/pods/default/web");
        assertThat(places.resolve("main")).isSymbolicLink();
        worker.lose();
        assertThat(places).doesNotExist();

        ObjectNode more = pod.deepCopy();
        more.withObjectProperty("spec")
                .putArray("ephemeralContainers")
                .addObject()
                .put("name", "late")
                .put("image", "quiet");
        worker.update(more);

        Eventually.isTrue(
                "it is known",
                () -> worker.container("main").isPresent()
                        && node.find("web")
                                        .orElseThrow()
                                        .at("/status/ephemeralContainerStatuses")
                                        .size()
                                == 1);
        end(worker);
        assertThat(places).doesNotExist();
    }

    @Test
    void aDeadlineMayComeLater() throws Exception {
        ObjectNode pod = node.create("web", QUIET);
        PodWorker worker = node.worker(pod);
        worker.run();
        worker.update(changed(pod, spec -> spec.put("activeDeadlineSeconds", 1)));
        Eventually.isTrue(
                "it has failed",
                () -> node.find("web")
                        .orElseThrow()
                        .at("/status/reason")
                        .asText()
                        .equals("DeadlineExceeded"));
        end(worker);
    }

    @Test
    void aContainerFollowsItsImage() throws Exception {
        ObjectNode pod = node.create("web", QUIET);
        PodWorker worker = node.worker(pod);
        worker.run();
        worker.update(changed(pod, spec -> ((ObjectNode) spec.at("/containers/0")).put("image", "calm")));
        Eventually.isTrue("it runs again", () -> {
            JsonNode status = node.find("web").orElseThrow().at("/status/containerStatuses/0");
            return status.path("image").asText().equals("calm")
                    && status.path("restartCount").asInt() == 1
                    && status.path("state").has("running");
        });
        end(worker);
    }

    private static ObjectNode changed(ObjectNode pod, Consumer<ObjectNode> change) {
        ObjectNode changed = pod.deepCopy();
        change.accept(changed.withObjectProperty("spec"));
        return changed;
    }

    @Test
    void callsDelAgainWhenItFails() throws Exception {
        PodWorker worker = node.worker(node.create("web", QUIET));
        worker.run();
        node.cni.failingDeletes.set(1);
        end(worker);
        assertThat(node.cni.deleted).hasSize(1);
        assertThat(node.find("web")).isEmpty();
    }

    @Test
    void endsThePodAlthoughDelNeverSucceeds() throws Exception {
        PodWorker worker = node.worker(node.create("web", QUIET));
        worker.run();
        node.cni.failingDeletes.set(Integer.MAX_VALUE);
        end(worker);
        assertThat(node.podNamespaces()).isZero();
        assertThat(node.find("web")).isEmpty();
    }

    @Test
    void deletesTheObjectWhenTheApiServerIsReachedAgain() throws Exception {
        PodWorker ran = node.worker(node.create("ran", QUIET));
        PodWorker never = node.worker(node.create("never", QUIET));
        ran.run();
        node.connected = false;
        CompletableFuture<Void> ends = CompletableFuture.runAsync(() -> end(ran));
        CompletableFuture<Void> forgets = CompletableFuture.runAsync(never::forget);
        Eventually.isTrue("its network is gone", () -> node.podNamespaces() == 0);
        assertThat(node.find("ran")).isPresent();
        assertThat(node.find("never")).isPresent();
        assertThat(ends).isNotDone();
        assertThat(forgets).isNotDone();
        node.connected = true;
        CompletableFuture.allOf(ends, forgets).get(5, TimeUnit.MINUTES);
        assertThat(node.find("ran")).isEmpty();
        assertThat(node.find("never")).isEmpty();
    }

    @Test
    void waitsForNoConnectionWhenTheObjectIsGone() throws Exception {
        PodWorker worker = node.worker(node.create("web", QUIET));
        worker.run();
        node.connected = false;
        CompletableFuture<Void> ends = CompletableFuture.runAsync(() -> end(worker));
        worker.hurry();
        ends.get(5, TimeUnit.MINUTES);
        assertThat(node.podNamespaces()).isZero();
    }

    @Test
    void callsPreStopHooksFromTheNodesNamespace() throws Exception {
        AtomicInteger requests = new AtomicInteger();
        AtomicInteger calls = new AtomicInteger();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            requests.incrementAndGet();
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.start();
        ObjectNode pod = node.create(
                "web",
                "{'containers': [{'name': 'main', 'image': 'quiet', 'lifecycle': {'preStop': {'httpGet': {'port': "
                        + server.getAddress().getPort() + "}}}}]}");
        PodWorker worker = node.worker(pod, counting(node.node.namespace(), calls));
        worker.run();
        end(worker);
        server.stop(0);
        assertThat(requests).hasValue(1);
        assertThat(calls).hasValue(1);
    }

    private static void end(PodWorker worker) {
        worker.markEnding();
        worker.end(Duration.ofSeconds(5));
    }

    private static NetworkNamespace counting(NetworkNamespace namespace, AtomicInteger calls) {
        return (NetworkNamespace) Proxy.newProxyInstance(
                PodWorkerTest.class.getClassLoader(),
                new Class<?>[] {NetworkNamespace.class},
                (self, method, given) -> {
                    if (method.getName().equals("call")) {
                        calls.incrementAndGet();
                    }
                    try {
                        return method.invoke(namespace, given);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
