package dev.nodepath.bench.programming;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.bench.suite.Peers;
import dev.nodepath.bench.suite.SuiteSettings;
import dev.nodepath.bench.testbed.KubeProxyBinary;
import dev.nodepath.bench.testbed.Programs;
import dev.nodepath.bench.testbed.TestPrograms;
import dev.nodepath.report.Figure;
import dev.nodepath.report.SuiteResult;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("netns")
@Tag("timing")
@Timeout(900)
class StartSuiteTest {
    @TempDir
    private Path folder;

    @Test
    void measuresAClusterItsProcessesAndCommands() throws Exception {
        SuiteSettings settings = TestPrograms.oneRound("none");
        Programs script =
                new Programs(List.of(System.getProperty("nodepath.home") + "/scripts/nodepath"), Optional.empty());
        SuiteResult result = new SuiteRun("start", settings, List.of(new ClusterStarts(script, settings))).run();

        assertThat(result.notes()).noneMatch(note -> note.contains("failed"));
        assertThat(result.figures())
                .extracting(Figure::title)
                .containsExactly(
                        "A cluster of two nodes: from 'up' to its end: pods are ready, proxies have synced",
                        "A cluster of two nodes: processor time of the cluster's process",
                        "A cluster of two nodes: processor time of an agent",
                        "A command, processor time: --help",
                        "A command, processor time: kubectl get pods",
                        "A command, processor time: trace client-1 web:80",
                        "A cluster of two nodes: resident memory of the cluster's process",
                        "A cluster of two nodes: resident memory of an agent");
        assertThat(result.figures())
                .allMatch(figure -> figure.samples("nodepath").median() > 0);
    }

    @Test
    void measuresTheProcessOfKubeProxyBesideOurs() throws Exception {
        Path kubeProxy = TestPrograms.kubeProxyStandIn(folder);
        SuiteResult result = run(kubeProxy);

        assertThat(result.notes()).noneMatch(note -> note.contains("failed") || note.contains("Left out"));
        List<String> ofProcess = List.of(
                "from its start to rules in force",
                "processor time until then",
                "started again, to a Service in force that was added meanwhile",
                "an endpoint changed, to its first answer",
                "resident memory");
        assertThat(result.figures())
                .extracting(Figure::title)
                .containsExactlyElementsOf(Stream.of("iptables", "nftables", "userspace")
                        .flatMap(mode -> ofProcess.stream()
                                .map(what -> "A process in " + mode + " mode, 10 Services x 10: " + what))
                        .toList());
        assertThat(result.figures()).allSatisfy(figure -> {
            assertThat(figure.byContender().keySet())
                    .isEqualTo(
                            figure.group().contains("userspace")
                                    ? Set.of("nodepath")
                                    : Set.of("nodepath", "kube-proxy"));
            assertThat(figure.byContender().values()).allMatch(samples -> samples.median() > 0);
        });
    }

    @Test
    void saysThatKubeProxyFailedAndMeasuresOurs() throws Exception {
        SuiteResult result = run(TestPrograms.kubeProxy(folder, "echo 'flag provided but not defined' >&2; exit 1"));

        assertThat(result.notes())
                .contains(
                        "A process, 10 Services, kube-proxy: failed: kube-proxy: ended: flag provided but not defined")
                .anyMatch(note -> note.startsWith("Left out: kube-proxy-nftables: "));
        assertThat(result.figures())
                .isNotEmpty()
                .allSatisfy(figure -> assertThat(figure.byContender()).containsOnlyKeys("nodepath"));
    }

    private static SuiteResult run(Path kubeProxy) throws Exception {
        SuiteSettings settings =
                new SuiteSettings(1, true, Peers.parse("none"), Optional.of(kubeProxy), line -> {}, result -> {});
        Programs programs = new Programs(TestPrograms.nodepath(), Optional.of(new KubeProxyBinary(kubeProxy)));
        return new SuiteRun("start", settings, List.of(new ProxyProcesses(programs, settings, 10))).run();
    }
}
