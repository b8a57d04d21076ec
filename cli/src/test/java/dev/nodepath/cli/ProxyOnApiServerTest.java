package dev.nodepath.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.source.kubernetes.TestApiServer;
import dev.nodepath.linux.BuiltNodepath;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.address.IpAddress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A proxy process that follows an API server, and connections through it, in the namespace of the tests. */
@Tag("netns")
@Timeout(900)
class ProxyOnApiServerTest {
    private static final Duration LIMIT = Duration.ofMinutes(5);
    /** A watch may be silent for 85 s. */
    private static final Duration CUT = Duration.ofSeconds(100);

    private static final int ASK_MILLIS_MAX = 60_000;
    private static final String CLUSTER_IP = "10.96.0.10";

    @TempDir
    private Path folder;

    private final TestApiServer server = new TestApiServer();
    private final List<ServerSocket> pods = new ArrayList<>();

    @BeforeEach
    void makeNode() throws Exception {
        run("ip", "link", "set", "lo", "up");
        run("ip", "link", "add", "node0", "type", "bridge");
        run("ip", "link", "set", "node0", "up");
        for (String address : List.of("172.30.0.1/24", "10.244.0.2/32", "10.244.0.3/32")) {
            run("ip", "address", "add", address, "dev", "node0");
        }
        run("ip", "route", "add", "10.96.0.0/16", "dev", "node0", "src", "172.30.0.1");
        pod("10.244.0.2", "first");
        pod("10.244.0.3", "second");
        putObjects("10.244.0.2");
    }

    /** A Service with one endpoint. */
    private void putObjects(String endpoint) {
        server.put(TestApiServer.NODES, """
                {"metadata":{"name":"n1"},"status":{"addresses":[{"type":"InternalIP","address":"172.30.0.1"}]}}""");
        server.put(TestApiServer.SERVICES, """
                {"metadata":{"namespace":"default","name":"web"},"spec":{"clusterIP":"10.96.0.10","type":"ClusterIP",
                "ports":[{"name":"http","port":80,"protocol":"TCP"}]}}""");
        server.put(TestApiServer.SLICES, slice(endpoint));
    }

    @AfterEach
    void removeNode() throws Exception {
        for (ServerSocket pod : pods) {
            pod.close();
        }
        server.close();
        NodepathScript.Result cleanup = new NodepathScript(folder).ask("cleanup");
        assertThat(cleanup.exitCode()).as(cleanup.output()).isZero();
        run("ip", "link", "delete", "node0");
    }

    /** First its connections break; then it has also lost its state, and counts versions anew. */
    @ParameterizedTest
    @ValueSource(strings = {"iptables", "userspace"})
    void leadsToWhatTheServerSaysAlsoWhileItIsGone(String mode) throws Exception {
        Process proxy = start(mode);
        try {
            awaitAnswer("first");
            server.put(TestApiServer.SLICES, slice("10.244.0.3"));
            awaitAnswer("second");

            stopServer();
            assertAllReach("second", 5);
            server.put(TestApiServer.SLICES, slice("10.244.0.2"));
            server.start();
            awaitAnswer("first");

            stopServer();
            assertAllReach("first", 5);
            server.restore(10, TestApiServer.NODES, TestApiServer.SERVICES, TestApiServer.SLICES);
            putObjects("10.244.0.3");
            server.start();
            awaitAnswer("second");
            server.put(TestApiServer.SLICES, slice("10.244.0.2"));
            awaitAnswer("first");
        } finally {
            end(proxy);
        }
    }

    /** Until the proxy has noticed. */
    private void stopServer() throws IOException {
        int before = log().length();
        server.stop();
        Eventually.isTrue(LIMIT, this::log, () -> log().substring(before).contains("source.disconnected"));
    }

    /** Longer than a watch may be silent: no packet comes from the server, and none tells that it does not. */
    @Test
    @Tag("timing")
    void carriesTrafficThroughACutWithoutARefusalAndFollowsAfterIt() throws Exception {
        Process proxy = start("iptables");
        try {
            awaitAnswer("first");
            String port = server.url().substring(server.url().lastIndexOf(':') + 1);
            run(
                    "nft",
                    "add table inet cut; add chain inet cut in { type filter hook input priority -300; };"
                            + " add rule inet cut in tcp dport " + port + " drop; add rule inet cut in tcp sport "
                            + port
                            + " drop");
            server.put(TestApiServer.SLICES, slice("10.244.0.3"));
            long end = System.nanoTime() + CUT.toNanos();
            while (System.nanoTime() < end) {
                assertAllReach("first", 10);
                TimeUnit.SECONDS.sleep(1);
            }
            run("nft", "delete table inet cut");
            long healed = System.nanoTime();
            awaitAnswer("second");
            System.out.println("followed " + (System.nanoTime() - healed) / 1_000_000 + " ms after a cut of " + CUT);
        } finally {
            end(proxy);
        }
    }

    private Process start(String mode) throws IOException {
        Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), """
                current-context: c
                contexts: [{name: c, context: {cluster: k, user: u}}]
                clusters: [{name: k, cluster: {server: "%s"}}]
                users: [{name: u, user: {token: secret}}]
                """.formatted(server.url()));
        server.requireToken("secret");
        String arguments = "proxy --mode " + mode + " --kubeconfig " + kubeconfig
                + " --hostname-override n1 --oom-score-adj=0 --iptables-min-sync-period 50ms";
        List<String> command = BuiltNodepath.command(List.of());
        command.addAll(List.of(arguments.split(" ")));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
    }

    private static void end(Process proxy) throws InterruptedException {
        proxy.destroy();
        assertThat(proxy.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    private void assertAllReach(String pod, int times) throws IOException {
        for (int i = 0; i < times; i++) {
            assertThat(ask()).isEqualTo(pod);
        }
    }

    private static String slice(String ip) {
        return """
                {"metadata":{"namespace":"default","name":"web-1","labels":{"kubernetes.io/service-name":"web"}},
                "addressType":"IPv4","endpoints":[{"addresses":["%s"],"nodeName":"n1"}],
                "ports":[{"name":"http","port":8080,"protocol":"TCP"}]}""".formatted(ip);
    }

    /** A server that sends its name to every client. */
    private void pod(String ip, String name) throws IOException {
        ServerSocket listening = new ServerSocket();
        listening.bind(new InetSocketAddress(IpAddress.parse(ip).toInetAddress(), 8080));
        pods.add(listening);
        Thread thread = new Thread(
                () -> {
                    while (!listening.isClosed()) {
                        try (Socket client = listening.accept()) {
                            client.getOutputStream().write((name + "\n").getBytes(US_ASCII));
                        } catch (IOException e) {
                            // The client is gone, or this ends.
                        }
                    }
                },
                "pod-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    private static String ask() throws IOException {
        try (Socket client = new Socket()) {
            client.setSoTimeout(ASK_MILLIS_MAX);
            client.connect(new InetSocketAddress(IpAddress.parse(CLUSTER_IP).toInetAddress(), 80), ASK_MILLIS_MAX);
            String line = new BufferedReader(new InputStreamReader(client.getInputStream(), US_ASCII)).readLine();
            return line == null ? "" : line;
        }
    }

    private void awaitAnswer(String expected) {
        Eventually.isTrue(LIMIT, () -> expected + "; log: " + log(), () -> {
            try {
                return ask().equals(expected);
            } catch (IOException e) {
                return expected.equals(e.getMessage());
            }
        });
    }

    private String log() throws IOException {
        Path file = folder.resolve("log");
        return Files.exists(file) ? Files.readString(file) : "";
    }

    private static void run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), US_ASCII);
        assertThat(process.waitFor()).as(List.of(command) + ": " + output).isZero();
    }
}
