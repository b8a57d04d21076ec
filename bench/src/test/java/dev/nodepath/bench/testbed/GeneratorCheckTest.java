package dev.nodepath.bench.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.emulator.traffic.BulkLoad;
import dev.nodepath.emulator.traffic.HttpLoad;
import dev.nodepath.emulator.traffic.PodServer;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.namespace.NetworkNamespace;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Our own load beside wrk and iperf3, on the direct way. Prints the figures; docs/bench.md says how it is run. */
@Tag("figures")
@Timeout(900)
class GeneratorCheckTest {
    private static final int ROUNDS = 5;
    private static final int SECONDS = 1;
    private static final Duration LENGTH = Duration.ofSeconds(SECONDS);
    private static final int SINK = 9100;

    @Test
    void besideWrkAndIperf() throws Exception {
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        KernelLinuxNet net = new KernelLinuxNet();
        try (Lineup lineup = new Lineup(net, "g-", List.of(Contender.DIRECT), TestPrograms.programs());
                NetworkNamespace server = net.openNamed("server-g-direct");
                PodServer sink = new PodServer(
                        "sink", PodServer.READINESS_PATH, server, loops, PodServer.limitOfAll(), () -> {})) {
            sink.listenBulk(SINK);
            for (int i = 0; i < ROUNDS; i++) {
                compare(lineup.live().get(0));
            }
        } finally {
            loops.shutdownGracefully().sync();
        }
    }

    private static void compare(RunningContender direct) throws Exception {
        InetSocketAddress http = ContenderAddress.at(ContenderNode.SERVER, ContenderNode.HTTP);
        NetworkNamespace client = direct.lane().client();
        for (boolean keepAlive : new boolean[] {true, false}) {
            WrkResult wrk = Tools.requests(direct, SECONDS, keepAlive);
            HttpLoad.Result ours = client.call(() -> new HttpLoad(List.of(http), 32, keepAlive).run(LENGTH));
            print(keepAlive ? "kept alive, 1/s" : "new connections, 1/s", "wrk", wrk.perSecond(), ours.perSecond());
            print("  p99, ms", "wrk", wrk.p99Millis(), ours.latencyMicros(99) / 1e3);
            assertThat(ours.errors()).as(ours.firstError()).isZero();
            if (keepAlive) {
                double half = wrk.perSecond() / 2;
                OpenLoop.Result open = client.call(() -> new OpenLoop(http, 32, half).run(LENGTH));
                System.out.printf(
                        Locale.ROOT,
                        "open loop at %.0f/s: p50 %.3f ms, p99 %.3f ms, p99.99 %.3f ms, errors %d%n",
                        half,
                        open.latencies().millis(50),
                        open.latencies().millis(99),
                        open.latencies().millis(99.99),
                        open.errors());
            }
        }
        IperfResult iperf = Tools.bulk(direct, SECONDS, 1);
        BulkLoad.Result bulk = client.call(() -> BulkLoad.run(ContenderAddress.at(ContenderNode.SERVER, SINK), LENGTH));
        print("bulk, Gb/s", "iperf3", iperf.gigabitsPerSecond(), bulk.gigabitsPerSecond());
    }

    private static void print(String what, String tool, double theirs, double ours) {
        System.out.printf(
                Locale.ROOT, "%-22s %s %.3f, ours %.3f, ratio %.2f%n", what, tool, theirs, ours, ours / theirs);
    }
}
