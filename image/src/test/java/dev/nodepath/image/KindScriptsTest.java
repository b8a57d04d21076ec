package dev.nodepath.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code scripts/kind/up} and {@code down} with programs that only record their calls. */
class KindScriptsTest {
    private static final String RECORD = """
            #!/bin/sh
            echo "${0##*/} $*" >>"$CALLS"
            """;

    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init")
    private Path bin;

    /** The state of the stand-in cluster: pieces of shell, and output of programs. */
    private String request = "echo echo-1; echo echo-2";

    private String kernel = ":";
    private String release = "6.1.0-50-cloud-amd64";
    private String clusters = "";
    private String podCidrs = "10.244.0.0/24";
    private String clusterIps = "10.96.0.10";
    private String resolved = "10.96.0.10";

    private record Run(int exitCode, String output, List<String> calls) {}

    /** The scripts, with an image builder that builds nothing. */
    @BeforeEach
    void copyScripts() throws IOException {
        bin = Files.createDirectories(folder.resolve("bin"));
        Path kind = Files.createDirectories(folder.resolve("scripts/kind"));
        for (String name : List.of(
                "up", "down", "common", "nodepath.yaml", "sample.yaml", "cluster.yaml", "cluster-dual-stack.yaml")) {
            Files.copy(Home.KIND.resolve(name), kind.resolve(name));
        }
        program(folder.resolve("scripts/build-image"), RECORD);
        for (String tool :
                List.of("dirname", "readlink", "sed", "grep", "sort", "uniq", "wc", "tr", "seq", "cat", "tail")) {
            program(bin.resolve(tool), "#!/bin/sh\nexec /usr/bin/" + tool + " \"$@\"\n");
        }
    }

    @Test
    void nameEveryProgramThatIsMissing() throws Exception {
        assertThat(run("up").output()).startsWith("up: not found: kind kubectl docker (expected: kind from");
        assertThat(run("up").exitCode()).isEqualTo(1);
        program(bin.resolve("kubectl"), RECORD);
        assertThat(run("down").output()).startsWith("down: not found: kind docker (expected:");
    }

    @Test
    void sayThatDockerDoesNotAnswer() throws Exception {
        programs();
        program(bin.resolve("docker"), "#!/bin/sh\nexit 1\n");
        assertThat(run("up").output()).startsWith("up: docker: the daemon does not answer (expected:");
    }

    @Test
    void refuseWhatTheyDoNotKnow() throws Exception {
        assertThat(run("up", "--mode", "ipvs"))
                .satisfies(run -> assertThat(run.output()).startsWith("usage: up "))
                .satisfies(run -> assertThat(run.exitCode()).isEqualTo(2));
        assertThat(run("up", "--image").exitCode()).isEqualTo(2);
        assertThat(run("down", "now").exitCode()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({
        "iptables, nftables, userspace, iptables",
        "nftables, iptables, userspace, nftables",
        "userspace, iptables, nftables, userspace"
    })
    void upChecksEachModeAndEndsInTheOneAskedFor(String mode, String first, String second, String last)
            throws Exception {
        programs();
        Run run = run("up", "--mode", mode, "--name", "trial");
        assertThat(run.exitCode()).as(run.output()).isZero();
        assertThat(run.calls())
                .containsSubsequence(
                        "build-image ",
                        "kind create cluster --name trial --config " + folder + "/scripts/kind/cluster.yaml",
                        "kind load image-archive " + folder
                                + "/scripts/kind/../../target/image/nodepath.tar --name trial",
                        "applied: trial-control-plane, mode: " + first,
                        "kubectl --context kind-trial -n kube-system rollout status deployment coredns --timeout=120s",
                        "kubectl --context kind-trial exec pod/echo-1 -- perl /app/resolve echo",
                        "kubectl --context kind-trial exec pod/echo-1 -- perl /app/ask 10.96.0.10 80 60",
                        "applied: trial-control-plane, mode: " + second,
                        "kubectl --context kind-trial -n kube-system rollout restart daemonset nodepath",
                        "kubectl --context kind-trial -n kube-system rollout status deployment coredns --timeout=120s",
                        "kubectl --context kind-trial exec pod/echo-2 -- perl /app/resolve echo",
                        "kubectl --context kind-trial exec pod/echo-2 -- perl /app/ask 10.96.0.10 80 60",
                        "applied: trial-control-plane, mode: " + last,
                        "kubectl --context kind-trial exec pod/echo-2 -- perl /app/ask 10.96.0.10 80 60");
        assertThat(run.calls()).filteredOn(call -> call.startsWith("applied")).hasSize(3);
        for (String checked : List.of(first, second, last)) {
            assertThat(run.output())
                    .contains("up: " + checked + ", NodePort of trial-worker, 172.18.0.3: 1 echo-1,1 echo-2");
        }
        assertThat(run.output()).doesNotContain("the agent says why");
    }

    @Test
    void upLeavesModesWithTablesOutOnAnOldKernel() throws Exception {
        release = "5.10.0-36-amd64";
        programs();
        Run run = run("up");
        assertThat(run.exitCode()).as(run.output()).isZero();
        assertThat(run.output())
                .contains("up: nftables and userspace mode are not checked: Linux 5.10.0-36-amd64 (expected: 5.13");
        assertThat(run.calls()).filteredOn(call -> call.startsWith("applied")).hasSize(1);
        for (String mode : List.of("nftables", "userspace")) {
            Run asked = run("up", "--mode", mode);
            assertThat(asked.exitCode()).isEqualTo(1);
            assertThat(asked.output())
                    .contains("up: --mode " + mode
                            + ": Linux 5.10.0-36-amd64 (expected: 5.13 or later, or --mode iptables)");
        }
    }

    /** For users without a registry, or with another Kubernetes. */
    @Test
    void upTakesAnImageOfNodes() throws Exception {
        programs();
        Run run = run("up", "--image", "kindest/node:v1.36.1");
        assertThat(run.exitCode()).as(run.output()).isZero();
        assertThat(run.calls())
                .contains("kind create cluster --name nodepath --config " + folder
                        + "/scripts/kind/cluster.yaml --image kindest/node:v1.36.1");
    }

    @Test
    void upSaysThatAnImageOfNodesComesTooLate() throws Exception {
        clusters = "nodepath";
        programs();
        Run run = run("up", "--image", "kindest/node:v1.36.1");
        assertThat(run.exitCode()).as(run.output()).isZero();
        assertThat(run.output()).contains("up: --image: cluster nodepath is there, so its nodes stay what they are\n");
        assertThat(run.calls()).noneMatch(call -> call.startsWith("kind create"));
    }

    @Test
    void upFailsWhereAPodDoesNotAnswer() throws Exception {
        request = "echo echo-1";
        programs();
        Run run = run("up");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.output())
                .contains("up: nftables, pod/echo-1 to ClusterIP 10.96.0.10: not all of 2 pods answered: 1 echo-1");
    }

    @Test
    void upShowsWhatTheClusterSaysWhereARequestFails() throws Exception {
        request += "; exit 1";
        programs();
        Run run = run("up");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.output())
                .contains(
                        "up: nftables, pod/echo-1 to ClusterIP 10.96.0.10: a request failed",
                        "the agent says why",
                        "so does an Event");
    }

    @Test
    void upFailsWhereAPodDoesNotFindAName() throws Exception {
        resolved = "192.0.2.1";
        programs();
        Run run = run("up");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.output()).contains("up: nftables, pod/echo-1: the name echo: 192.0.2.1 (expected: 10.96.0.10)");
    }

    @Test
    void upChecksBothFamilies() throws Exception {
        clusterIps = "10.96.0.10 fd00:10:96::a";
        resolved = "fd00:10:96::a 10.96.0.10";
        programs();
        Run run = run("up", "--dual-stack");
        assertThat(run.exitCode()).as(run.output()).isZero();
        assertThat(run.calls())
                .contains(
                        "kind create cluster --name nodepath --config " + folder
                                + "/scripts/kind/cluster-dual-stack.yaml",
                        "kubectl --context kind-nodepath exec pod/echo-1 -- perl /app/ask 10.96.0.10 80 60",
                        "kubectl --context kind-nodepath exec pod/echo-1 -- perl /app/ask fd00:10:96::a 80 60")
                .anyMatch(call -> call.contains("'http://[fc00::3]:30080/'"))
                .anyMatch(call -> call.contains("'http://172.18.0.3:30080/'"));
    }

    @Test
    void upFailsWhereAServiceHasOneFamilyAlone() throws Exception {
        programs();
        Run run = run("up", "--dual-stack");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.output()).contains("up: Service echo: clusterIPs: 10.96.0.10 (expected: one of each family)");
    }

    @Test
    void upRefusesToMakeAClusterThatIsThereDualStack() throws Exception {
        clusters = "trial";
        programs();
        Run run = run("up", "--dual-stack", "--name", "trial");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.output()).startsWith("up: --dual-stack: cluster trial is there and has no IPv6 (expected: ");
        assertThat(run.calls()).noneMatch(call -> call.startsWith("build-image"));
    }

    @Test
    void upSaysWhichModuleIsMissing() throws Exception {
        kernel = "exit 1";
        programs();
        Run run = run("up");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.output()).startsWith("up: br_netfilter: not loaded, and not loadable from a node (expected: ");
        assertThat(run.calls()).noneMatch(call -> call.startsWith("applied"));
    }

    /** kind, kubectl and docker of a cluster with two sample pods. */
    private void programs() throws IOException {
        program(bin.resolve("kind"), RECORD + """
                case "$1 $2" in
                "get nodes") echo trial-worker ;;
                "get clusters") echo "%s" ;;
                esac
                """.formatted(clusters));
        program(bin.resolve("docker"), RECORD + """
                case "$*" in
                inspect*GlobalIPv6Address*) echo "[fc00::3]" ;;
                inspect*) echo 172.18.0.3 ;;
                *br_netfilter*) %s ;;
                *"uname -r") echo %s ;;
                exec*) %s ;;
                esac
                """.formatted(kernel, release, request));
        program(bin.resolve("kubectl"), RECORD + """
                case "$*" in
                *"get daemonset nodepath"*) [ ! -e "$CALLS.applied" ] || echo daemonset/nodepath ;;
                *"apply -f -") echo "applied: $(cat | sed -nE 's/.*api-server-host: (.*)/\\1/p; s/^    (mode: .*)/\\1/p' |
                    tr '\\n' ',' | sed 's/,$//; s/,/, /')" >>"$CALLS"; : >"$CALLS.applied" ;;
                *podCIDRs*) echo "%s" ;;
                *clusterIPs*) echo "%s" ;;
                *nodePort*) echo 30080 ;;
                *"get pods -l app=echo"*) echo pod/echo-1; echo pod/echo-2 ;;
                *" perl /app/resolve echo") printf '%%s\\n' %s ;;
                *" exec "*) %s ;;
                *" logs "*) echo "the agent says why" ;;
                *"get events"*) echo "so does an Event" ;;
                esac
                """.formatted(podCidrs, clusterIps, resolved, request));
    }

    private static void program(Path file, String text) throws IOException {
        Files.writeString(file, text);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private Run run(String script, String... arguments) throws Exception {
        Path calls = folder.resolve("calls");
        Files.deleteIfExists(calls);
        List<String> command = new ArrayList<>(
                List.of(folder.resolve("scripts/kind").resolve(script).toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("PATH", bin.toString());
        builder.environment().put("CALLS", calls.toString());
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), output, Files.exists(calls) ? Files.readAllLines(calls) : List.of());
    }
}
