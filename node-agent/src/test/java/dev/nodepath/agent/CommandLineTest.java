package dev.nodepath.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class CommandLineTest {
    private static final String WEB = """
            apiVersion: v1
            kind: Service
            metadata: {name: web}
            spec: {clusterIP: 10.96.0.10, ports: [{name: http, port: 80}]}
            ---
            apiVersion: discovery.k8s.io/v1
            kind: EndpointSlice
            metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}
            addressType: IPv4
            ports: [{name: http, port: 8080}]
            endpoints: [{addresses: [10.244.1.2], nodeName: n1}]
            """;

    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void rendersTheRulesOfManifests() throws IOException {
        Path file = Files.writeString(folder.resolve("web.yaml"), WEB);

        assertThat(run("render", "--manifests", file.toString(), "--cluster-cidr=10.244.0.0/16"))
                .isZero();
        assertThat(out.toString())
                .contains("-d 10.96.0.10", "--to-destination 10.244.1.2:8080", "! -s 10.244.0.0/16", "COMMIT");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void rendersNoIpv4ServiceForIpv6() throws IOException {
        Path file = Files.writeString(folder.resolve("web.yaml"), WEB);

        assertThat(run("render", "--manifests", file.toString(), "--family=ipv6"))
                .isZero();
        assertThat(out.toString()).contains("KUBE-SERVICES").doesNotContain("10.96.0.10");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | no command given (expected: nodepath COMMAND)",
                "frobnicate | frobnicate",
                "render | --manifests",
                "render --manifests . --family=ipv5 | ipv5",
                "render --manifests . --mode=userspace | --mode: userspace (expected: iptables)",
                "render --manifests . --cluster-cidr=10.0.0.0/99 | 10.0.0.0/99",
                "render --manifests . --iptables-masquerade-bit=32 | masqueradeBit: 32 (expected: 0 to 31)",
                "render --manifests . --iptables-masquerade-bit=x | 'x' is not an int",
                "render --manifests . --no-such-flag | --no-such-flag",
                "proxy --manifests . | --mode",
                "proxy --mode=ipvs --manifests . | ipvs",
                "proxy --mode=iptables --manifests . --iptables-min-sync-period=soon"
                        + " | --iptables-min-sync-period: \"soon\" (expected: a duration such as 1s, 250ms or 1m30s)"
            })
    void saysInOneLineWhatIsWrongWithTheUsage(String arguments, String message) {
        assertThat(run(arguments.isEmpty() ? new String[0] : arguments.split(" ", -1)))
                .isEqualTo(2);
        assertThat(err.toString()).startsWith("nodepath: ").contains(message).hasLineCount(1);
        assertThat(out.toString()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"render", "render --family=ipv6"})
    void namesABrokenManifest(String command) throws IOException {
        Path file = Files.writeString(folder.resolve("web.yaml"), WEB.replace("port: 80}", "port: 70000}"));

        assertThat(run((command + " --manifests " + file).split(" ", -1))).isEqualTo(1);
        assertThat(err.toString())
                .contains("web.yaml: Service default/web: spec.ports[0].port: 70000 (expected: 1 to 65535)")
                .hasLineCount(1);
    }

    @Test
    void namesAManifestThatIsNotThere() {
        assertThat(run("render", "--manifests", "/nowhere.yaml")).isEqualTo(2);
        assertThat(err.toString()).contains("/nowhere.yaml").hasLineCount(1);
    }

    @ParameterizedTest
    @CsvSource({"1s, 1000", "250ms, 250", "1m30s, 90000", "2h, 7200000", "0s, 0", "1m, 60000"})
    void readsDurationsAsKubeProxyWritesThem(String text, long millis) throws CommandException {
        assertThat(ProxyOptions.duration("--x", text)).isEqualTo(Duration.ofMillis(millis));
    }

    private int run(String... arguments) {
        CommandLine commandLine = Nodepath.commandLine();
        commandLine.setOut(new PrintWriter(out, true));
        commandLine.setErr(new PrintWriter(err, true));
        return commandLine.execute(arguments);
    }
}
