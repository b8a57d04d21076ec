package dev.nodepath.endpoints.source.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.endpoints.source.SourceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ApiServerAccessTest {
    private static final String GOOD = """
            apiVersion: v1
            kind: Config
            current-context: c
            contexts: [{name: c, context: {cluster: k, user: u}}]
            clusters: [{name: k, cluster: {server: "https://10.0.0.1:6443/"}}]
            users: [{name: u, user: {token: abc}}]
            """;

    @TempDir
    private Path folder;

    @Test
    void takesServerAndCredentialsOfTheCurrentContext() throws Exception {
        ApiServerAccess access = kubeconfig(GOOD);
        assertThat(access.server()).isEqualTo("https://10.0.0.1:6443");
        assertThat(access.config().getAutoOAuthToken()).isEqualTo("abc");
        assertThat(ApiServerAccess.kubeconfig(folder.resolve("config"), Optional.of("http://[::1]:80"))
                        .server())
                .isEqualTo("http://[::1]:80");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "current-context: c | current-context: d | current-context: \"d\" (expected: one of c)",
                "current-context: c | x: y | current-context: missing (expected: one of c)",
                "cluster: k, | cluster: z, | contexts[c].context.cluster: \"z\" (expected: one of k)",
                "user: u} | user: v} | contexts[c].context.user: \"v\" (expected: one of u)",
                "\"https://10.0.0.1:6443/\" | nowhere"
                        + " | clusters[k].cluster.server: \"nowhere\" (expected: a URL such as https://10.0.0.1:6443)",
                "token: abc | tokenFile: gone | users[u].user.tokenFile: FOLDER/gone: not found (expected: a file with a token)",
                "token: abc | client-certificate: gone"
                        + " | users[u].user.client-certificate: gone: not readable (expected: a file)",
            })
    void namesTheFieldThatIsWrong(String was, String is, String problem) {
        assertThatThrownBy(() -> kubeconfig(GOOD.replace(was, is)))
                .isInstanceOf(SourceException.class)
                .hasMessage(
                        "kubeconfig " + folder.resolve("config") + ": " + problem.replace("FOLDER", folder.toString()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[1, 2]", "a: [", "contexts: 5", "just text", "\u0000", "contexts: [null]", "- a: 1"})
    void saysInOneLineThatAFileIsNotAKubeconfig(String text) {
        assertThatThrownBy(() -> kubeconfig(text))
                .isInstanceOf(SourceException.class)
                .hasMessageStartingWith("kubeconfig " + folder.resolve("config") + ": ")
                .hasMessageNotContainingAny("\n");
    }

    @Test
    void saysThatAFileIsMissing() {
        Path missing = folder.resolve("missing");
        assertThatThrownBy(() -> ApiServerAccess.kubeconfig(missing, Optional.empty()))
                .hasMessage("kubeconfig " + missing + ": not found (expected: a kubeconfig file)");
        assertThatThrownBy(() -> ApiServerAccess.kubeconfig(folder, Optional.empty()))
                .hasMessage("kubeconfig " + folder + ": not a file (expected: a kubeconfig file)");
    }

    @Test
    void findsTheClusterOfItsPodAndReadsTheTokenEachTime() throws Exception {
        Map<String, String> environment =
                Map.of("KUBERNETES_SERVICE_HOST", "fd00::1", "KUBERNETES_SERVICE_PORT", "443");
        assertThatThrownBy(() -> ApiServerAccess.inCluster(Map.of(), folder))
                .hasMessage("in-cluster: KUBERNETES_SERVICE_HOST: unset"
                        + " (expected: a pod, or --kubeconfig, --master or --manifests)");
        Files.writeString(folder.resolve("ca.crt"), "certificate");
        assertThatThrownBy(() -> ApiServerAccess.inCluster(environment, folder))
                .hasMessage("in-cluster: " + folder.resolve("token") + ": not found (expected: a file with a token)");

        Path token = Files.writeString(folder.resolve("token"), "one\n");
        ApiServerAccess access = ApiServerAccess.inCluster(environment, folder);
        assertThat(access.server()).isEqualTo("https://[fd00::1]:443");
        assertThat(access.config().getOauthTokenProvider().getToken()).isEqualTo("one");
        Files.writeString(token, "two");
        assertThat(access.config().getOauthTokenProvider().getToken()).isEqualTo("two");
        Files.delete(token);
        assertThat(access.config().getOauthTokenProvider().getToken()).isEqualTo("two");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "10.0.0.1", "ftp://10.0.0.1", "https://", "https://a b", "https://u:p@h", "https://h?q=1"})
    void refusesWhatIsNoUrl(String url) {
        assertThatThrownBy(() -> ApiServerAccess.master(url))
                .isInstanceOf(SourceException.class)
                .hasMessage("--master: \"" + url + "\" (expected: a URL such as https://10.0.0.1:6443)");
    }

    private ApiServerAccess kubeconfig(String text) throws Exception {
        return ApiServerAccess.kubeconfig(Files.writeString(folder.resolve("config"), text), Optional.empty());
    }
}
