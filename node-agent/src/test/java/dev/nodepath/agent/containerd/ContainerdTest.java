package dev.nodepath.agent.containerd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** containerd's use of the plugin, through a present server. Afterwards nothing without a sandbox may be left. */
@Tag("containerd")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class ContainerdTest {
    private static final int TIMEOUT_MILLIS = 300_000;
    private static final OptionalInt NO_PORT = OptionalInt.empty();

    @TempDir(cleanup = CleanupMode.NEVER) // in the tmpfs of the enclosure, and busy until that ends
    Path directory;

    @SuppressWarnings("NullAway.Init")
    private Node node;

    @BeforeEach
    void start() throws Exception {
        node = Node.start(directory);
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        try {
            node.assertNothingIsLeft();
        } finally {
            node.stop();
        }
    }

    @Test
    void runsAContainerOfCtr() throws Exception {
        Containerd containerd = node.containerd();
        Process run = containerd.startCtr("run", "--rm", "--snapshotter", "native", "--cni", Containerd.IMAGE, "c1");
        Eventually.isTrue(containerd::log, () -> {
            assertThat(run.isAlive()).as(containerd.log()).isTrue();
            return containerd.ctr("tasks", "ls").contains("RUNNING");
        });
        assertThat(node.addresses()).containsExactly("10.9.0.2");
        try (NetworkNamespace pod = node.namespaceOf("default", "c1")) {
            assertThat(pod.link("eth0").orElseThrow().up()).isTrue();
            assertThat(pod.addresses().toString()).contains("10.9.0.2/24");
        }
        containerd.ctr("tasks", "kill", "-s", "SIGKILL", "c1");
        assertThat(run.waitFor(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
        // ctr calls DEL after the container's end, without a namespace; the log has the call once ctr has its answer.
        node.server().awaitLog("command=DEL container=default-c1");
        assertThat(node.server().log())
                .contains("command=ADD container=default-c1", "command=DEL container=default-c1")
                .doesNotContain("cni.failed");
    }

    @Test
    void runsASandboxWhoseHostPortIsReached() throws Exception {
        Cri cri = node.containerd().cri();
        String id = cri.run("web", OptionalInt.of(8080));
        String address = cri.address(id);
        assertThat(node.addresses()).containsExactly(address);
        try (NetworkNamespace pod = node.namespaceOf("k8s.io", id);
                ServerSocket listening = pod.call(() -> new ServerSocket(80));
                Socket client = new Socket()) {
            client.connect(new InetSocketAddress("10.9.0.1", 8080), TIMEOUT_MILLIS);
            listening.setSoTimeout(TIMEOUT_MILLIS);
            try (Socket accepted = listening.accept()) {
                assertThat(accepted.getLocalAddress().getHostAddress()).isEqualTo(address);
            }
        }
        cri.stop(id);
        cri.stop(id);
        cri.remove(id);
    }

    @Test
    void runsASandboxAfterAnAddThatFailed() throws Exception {
        Cri cri = node.containerd().cri();
        node.containerd().arm("p1", "ADD", "fail\n");
        assertThatThrownBy(() -> cri.run("p1", NO_PORT)).hasMessageContaining("a fault of the test");
        node.assertNothingIsLeft();
        String id = cri.run("p1", NO_PORT);
        assertThat(node.addresses()).containsExactly(cri.address(id));
        cri.stop(id);
        cri.remove(id);
    }

    @Test
    void removesASandboxOfAContainerdBeforeThisOne() throws Exception {
        String id = node.containerd().cri().run("p1", NO_PORT);
        String address = node.containerd().cri().address(id);
        node.containerd().restart();
        Cri cri = node.containerd().cri();
        assertThat(cri.list()).containsExactly(id);
        assertThat(cri.address(id)).isEqualTo(address);
        String second = cri.run("p2", NO_PORT);
        assertThat(cri.address(second)).isNotEqualTo(address);
        for (String sandbox : List.of(id, second)) {
            cri.stop(sandbox);
            cri.remove(sandbox);
        }
    }

    @Test
    void removesASandboxWhoseNamespaceIsGone() throws Exception {
        Cri cri = node.containerd().cri();
        String id = cri.run("p1", NO_PORT);
        node.containerd().ctr("-n", "k8s.io", "tasks", "kill", "-s", "SIGKILL", id);
        // A stop that comes while containerd takes the task away fails with "ttrpc: closed"; a kubelet repeats it.
        Eventually.isTrue(
                node.containerd()::log,
                () -> !node.containerd().ctr("-n", "k8s.io", "tasks", "ls").contains(id));
        node.containerd().inside("sh", "-ec", "for ns in /run/netns/cni-*; do umount $ns; rm $ns; done");
        assertThat(node.addresses()).hasSize(1);
        cri.stop(id);
        cri.remove(id);
    }

    @Test
    void runsAndRemovesTwentySandboxesAtOnce() throws Exception {
        Cri cri = node.containerd().cri();
        ExecutorService kubelet = Executors.newFixedThreadPool(20);
        try {
            List<Future<String>> runs = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                String pod = "p" + i;
                runs.add(kubelet.submit(() -> cri.run(pod, NO_PORT)));
            }
            List<Future<String>> removals = new ArrayList<>();
            List<String> addresses = new ArrayList<>();
            for (Future<String> run : runs) {
                addresses.add(cri.address(run.get()));
            }
            assertThat(addresses).doesNotHaveDuplicates();
            assertThat(node.addresses()).containsExactlyInAnyOrderElementsOf(addresses);
            for (Future<String> run : runs) {
                removals.add(kubelet.submit(() -> {
                    cri.stop(run.get());
                    cri.remove(run.get());
                    return run.get();
                }));
            }
            for (Future<String> removal : removals) {
                assertThat(removal.get()).isNotEmpty();
            }
        } finally {
            kubelet.shutdownNow();
        }
    }
}
