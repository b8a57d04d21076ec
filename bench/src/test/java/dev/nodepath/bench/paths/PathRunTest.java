package dev.nodepath.bench.paths;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.bench.testbed.Contender;
import dev.nodepath.bench.testbed.TestPrograms;
import dev.nodepath.report.Figure;
import dev.nodepath.report.SuiteResult;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("netns")
@Tag("timing")
@Timeout(900)
class PathRunTest {
    private static final MeasurementLengths SHORT =
            new MeasurementLengths(1, Duration.ofSeconds(1), Duration.ofMillis(200), 1, 100);

    @Test
    void measuresEveryThingOfEveryContender() throws Exception {
        SuiteResult result = new PathRun(
                        "userspace-reno",
                        Contender.USERSPACE,
                        Optional.of("reno"),
                        List.of(Contender.values()),
                        TestPrograms.programs(),
                        SHORT,
                        TestPrograms.oneRound("haproxy"))
                .run();
        assertThat(result.notes()).noneMatch(note -> note.contains("failed") || note.contains("Left out"));
        assertThat(result.notes()).contains("Congestion control of all contenders: reno.");
        Map<String, Set<String>> measured = result.figures().stream()
                .collect(Collectors.toMap(
                        Figure::title, figure -> Set.copyOf(figure.byContender().keySet())));
        Set<String> all = Set.of("direct", "userspace", "iptables", "nftables", "haproxy", "haproxy-dnat");
        Set<String> processes = Set.of("userspace", "iptables", "nftables", "haproxy", "haproxy-dnat");
        assertThat(measured)
                .containsEntry("HTTP, 32 connections kept alive: requests", all)
                .containsEntry("HTTP, a new connection for each request, 32 at once: latency p99", all)
                .containsEntry("HTTP at a fixed rate, 32 connections: latency p99.99", all)
                .containsEntry("Bulk, 1 stream: throughput", all)
                .containsEntry("Bulk, 4 streams: CPU of the proxy's processes for a GB", processes)
                .containsEntry(
                        "UDP, 64-byte datagrams echoed, 32 under way: echoes",
                        Set.of("direct", "userspace", "iptables", "nftables"))
                .containsEntry("The proxy's process: resident memory after the load", processes)
                .containsEntry("The proxy's process: memory of an idle connection", Set.of("userspace", "haproxy"))
                .containsEntry(
                        "Readiness: an endpoint turned unready: last new connection sent there after the event",
                        Set.of("userspace", "iptables", "nftables"));
        assertThat(result.figures())
                .allSatisfy(figure -> assertThat(figure.byContender().values())
                        .allSatisfy(samples ->
                                assertThat(samples.median()).as(figure.title()).isNotNegative()));
        assertThat(result.figures().stream().filter(figure -> !figure.lowerIsBetter()))
                .allSatisfy(figure -> assertThat(figure.byContender().values())
                        .allSatisfy(samples ->
                                assertThat(samples.median()).as(figure.title()).isPositive()));
        assertThat(result.curves())
                .singleElement()
                .satisfies(curve -> assertThat(curve.byContender()).containsOnlyKeys(all));
    }
}
