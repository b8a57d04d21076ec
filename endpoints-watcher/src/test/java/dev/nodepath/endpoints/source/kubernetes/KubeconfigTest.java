package dev.nodepath.endpoints.source.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.endpoints.source.SourceException;
import io.fabric8.kubernetes.client.Config;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Each field of a kubeconfig; the beginnings of errors are in {@link ApiServerAccessTest}. */
class KubeconfigTest {
    private static final String GOOD = """
            current-context: c
            contexts:
            - {name: other, context: {cluster: other}}
            - {name: c, context: {cluster: k, user: u}}
            clusters:
            - {name: other, cluster: {server: nowhere}}
            - {name: k, cluster: {server: "https://10.0.0.1:6443", CLUSTER}}
            users:
            - {name: other, user: {tokenFile: nowhere}}
            - {name: u, user: {USER}}
            """;

    @TempDir
    private Path folder;

    @BeforeEach
    void writeFiles() throws Exception {
        Files.writeString(Files.createDirectory(folder.resolve("pki")).resolve("a.crt"), "PEM");
        Files.writeString(folder.resolve("token"), "from a file");
    }

    static Stream<Arguments> fields() {
        return Stream.of(
                field("certificate-authority: pki/a.crt", "", Config::getCaCertFile, "FOLDER/pki/a.crt"),
                field("certificate-authority: FOLDER/pki/a.crt", "", Config::getCaCertFile, "FOLDER/pki/a.crt"),
                field("certificate-authority-data: QUJD", "", Config::getCaCertData, "QUJD"),
                field("insecure-skip-tls-verify: true", "", Config::isTrustCerts, true),
                field("insecure-skip-tls-verify: true", "", Config::isDisableHostnameVerification, true),
                field("insecure-skip-tls-verify: null", "", Config::isTrustCerts, false),
                field("tls-server-name: name", "", Config::getTlsServerName, "name"),
                field("", "token: abc", Config::getAutoOAuthToken, "abc"),
                field("", "token: \"123\"", Config::getAutoOAuthToken, "123"),
                field(
                        "",
                        "token: abc, tokenFile: token",
                        config -> config.getOauthTokenProvider().getToken(),
                        "from a file"),
                field(
                        "",
                        "client-certificate: pki/a.crt, client-key: pki/a.crt",
                        Config::getClientCertFile,
                        "FOLDER/pki/a.crt"),
                field(
                        "",
                        "client-certificate: pki/a.crt, client-key: pki/a.crt",
                        Config::getClientKeyFile,
                        "FOLDER/pki/a.crt"),
                field("", "client-certificate-data: QUJD, client-key-data: REVG", Config::getClientCertData, "QUJD"),
                field("", "client-certificate-data: QUJD, client-key-data: REVG", Config::getClientKeyData, "REVG"),
                field("", "username: name, password: word", Config::getUsername, "name"),
                field("", "username: name, password: word", Config::getPassword, "word"));
    }

    @ParameterizedTest
    @MethodSource("fields")
    void readsEachField(String cluster, String user, Function<Config, Object> field, Object value) throws Exception {
        Kubeconfig read = read(cluster, user);
        assertThat(read.server()).isEqualTo("https://10.0.0.1:6443");
        assertThat(field.apply(read.config()))
                .isEqualTo(value instanceof String text ? text.replace("FOLDER", folder.toString()) : value);
    }

    @Test
    void reachesTheServerThroughTheProxyThatItNames() throws Exception {
        assertThat(read("", "").proxy()).isEmpty();
        assertThat(read("proxy-url: \"http://127.0.0.1:3128\"", "").proxy())
                .contains(new InetSocketAddress(InetAddress.getLoopbackAddress(), 3128));
    }

    @Test
    void followsAliasesAndMergeKeys() throws Exception {
        Kubeconfig read = read("extensions: &e {insecure-skip-tls-verify: true}, <<: *e", "");
        assertThat(read.config().isTrustCerts()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "USER | token: 123 | users[u].user.token: 123 (expected: text; what looks like something else needs quotes)",
                "USER | token: [a] | users[u].user.token: a list (expected: text; what looks like something else needs quotes)",
                "USER | client-certificate: pki/a.crt | users[u].user.client-key: missing"
                        + " (expected: client-key or client-key-data, as there is a client certificate)",
                "CLUSTER | insecure-skip-tls-verify: yes"
                        + " | clusters[k].cluster.insecure-skip-tls-verify: \"yes\" (expected: true or false)",
                "CLUSTER | certificate-authority: gone"
                        + " | clusters[k].cluster.certificate-authority: gone: not readable (expected: a file)",
                "CLUSTER | proxy-url: \"socks5://10.0.0.1:1080\" | clusters[k].cluster.proxy-url: \"socks5://10.0.0.1:1080\""
                        + " (expected: a URL with a port such as http://10.0.0.1:3128)",
                "CLUSTER | proxy-url: \"http://10.0.0.1\" | clusters[k].cluster.proxy-url: \"http://10.0.0.1\""
                        + " (expected: a URL with a port such as http://10.0.0.1:3128)",
                "{name: u, | {name: other, | users: \"other\" occurs twice (expected: names of their own)",
                "{name: other, user: | [other, | users[0]: a list (expected: a mapping with name and user)",
                "user: {USER} | user: text | users[u].user: \"text\" (expected: a mapping)",
                "context: {cluster: k, user: u} | x: y | contexts[c].context: missing (expected: cluster and user)",
            })
    void namesTheFieldThatIsWrong(String was, String is, String problem) throws Exception {
        String text = GOOD.replace(was, is).replace("[other, {tokenFile: nowhere}}", "[other]");
        assertThatThrownBy(() -> read(text))
                .isInstanceOf(SourceException.class)
                .hasMessage("kubeconfig " + folder.resolve("config") + ": " + problem);
    }

    @Test
    void refusesSeveralDocuments() {
        assertThatThrownBy(() -> read(GOOD + "---\n" + GOOD))
                .hasMessage("kubeconfig " + folder.resolve("config")
                        + ": 2 documents instead of one (expected: a kubeconfig file)");
    }

    private static Arguments field(String cluster, String user, Function<Config, Object> field, Object value) {
        return Arguments.of(cluster, user, field, value);
    }

    private Kubeconfig read(String cluster, String user) throws Exception {
        return read(GOOD.replace("CLUSTER", cluster).replace("USER", user));
    }

    private Kubeconfig read(String text) throws Exception {
        String filled = text.replace(", CLUSTER", "").replace("USER", "").replace("FOLDER", folder.toString());
        return Kubeconfig.read(Files.writeString(folder.resolve("config"), filled));
    }
}
