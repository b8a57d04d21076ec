package dev.nodepath.endpoints.source.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.source.SourceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A pod's service account against a server with a certificate of its own. */
class TlsTest {
    @TempDir
    private Path folder;

    @Test
    void trustsTheAuthorityOfTheServiceAccountAndNoOther() throws Exception {
        TestKeys keys = new TestKeys(folder, "server", "EC");
        try (TestApiServer server = new TestApiServer(keys.context(null), false)) {
            server.put(TestApiServer.NODES, "{\"metadata\":{\"name\":\"n1\"}}");
            server.requireToken("secret");
            Files.writeString(folder.resolve("token"), "secret");
            Map<String, String> environment = Map.of(
                    "KUBERNETES_SERVICE_HOST",
                    "127.0.0.1",
                    "KUBERNETES_SERVICE_PORT",
                    server.url().replaceAll(".*:", ""));

            writeAuthority(keys);
            BlockingQueue<ServiceSnapshot> snapshots = new LinkedBlockingQueue<>();
            try (KubernetesSource source = source(environment)) {
                source.start((snapshot, changed) -> snapshots.add(snapshot));
                assertThat(snapshots.poll(5, TimeUnit.MINUTES)).isNotNull();
                assertThat(source.snapshot().nodes()).containsOnlyKeys("n1");
            }

            writeAuthority(new TestKeys(folder, "other", "EC"));
            try (KubernetesSource source = source(environment)) {
                assertThatThrownBy(() -> source.start((snapshot, changed) -> {}))
                        .isInstanceOf(SourceException.class)
                        .hasMessageStartingWith("in-cluster: GET " + server.url() + "/apis/discovery.k8s.io/v1: ")
                        .hasMessageContaining("certificate of the server: not signed by the certificate authority");
            }

            Files.writeString(folder.resolve("ca.crt"), "no certificate");
            try (KubernetesSource source = source(environment)) {
                assertThatThrownBy(() -> source.start((snapshot, changed) -> {}))
                        .isInstanceOf(SourceException.class)
                        .hasMessageStartingWith("in-cluster: ")
                        .hasMessageNotContaining("\n");
            }
        }
    }

    private KubernetesSource source(Map<String, String> environment) throws SourceException {
        return new KubernetesSource(
                ApiServerAccess.inCluster(environment, folder),
                "n1",
                KubernetesSource.Nodes.OWN,
                Optional.empty(),
                "",
                WatchLimits.DEFAULT,
                new Random(1),
                InstantSource.system());
    }

    private void writeAuthority(TestKeys keys) throws Exception {
        Files.writeString(folder.resolve("ca.crt"), keys.certificate());
    }
}
