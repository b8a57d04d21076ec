package dev.nodepath.endpoints.source.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.source.SourceException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every way of being let in that a kubeconfig knows, against a server with TLS. */
class KubeconfigAuthTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({"RSA, false", "RSA, true", "EC, false", "EC, true"})
    void showsItsClientCertificate(String algorithm, boolean oldFormat) throws Exception {
        TestKeys serverKeys = new TestKeys(folder, "server", "EC");
        TestKeys client = new TestKeys(folder, "client", algorithm);
        String key = oldFormat ? client.oldKey() : client.key();
        Files.writeString(folder.resolve("client.crt"), client.certificate());
        Files.writeString(folder.resolve("client.key"), key);
        try (TestApiServer server = new TestApiServer(serverKeys.context(client), true)) {
            String data = "{client-certificate-data: %s, client-key-data: %s}"
                    .formatted(base64(client.certificate()), base64(key));
            assertFollows(server, kubeconfig(server, serverKeys, data));
            assertFollows(
                    server, kubeconfig(server, serverKeys, "{client-certificate: client.crt, client-key: client.key}"));
            assertThatThrownBy(() -> assertFollows(server, kubeconfig(server, serverKeys, "{}")))
                    .isInstanceOf(SourceException.class)
                    .hasMessageStartingWith("kubeconfig " + folder.resolve("config") + ": GET " + server.url())
                    .hasMessageNotContaining("\n");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"{token: secret}", "{tokenFile: token}", "{token: other, tokenFile: token}"})
    void sendsItsToken(String user) throws Exception {
        TestKeys keys = new TestKeys(folder, "server", "EC");
        Files.writeString(folder.resolve("token"), "secret\n");
        try (TestApiServer server = new TestApiServer(keys.context(null), false)) {
            server.requireToken("secret");
            assertFollows(server, kubeconfig(server, keys, user));
            assertThatThrownBy(() -> assertFollows(server, kubeconfig(server, keys, "{token: wrong}")))
                    .hasMessage("kubeconfig " + folder.resolve("config") + ": GET " + server.url()
                            + "/apis/discovery.k8s.io/v1: 401 Unauthorized (expected: the right to get it)");
        }
    }

    @Test
    void runsTheCredentialPlugin() throws Exception {
        TestKeys keys = new TestKeys(folder, "server", "EC");
        plugin("""
                #!/bin/sh
                printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%s"}}' "$1$PART"
                """);
        String user = "{exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin, args: [sec],"
                + " env: [{name: PART, value: ret}], interactiveMode: Never}}";
        try (TestApiServer server = new TestApiServer(keys.context(null), false)) {
            server.requireToken("secret");
            assertFollows(server, kubeconfig(server, keys, user));

            plugin("#!/bin/sh\nexit 3\n");
            assertThatThrownBy(() -> assertFollows(server, kubeconfig(server, keys, user)))
                    .isInstanceOf(SourceException.class)
                    .hasMessageStartingWith("kubeconfig " + folder.resolve("config") + ": users[u].user.exec.command: ")
                    .hasMessageNotContaining("\n");
            Files.delete(folder.resolve("plugin"));
            assertThatThrownBy(() -> assertFollows(server, kubeconfig(server, keys, user)))
                    .isInstanceOf(SourceException.class)
                    .hasMessageStartingWith("kubeconfig " + folder.resolve("config") + ": users[u].user.exec.command: ")
                    .hasMessageNotContaining("\n");
        }
    }

    @Test
    void takesTheUserOfTheCurrentContext() throws Exception {
        try (TestApiServer server = new TestApiServer()) {
            server.requireToken("secret");
            Path file = Files.writeString(folder.resolve("config"), """
                    apiVersion: v1
                    kind: Config
                    current-context: right
                    clusters:
                    - {name: elsewhere, cluster: {server: "http://127.0.0.1:1"}}
                    - {name: here, cluster: {server: "%s"}}
                    contexts:
                    - {name: wrong, context: {cluster: elsewhere, user: stranger}}
                    - {name: right, context: {cluster: here, user: friend}}
                    users:
                    - {name: stranger, user: {token: wrong}}
                    - {name: friend, user: {token: secret}}
                    """.formatted(server.url()));
            assertFollows(server, file);
        }
    }

    @Test
    void readsJsonAndFlowStyle() throws Exception {
        try (TestApiServer server = new TestApiServer()) {
            server.requireToken("secret");
            String json = "{\"current-context\":\"c\",\"contexts\":[{\"name\":\"c\",\"context\":{\"cluster\":\"k\","
                    + "\"user\":\"u\"}}],\"clusters\":[{\"name\":\"k\",\"cluster\":{\"server\":\"" + server.url()
                    + "\"}}],\"users\":[{\"name\":\"u\",\"user\":{\"token\":\"secret\"}}]}";
            assertFollows(server, Files.writeString(folder.resolve("config"), json));
            // Not JSON, because some keys have no quotes.
            assertFollows(server, Files.writeString(folder.resolve("config"), json.replace("\"name\":", "name: ")));
        }
    }

    @Test
    void saysThatAPluginNeedsJsonOrBlockStyle() throws Exception {
        String user = "{exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin}}";
        Path file = Files.writeString(
                folder.resolve("config"),
                "{current-context: c,"
                        + " contexts: [{name: c, context: {cluster: k, user: u}}],"
                        + " clusters: [{name: k, cluster: {server: \"http://127.0.0.1:1\"}}], users: [{name: u, user: "
                        + user
                        + "}]}");
        assertThatThrownBy(() -> ApiServerAccess.kubeconfig(file, Optional.empty()))
                .isInstanceOf(SourceException.class)
                .hasMessage("kubeconfig " + file + ": line 1: begins with {, is not JSON and has a plugin"
                        + " (expected: JSON, or YAML that does not begin with {)");
    }

    /** The author of the file may write a new token into it. */
    @Test
    void readsTheTokenAgainWhenItIsNotLetIn() throws Exception {
        TestKeys keys = new TestKeys(folder, "server", "EC");
        try (TestApiServer server = new TestApiServer(keys.context(null), false)) {
            assertFollowsAfterANewToken(
                    server,
                    kubeconfig(server, keys, "{token: first}"),
                    () -> kubeconfig(server, keys, "{token: second}"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"RSA", "EC"})
    void trustsTheAuthorityThatItNamesAndNoOther(String algorithm) throws Exception {
        TestKeys keys = new TestKeys(folder, "server", algorithm);
        TestKeys other = new TestKeys(folder, "other", algorithm);
        try (TestApiServer server = new TestApiServer(keys.context(null), false)) {
            Files.writeString(folder.resolve("ca.crt"), other.certificate() + keys.certificate());
            assertFollows(server, cluster(server, "certificate-authority: ca.crt"));
            assertFollows(server, cluster(server, "insecure-skip-tls-verify: true"));
            for (String cluster : List.of(
                    "certificate-authority-data: " + base64(other.certificate()),
                    "insecure-skip-tls-verify: false",
                    "certificate-authority-data: " + base64("nothing"))) {
                assertThatThrownBy(() -> assertFollows(server, cluster(server, cluster)))
                        .isInstanceOf(SourceException.class)
                        .hasMessageStartingWith("kubeconfig " + folder.resolve("config") + ": ")
                        .hasMessageContaining("certificate");
            }
        }
    }

    /** Tokens of plugins last for minutes. */
    @Test
    void runsTheCredentialPluginAgainWhenItIsNotLetIn() throws Exception {
        TestKeys keys = new TestKeys(folder, "server", "EC");
        Path token = Files.writeString(folder.resolve("token"), "first");
        plugin("""
                #!/bin/sh
                printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%%s"}}' "$(cat %s)"
                """.formatted(token));
        String user =
                "{exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin, interactiveMode: Never}}";
        try (TestApiServer server = new TestApiServer(keys.context(null), false)) {
            assertFollowsAfterANewToken(
                    server, kubeconfig(server, keys, user), () -> Files.writeString(token, "second"));
        }
    }

    private static void assertFollowsAfterANewToken(TestApiServer server, Path kubeconfig, Callable<Path> newToken)
            throws Exception {
        server.put(TestApiServer.NODES, "{\"metadata\":{\"name\":\"n1\"}}");
        server.requireToken("first");
        ApiServerAccess access = ApiServerAccess.kubeconfig(kubeconfig, Optional.empty());
        BlockingQueue<ServiceSnapshot> snapshots = new LinkedBlockingQueue<>();
        try (KubernetesSource source = new KubernetesSource(
                access,
                "n1",
                KubernetesSource.Nodes.OWN,
                Optional.empty(),
                "",
                WatchLimits.DEFAULT,
                new Random(1),
                InstantSource.system())) {
            source.start((snapshot, changed) -> snapshots.add(snapshot));
            assertThat(snapshots.poll(5, TimeUnit.MINUTES)).isNotNull();
            newToken.call();
            server.requireToken("second");
            server.cutWatches();
            server.put(
                    TestApiServer.NODES,
                    "{\"metadata\":{\"name\":\"n1\",\"labels\":{\"topology.kubernetes.io/zone\":\"z\"}}}");
            assertThat(snapshots.poll(5, TimeUnit.MINUTES)).isNotNull();
        }
    }

    private void assertFollows(TestApiServer server, Path kubeconfig) throws Exception {
        server.put(TestApiServer.NODES, "{\"metadata\":{\"name\":\"n1\"}}");
        ApiServerAccess access = ApiServerAccess.kubeconfig(kubeconfig, Optional.empty());
        BlockingQueue<ServiceSnapshot> snapshots = new LinkedBlockingQueue<>();
        try (KubernetesSource source = new KubernetesSource(
                access,
                "n1",
                KubernetesSource.Nodes.OWN,
                Optional.empty(),
                "",
                WatchLimits.DEFAULT,
                new Random(1),
                InstantSource.system())) {
            source.start((snapshot, changed) -> snapshots.add(snapshot));
            assertThat(snapshots.poll(5, TimeUnit.MINUTES)).isNotNull();
        }
    }

    private Path kubeconfig(TestApiServer server, TestKeys keys, String user) throws Exception {
        return Files.writeString(
                folder.resolve("config"), """
                current-context: c
                contexts: [{name: c, context: {cluster: k, user: u}}]
                clusters: [{name: k, cluster: {server: "%s", certificate-authority-data: %s}}]
                users: [{name: u, user: %s}]
                """.formatted(server.url(), base64(keys.certificate()), user));
    }

    private Path cluster(TestApiServer server, String fields) throws Exception {
        return Files.writeString(folder.resolve("config"), """
                current-context: c
                contexts: [{name: c, context: {cluster: k}}]
                clusters: [{name: k, cluster: {server: "%s", %s}}]
                """.formatted(server.url(), fields));
    }

    private void plugin(String text) throws Exception {
        Files.writeString(folder.resolve("plugin"), text);
        Files.setPosixFilePermissions(folder.resolve("plugin"), PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
