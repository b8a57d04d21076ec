package dev.nodepath.agent.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.source.kubernetes.TestApiServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Prints the costs of an agent; docs/bench.md tells how to run it. */
@Tag("figures")
@Timeout(900)
class AgentFiguresTest extends AgentNodeFixture {
    private static final int IDLE_SECONDS = 15;
    private static final int TICKS_PER_SECOND = 100;

    @ParameterizedTest
    @CsvSource({"iptables,100,1", "iptables,2000,10", "userspace,100,1", "userspace,2000,10"})
    void startMemoryAndIdleProcessorTime(String mode, int services, int endpoints) throws Exception {
        for (int i = 0; i < services; i++) {
            node.api().put(TestApiServer.SERVICES, service(i));
            node.api().put(TestApiServer.SLICES, slice(i, endpoints));
        }
        long start = System.nanoTime();
        NodepathProcess agent = node.agent("agent", "--proxy-mode=" + mode);
        agent.await(() -> Files.exists(node.conflist()));
        long conflist = System.nanoTime() - start;
        agent.awaitLog("proxy.synced");
        long synced = System.nanoTime() - start;
        int syncs = NodepathProcess.syncs(node.namespace());
        agent.await(() -> NodepathProcess.syncs(node.namespace()) > syncs);
        long ticks = ticks(agent.pid());
        long from = System.nanoTime();
        agent.await(() -> System.nanoTime() - from > TimeUnit.SECONDS.toNanos(IDLE_SECONDS));
        double millicores = (ticks(agent.pid()) - ticks) * 1000.0 / TICKS_PER_SECOND / IDLE_SECONDS;
        System.out.printf(
                "%s, %d x %d: conflist %d ms, first sync %d ms, resident %d MB, idle %.1f millicores%n",
                mode,
                services,
                endpoints,
                TimeUnit.NANOSECONDS.toMillis(conflist),
                TimeUnit.NANOSECONDS.toMillis(synced),
                resident(agent.pid()) / 1024,
                millicores);
    }

    /** Well under the default grace of a pod (30 s), with the JVM's end and without connections to drain. */
    @Test
    void userspaceModeHandsOver() throws Exception {
        for (int i = 0; i < 2000; i++) {
            node.api().put(TestApiServer.SERVICES, service(i));
            node.api().put(TestApiServer.SLICES, slice(i, 10));
        }
        NodepathProcess agent = node.agent("agent", "--proxy-mode=userspace");
        agent.awaitLog(" services=2001 ");
        long start = System.nanoTime();
        assertThat(agent.terminate()).isEqualTo(143);
        long ended = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        String handover = agent.log()
                .lines()
                .filter(line -> line.contains("proxy.handed_over"))
                .findFirst()
                .orElse("none");
        System.out.printf("userspace, 2000 x 10, told to end: ended after %d ms, %s%n", ended, handover);
        assertThat(handover).contains("services=2001");
        assertThat(ended).isLessThan(15_000);
    }

    @Test
    void userspaceModeAfterAKill() throws Exception {
        try (ServerSocket server = node.inside().call(() -> new ServerSocket(8080))) {
            NodepathProcess first = node.agent("first", "--proxy-mode=userspace");
            first.awaitLog("proxy.synced");
            assertThat(accepts()).isTrue();
            first.kill();
            long start = System.nanoTime();
            NodepathProcess second = node.agent("second", "--proxy-mode=userspace");
            second.await(this::accepts);
            System.out.printf(
                    "userspace: new connections %d ms after the kill and the start that follows it, backlog %s%n",
                    TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start), server.getLocalPort());
        }
    }

    private boolean accepts() throws IOException {
        return node.inside().call(() -> {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress("10.96.0.10", 80), 500);
                return true;
            } catch (IOException e) {
                return false;
            }
        });
    }

    private static String service(int i) {
        return """
                {"metadata":{"namespace":"default","name":"s%d"},"spec":{"clusterIP":"10.97.%d.%d",\
                "type":"ClusterIP","ports":[{"name":"tcp","port":80,"protocol":"TCP"}]}}""".formatted(i, i / 250, i % 250 + 1);
    }

    private static String slice(int i, int endpoints) {
        String addresses = IntStream.range(0, endpoints)
                .map(endpoint -> i * endpoints + endpoint)
                .mapToObj(n -> "{\"addresses\":[\"10.%d.%d.%d\"],\"conditions\":{\"ready\":true},\"nodeName\":\"n2\"}"
                        .formatted(128 + n / 62500, n / 250 % 250, n % 250 + 1))
                .collect(Collectors.joining(","));
        return """
                {"metadata":{"namespace":"default","name":"s%d-1","labels":{"kubernetes.io/service-name":"s%1$d"}},\
                "addressType":"IPv4","endpoints":[%s],"ports":[{"name":"tcp","port":8080,"protocol":"TCP"}]}""".formatted(i, addresses);
    }

    /** Processor time of a process ({@code proc_pid_stat(5)}, utime and stime). */
    private static long ticks(long pid) throws IOException {
        String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    }

    private static long resident(long pid) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                .findFirst()
                .orElse(0);
    }
}
