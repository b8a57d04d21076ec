package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.source.kubernetes.TestApiServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** A kubeconfig that leads to no API server: one line that names file and field or call, and exit code 1. */
class ApiServerErrorTest {
    private static final String FORBIDDEN = """
            {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","reason":"Forbidden","code":403,\
            "message":"endpointslices.discovery.k8s.io is forbidden: User \\"node\\" cannot list it"}""";

    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | ",
                "'kind: [' | ",
                "'- a' | ",
                "'kind: Config' | : current-context: ",
                "'current-context: c; contexts: [{name: c}]' | : contexts[c].context: missing (expected: cluster and user)",
                "'current-context: c; contexts: [{name: c, context: {cluster: k}}]' | : contexts[c].context.cluster: ",
                "'current-context: c; contexts: [{name: c, context: {cluster: k}}]; clusters: [{name: k, cluster: {}}]'"
                        + " | : clusters[k].cluster.server: ",
                "'current-context: c; contexts: [{name: c, context: {cluster: k}}];"
                        + " clusters: [{name: k, cluster: {server: nowhere}}]'"
                        + " | : clusters[k].cluster.server: \"nowhere\" (expected: a URL",
                "'current-context: c; contexts: [{name: c, context: {cluster: k}}];"
                        + " clusters: [{name: k, cluster: {server: \"http://x\", certificate-authority: /no/ca}}]'"
                        + " | : clusters[k].cluster.certificate-authority: /no/ca: not readable (expected: a file)",
            })
    void namesFileAndFieldOfAMalformedKubeconfig(String text, String field) throws IOException {
        Path file = Files.writeString(folder.resolve("kubeconfig"), text.replace("; ", "\n"));

        assertThat(run(file)).isEqualTo(1);
        assertThat(err.toString())
                .startsWith("nodepath: kubeconfig " + file + (field == null ? ": " : field))
                .contains("(expected: ")
                .hasLineCount(1);
    }

    /** Needs the right to list iptables, which is checked earlier; so do the tests below. */
    @Test
    @Tag("netns")
    void namesTheCallThatNobodyAnswers() throws IOException {
        Path file = kubeconfig("http://127.0.0.1:1");

        assertThat(run(file)).isEqualTo(1);
        assertThat(err.toString())
                .isEqualTo("nodepath: kubeconfig " + file + ": GET http://127.0.0.1:1/apis/discovery.k8s.io/v1:"
                        + " cannot connect (expected: an answer from a Kubernetes API server)\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                TestApiServer.SERVICES + "|{apiGroups: [\"\"], resources: [services], verbs: [list, watch]}",
                TestApiServer.SLICES
                        + "|{apiGroups: [\"discovery.k8s.io\"], resources: [endpointslices], verbs: [list, watch]}",
                TestApiServer.NODES + "|{apiGroups: [\"\"], resources: [nodes], verbs: [list, watch]}"
            })
    @Tag("netns")
    void namesTheListThatIsForbidden(String path, String rule) throws IOException {
        try (TestApiServer server = new TestApiServer()) {
            server.fail(path, false, 1, 403, FORBIDDEN, "");
            Path file = kubeconfig(server.url());

            assertThat(run(file)).isEqualTo(1);
            assertThat(err.toString())
                    .isEqualTo("nodepath: kubeconfig " + file + ": GET " + server.url() + path
                            + ": 403 Forbidden: endpointslices.discovery.k8s.io is forbidden: User \"node\" cannot list it"
                            + " (expected: the right to list and watch it, RBAC rule " + rule + ")\n");
        }
    }

    private Path kubeconfig(String server) throws IOException {
        return Files.writeString(folder.resolve("kubeconfig"), """
                current-context: c
                contexts: [{name: c, context: {cluster: k, user: u}}]
                clusters: [{name: k, cluster: {server: "%s"}}]
                users: [{name: u, user: {token: t}}]
                """.formatted(server));
    }

    private int run(Path kubeconfig) {
        CommandLine commandLine = Nodepath.commandLine();
        commandLine.setOut(new PrintWriter(out, true));
        commandLine.setErr(new PrintWriter(err, true));
        return commandLine.execute("proxy", "--mode=iptables", "--kubeconfig=" + kubeconfig, "--oom-score-adj=0");
    }
}
