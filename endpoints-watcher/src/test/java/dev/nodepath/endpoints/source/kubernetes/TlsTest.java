package dev.nodepath.endpoints.source.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.source.SourceException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Clock;
import java.util.Base64;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A pod's service account against a server with a certificate of its own. */
class TlsTest {
    private static final char[] PASSWORD = "password".toCharArray();

    @TempDir
    private Path folder;

    @Test
    void trustsTheAuthorityOfTheServiceAccountAndNoOther() throws Exception {
        KeyStore keys = keys("server");
        try (FakeApiServer server = new FakeApiServer(context(keys), false)) {
            server.put(FakeApiServer.NODES, "{\"metadata\":{\"name\":\"n1\"}}");
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
                assertThat(snapshots.poll(30, TimeUnit.SECONDS)).isNotNull();
                assertThat(source.snapshot().nodes()).containsOnlyKeys("n1");
            }

            writeAuthority(keys("other"));
            try (KubernetesSource source = source(environment)) {
                assertThatThrownBy(() -> source.start((snapshot, changed) -> {}))
                        .isInstanceOf(SourceException.class)
                        .hasMessageStartingWith("in-cluster: GET " + server.url() + "/apis/discovery.k8s.io/v1: ")
                        .hasMessageContaining("certif");
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
                "",
                WatchLimits.DEFAULT,
                new Random(1),
                Clock.systemUTC());
    }

    private KeyStore keys(String name) throws Exception {
        Path file = folder.resolve(name + ".p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-keyalg",
                        "EC",
                        "-alias",
                        "key",
                        "-dname",
                        "CN=" + name,
                        "-ext",
                        "san=ip:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        new String(PASSWORD),
                        "-keystore",
                        file.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(keytool.waitFor()).as(output).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            keys.load(in, PASSWORD);
        }
        return keys;
    }

    private void writeAuthority(KeyStore keys) throws Exception {
        String encoded = Base64.getMimeEncoder()
                .encodeToString(keys.getCertificate("key").getEncoded());
        Files.writeString(
                folder.resolve("ca.crt"), "-----BEGIN CERTIFICATE-----\n" + encoded + "\n-----END CERTIFICATE-----\n");
    }

    private static SSLContext context(KeyStore keys) throws Exception {
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context;
    }
}
