package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** {@code render} and {@code trace} on a file with Pods and without EndpointSlices. */
class DerivedSlicesTest {
    private static final String OBJECTS = """
            {apiVersion: v1, kind: Service, metadata: {name: web},
             spec: {clusterIP: 10.96.0.20, selector: {app: web}, ports: [{port: 80, targetPort: http}]}}
            ---
            {apiVersion: v1, kind: Pod, metadata: {name: web-1, labels: {app: web}},
             spec: {nodeName: n1, containers: [{name: c, ports: [{name: http, containerPort: 8080}]}]},
             status: {podIP: 10.244.1.2}}
            ---
            {apiVersion: v1, kind: Pod, metadata: {name: web-2, namespace: default, labels: {app: web}},
             spec: {nodeName: n2, containers: [{name: c, ports: [{name: http, containerPort: 9090}]}]},
             status: {podIPs: [{ip: 10.244.2.2}]}}
            ---
            {apiVersion: v1, kind: Pod, metadata: {name: sick, labels: {app: web}},
             spec: {nodeName: n2, containers: [{name: c, ports: [{name: http, containerPort: 8080}]}]},
             status: {podIP: 10.244.2.3, conditions: [{type: Ready, status: "False"}]}}
            ---
            {apiVersion: v1, kind: Pod, metadata: {name: other, namespace: shop, labels: {app: web}},
             status: {podIP: 10.244.2.4}}
            """;

    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @ParameterizedTest
    @CsvSource({"iptables", "nftables"})
    void makesEndpointsOfReadyPodsAsAClusterDoes(String mode) throws IOException {
        assertThat(run(OBJECTS, "trace", "--mode=" + mode, "--from=10.244.1.4", "--to=10.96.0.20:80"))
                .isZero();
        assertThat(out.toString())
                .contains("50.0%  goes to 10.244.1.2:8080", "50.0%  goes to 10.244.2.2:9090")
                .doesNotContain("10.244.2.3", "10.244.2.4");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void namesThePodThatHasNoAddress() throws IOException {
        String objects = OBJECTS + """
                ---
                {apiVersion: v1, kind: Pod, metadata: {name: new, labels: {app: web}}}
                ---
                {apiVersion: v1, kind: Pod, metadata: {name: client}}
                """;
        assertThat(run(objects, "render")).isZero();
        assertThat(out.toString()).contains("--to-destination 10.244.1.2:8080");
        assertThat(err.toString())
                .isEqualTo(
                        "nodepath: Pod default/new: status.podIP: missing (expected: an address, as a running Pod has"
                                + " one); it is no endpoint here\n");
    }

    @Test
    void leavesWrittenSlicesAlone() throws IOException {
        String objects = OBJECTS + """
                ---
                {apiVersion: discovery.k8s.io/v1, kind: EndpointSlice,
                 metadata: {name: web-1, labels: {kubernetes.io/service-name: web}},
                 addressType: IPv4, ports: [{name: "", port: 7070}], endpoints: [{addresses: [10.244.9.9]}]}
                """;
        assertThat(run(objects, "render")).isZero();
        assertThat(out.toString()).contains("--to-destination 10.244.9.9:7070").doesNotContain("10.244.1.2");
    }

    private int run(String objects, String command, String... options) throws IOException {
        Path file = Files.writeString(folder.resolve("objects.yaml"), objects);
        List<String> words =
                new ArrayList<>(List.of(command, "--manifests", file.toString(), "--hostname-override=n1"));
        words.addAll(List.of(options));
        CommandLine commandLine = Nodepath.commandLine();
        commandLine.setOut(new PrintWriter(out, true));
        commandLine.setErr(new PrintWriter(err, true));
        return commandLine.execute(words.toArray(String[]::new));
    }
}
