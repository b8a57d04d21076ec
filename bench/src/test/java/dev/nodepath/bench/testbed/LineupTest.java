package dev.nodepath.bench.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.emulator.traffic.Greeting;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.NamespaceNames;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Every contender really carries the traffic that is measured as its own. */
@Tag("netns")
@Tag("timing")
@Timeout(900)
class LineupTest {
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final int REQUESTS = 20;

    @TempDir
    private Path folder;

    private final KernelLinuxNet net = new KernelLinuxNet();

    @Test
    void eachContenderCarriesItsTraffic() throws Exception {
        Programs programs = new Programs(
                TestPrograms.nodepath(), Optional.of(new KubeProxyBinary(TestPrograms.kubeProxyStandIn(folder))));
        try (Lineup lineup = new Lineup(net, "t-", List.of(Contender.values()), programs)) {
            assertThat(lineup.notes()).isEmpty();
            assertThat(lineup.live()).extracting(RunningContender::contender).containsExactly(Contender.values());
            for (RunningContender contender : lineup.live()) {
                long before = packets(contender);
                String source = ask(contender);
                udp(contender);
                switch (contender.contender()) {
                    case DIRECT -> {
                        assertThat(rules(contender)).doesNotContain("-A ");
                        assertThat(source).isEqualTo("10.244.0.2");
                    }
                    case IPTABLES, KUBE_PROXY -> {
                        // A rule of an endpoint translated each connection and flow, and no relay was involved.
                        assertThat(packets(contender) - before).isEqualTo(REQUESTS + 1);
                        assertThat(source).isEqualTo("10.244.0.2");
                    }
                    case NFTABLES, KUBE_PROXY_NFTABLES -> {
                        // Its table translated them: no rule of iptables did, and no relay was involved.
                        assertThat(rules(contender)).doesNotContain("-A ");
                        assertThat(table(contender, "kube-proxy")).contains("10.96.0.10 . tcp . 80", "dnat ip to ");
                        assertThat(source).isEqualTo("10.244.0.2");
                    }
                    case USERSPACE, KUBE_PROXY_USERSPACE -> {
                        // Each was led to the relay by the table, and came from the node.
                        assertThat(packets(contender)).isZero();
                        assertThat(table(contender, "nodepath-portals")).contains("10.96.0.10 . tcp . 80");
                        assertThat(source).isEqualTo(ContenderNode.NODE);
                    }
                    case HAPROXY_DNAT -> {
                        // The one rule led each to HAProxy, and each came from the node.
                        assertThat(packets(contender) - before).isEqualTo(REQUESTS);
                        assertThat(source).isEqualTo(ContenderNode.NODE);
                    }
                    case HAPROXY, NGINX -> {
                        assertThat(rules(contender)).doesNotContain("-A ");
                        assertThat(source).isEqualTo(ContenderNode.NODE);
                    }
                    default -> throw new AssertionError(contender);
                }
                assertThat(contender.usage().map(ProcessUsage::residentBytes).orElse(0L) > 0)
                        .isEqualTo(contender.contender() != Contender.DIRECT);
            }
        }
        assertThat(NamespaceNames.all()).noneMatch(name -> name.contains("t-"));
    }

    @Test
    void whoDoesNotServeIsLeftOutWithWhatItSaid() throws Exception {
        Path broken = TestPrograms.kubeProxy(folder, "echo 'flag provided but not defined' >&2; exit 1");
        Programs programs = new Programs(TestPrograms.nodepath(), Optional.of(new KubeProxyBinary(broken)));
        try (Lineup lineup = new Lineup(net, "b-", List.of(Contender.DIRECT, Contender.KUBE_PROXY), programs)) {
            assertThat(lineup.live()).extracting(RunningContender::contender).containsExactly(Contender.DIRECT);
            assertThat(lineup.notes())
                    .containsExactly(
                            "Not measured, because it did not start: kube-proxy: ended: flag provided but not defined.");
        }
        assertThat(NamespaceNames.all()).noneMatch(name -> name.contains("b-"));
    }

    private static String ask(RunningContender contender) throws Exception {
        ContenderAddress way = contender.way();
        return contender.lane().client().call(() -> {
            String source = "";
            for (int i = 0; i < REQUESTS; i++) {
                Greeting greeting = Greeting.ask(way.to(way.http()), LIMIT);
                assertThat(greeting.outcome()).as(contender + ": " + greeting).isEqualTo(Greeting.Outcome.ANSWERED);
                assertThat(greeting.pod()).isEqualTo(ContenderNode.SERVER);
                source = greeting.source();
            }
            return source;
        });
    }

    private static void udp(RunningContender contender) throws Exception {
        ContenderAddress way = contender.way();
        if (way.echo().isPresent()) {
            assertThat(contender
                            .lane()
                            .client()
                            .call(() -> UdpLoad.firstEcho(way.to(way.echo().getAsInt()), LIMIT)))
                    .isPositive();
        }
    }

    private static String rules(RunningContender contender) throws Exception {
        return Command.output(contender.lane().onNode(List.of("iptables-save", "-c", "-t", "nat")), LIMIT);
    }

    private static String table(RunningContender contender, String name) throws Exception {
        return Command.output(contender.lane().onNode(List.of("nft", "list", "table", "ip", name)), LIMIT);
    }

    /** How many first packets were led to an endpoint, or to the relay. */
    private static long packets(RunningContender contender) throws Exception {
        return rules(contender)
                .lines()
                .filter(line -> line.contains("-j DNAT") || line.contains("-j REDIRECT"))
                .mapToLong(line -> Long.parseLong(line.substring(1, line.indexOf(':'))))
                .sum();
    }
}
