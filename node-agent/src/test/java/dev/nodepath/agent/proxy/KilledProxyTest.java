package dev.nodepath.agent.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.DetectLocal;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.Snapshots;
import dev.nodepath.endpoints.source.kubernetes.TestApiServer;
import dev.nodepath.linux.BuiltNodepath;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.Repetitions;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.PacketCounters;
import dev.nodepath.linux.iptables.IptablesNamespace;
import dev.nodepath.linux.iptables.SavedTable;
import dev.nodepath.proxy.iptables.IptablesConfig;
import dev.nodepath.proxy.iptables.IptablesProxy;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The real process, killed with SIGKILL before, while and after each command of a sync runs: the next process makes
 * the tables right, and a connection through a ClusterIP lives through all of it.
 */
@Tag("faults")
class KilledProxyTest {
    private static final String CLUSTER_CIDR = "10.244.0.0/16";
    private static final int WAIT_SECONDS = 300;
    private static final List<String> PROGRAMS =
            List.of("iptables-nft-save", "iptables-nft-restore", "ip6tables-nft-save", "ip6tables-nft-restore");

    /**
     * The wrapper's parent is the proxy. The command does not get bytes that the proxy has not yet written when it
     * dies.
     */
    private static final String WRAPPER = """
            #!/bin/sh
            cd '%1$s'
            n=$(($(cat count) + 1))
            echo "$n" >count
            case "$(cat plan)" in
            "$n before") kill -9 $PPID; : >dead; exit 1 ;;
            "$n during") kill -9 $PPID; '%2$s' "$@"; : >dead; exit 1 ;;
            "$n after") '%2$s' "$@"; kill -9 $PPID; : >dead; exit 1 ;;
            esac
            exec '%2$s' "$@"
            """;

    /**
     * Calls of a process that finds old tables: two checks, then save and restore of IPv4, then of IPv6; and calls of
     * a running process after a change: a restore for each family.
     */
    private static final List<List<String>> PLANS = List.of(
            List.of("3 after", "1 before"),
            List.of("4 before", "1 during"),
            List.of("4 during", "1 after"),
            List.of("4 after", "2 before"),
            List.of("6 during", "2 during"));

    /** Of either process one before, one while and one after a command runs. */
    private static final List<List<String>> FEWER_PLANS = PLANS.subList(1, 4);

    private final IptablesNamespace node = IptablesNamespace.create();
    private final IptablesNamespace pod = IptablesNamespace.create();
    private final IptablesNamespace client = IptablesNamespace.create();
    private final ScheduledExecutorService traffic = Executors.newSingleThreadScheduledExecutor();
    private final List<Process> processes = new ArrayList<>();
    private final AtomicInteger echoes = new AtomicInteger();
    private final AtomicReference<Exception> broken = new AtomicReference<>();
    /** Listens in the node's namespace. */
    private final TestApiServer server;

    private ServiceSnapshot snapshot = ServiceSnapshot.EMPTY;

    @TempDir
    private Path folder;

    KilledProxyTest() throws Exception {
        node.run("sh", "-ec", """
                ip link set lo up
                echo 1 >/proc/sys/net/ipv4/ip_forward
                ip link add pod type veth peer name eth0 netns %s
                ip link add client type veth peer name eth0 netns %s
                ip address add 10.244.1.1/24 dev pod
                ip address add 10.244.2.1/24 dev client
                ip link set pod up
                ip link set client up
                """.formatted(pod.name(), client.name()));
        join(pod, "10.244.1.2/24", "10.244.1.1");
        join(client, "10.244.2.2/24", "10.244.2.1");
        server = node.opened().call(TestApiServer::new);
        server.put(TestApiServer.NODES, """
                {"metadata":{"name":"n1"},"status":{"addresses":[{"type":"InternalIP","address":"10.244.1.1"}]}}""");
    }

    private static void join(IptablesNamespace namespace, String address, String gateway) throws IOException {
        namespace.run("sh", "-ec", """
                ip address add %s dev eth0
                ip link set eth0 up
                ip route add default via %s
                """.formatted(address, gateway));
    }

    @AfterEach
    void close() throws Exception {
        traffic.shutdownNow();
        for (Process process : processes) {
            process.destroyForcibly().waitFor();
        }
        server.close();
        for (IptablesNamespace namespace : List.of(client, pod, node)) {
            namespace.close();
        }
    }

    @Test
    void theNextProcessMakesTheTablesRightAndConnectionsLive() throws Exception {
        wrap();
        int version = 0;
        put(version++);
        Process proxy = start("never");
        awaitTables(proxy);
        try (ServerSocket server = pod.opened().call(() -> new ServerSocket(8080));
                Socket connection = connect(server)) {
            proxy.destroyForcibly().waitFor();
            for (List<String> plans : Repetitions.areWhole() ? PLANS : FEWER_PLANS) {
                put(version++);
                awaitDeath(start(plans.get(0)));
                proxy = start("never");
                awaitTables(proxy);
                plan(plans.get(1));
                put(version++);
                awaitDeath(proxy);
            }
            proxy = start("never");
            awaitTables(proxy);
            int before = echoes.get();
            await(() -> echoes.get() > before || broken.get() != null);
            assertThat(broken.get()).isNull();
            assertThat(connection.isClosed()).isFalse();
        }
    }

    private void wrap() throws IOException {
        Path programs = Files.createDirectory(folder.resolve("bin"));
        for (String program : PROGRAMS) {
            Path real = Stream.concat(Stream.of(System.getenv("PATH").split(":", -1)), Stream.of("/usr/sbin", "/sbin"))
                    .map(directory -> Path.of(directory, program))
                    .filter(Files::isExecutable)
                    .findFirst()
                    .orElseThrow(() -> new IOException(program + ": not found (expected: Debian package iptables)"));
            Path wrapper = Files.writeString(programs.resolve(program), WRAPPER.formatted(folder, real));
            Files.setPosixFilePermissions(wrapper, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }

    /** The Service of the connection stays as it is; twenty others change, come and go from version to version. */
    private void put(int version) {
        Snapshots right = Snapshots.service("default/echo:http", "10.96.0.1", 80);
        put(right, "echo", "10.96.0.1", "10.244.1.2");
        for (int i = 0; i < 20; i++) {
            if (i < version % 3) {
                remove("other" + i);
                remove("six" + i);
                continue;
            }
            int changing = 1 + (version + i) % 5;
            String other = "10.96.0." + (10 + i);
            String six = "fd00:96::" + (40 + i);
            put(right.andService("default/other" + i + ":http", other, 80), "other" + i, other, "10.244.9." + changing);
            put(right.andService("default/six" + i + ":http", six, 80), "six" + i, six, "fd00:244::" + changing);
        }
        snapshot = right.build();
    }

    /** A Service with one endpoint. */
    private void put(Snapshots right, String name, String clusterIp, String endpoint) {
        boolean six = endpoint.contains(":");
        right.endpoint((six ? "[" + endpoint + "]" : endpoint) + ":8080", "n1");
        server.put(TestApiServer.SERVICES, """
                {"metadata":{"namespace":"default","name":"%s"},"spec":{"clusterIP":"%s","type":"ClusterIP",
                "ports":[{"name":"http","port":80,"protocol":"TCP"}]}}""".formatted(name, clusterIp));
        server.put(TestApiServer.SLICES, """
                {"metadata":{"namespace":"default","name":"%1$s-1","labels":{"kubernetes.io/service-name":"%1$s"}},
                "addressType":"%2$s","ports":[{"name":"http","port":8080}],
                "endpoints":[{"addresses":["%3$s"],"nodeName":"n1"}]}""".formatted(name, six ? "IPv6" : "IPv4", endpoint));
    }

    private void remove(String name) {
        server.delete(TestApiServer.SERVICES, "default", name);
        server.delete(TestApiServer.SLICES, "default", name + "-1");
    }

    /** Sends a byte and waits for it to come back, again and again. */
    private Socket connect(ServerSocket server) throws Exception {
        Thread echo = new Thread(
                () -> {
                    try (Socket accepted = server.accept()) {
                        accepted.getInputStream().transferTo(accepted.getOutputStream());
                    } catch (IOException e) {
                        // The client notices.
                    }
                },
                "echo");
        echo.setDaemon(true);
        echo.start();
        Socket connection = client.opened().call(() -> new Socket("10.96.0.1", 80));
        connection.setSoTimeout(WAIT_SECONDS * 1000);
        var unused = traffic.scheduleWithFixedDelay(() -> echoOnce(connection), 0, 5, TimeUnit.MILLISECONDS);
        return connection;
    }

    private void echoOnce(Socket connection) {
        if (broken.get() != null) {
            return;
        }
        try {
            connection.getOutputStream().write(7);
            if (connection.getInputStream().read() != 7) {
                throw new IOException("closed");
            }
            echoes.incrementAndGet();
        } catch (IOException e) {
            broken.set(e);
        }
    }

    private void plan(String plan) throws IOException {
        Files.deleteIfExists(folder.resolve("dead"));
        Files.writeString(folder.resolve("count"), "0\n");
        Files.writeString(folder.resolve("plan"), plan + "\n");
    }

    private Process start(String plan) throws IOException {
        plan(plan);
        List<String> command = new ArrayList<>(node.launcher());
        command.addAll(BuiltNodepath.command(List.of("-Djava.io.tmpdir=" + folder)));
        command.addAll(List.of(
                "proxy",
                "--iptables-variant=nft",
                "--iptables-min-sync-period=10ms",
                "--hostname-override=n1",
                "--oom-score-adj=0",
                "--cluster-cidr=" + CLUSTER_CIDR,
                "--master=" + server.url()));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile());
        builder.environment().compute("PATH", (name, path) -> folder.resolve("bin") + ":" + (path == null ? "" : path));
        Process process = builder.start();
        processes.add(process);
        return process;
    }

    /** Also until the command has ended that has outlived it. */
    private void awaitDeath(Process process) throws Exception {
        assertThat(process.waitFor(WAIT_SECONDS, TimeUnit.SECONDS)).as(log()).isTrue();
        assertThat(process.exitValue()).as(log()).isEqualTo(128 + 9);
        await(() -> Files.exists(folder.resolve("dead")));
    }

    private void await(Callable<Boolean> condition) {
        Eventually.isTrue(Duration.ofSeconds(WAIT_SECONDS), this::log, () -> {
            boolean holds = condition.call();
            assertThat(broken.get()).as(log()).isNull();
            return holds;
        });
    }

    private String log() throws IOException {
        return Files.readString(folder.resolve("log"));
    }

    private void awaitTables(Process proxy) throws Exception {
        IptablesConfig config = IptablesConfig.DEFAULTS.with(draft -> {
            draft.nodeName = "n1";
            draft.detectLocal = new DetectLocal.ClusterCidr(List.of(Cidr.parse(CLUSTER_CIDR)));
        });
        try (IptablesNamespace fresh = IptablesNamespace.create();
                PacketCounters counters = fresh.packetCounters()) {
            for (IpFamily family : IpFamily.values()) {
                new IptablesProxy(config, List.of(fresh.iptables(family)), fresh.opened(), Optional.of(counters))
                        .sync(snapshot, ChangeSet.NONE);
                String right = tables(fresh, family);
                assertThat(right).contains(family == IpFamily.IPV4 ? "10.244.1.2:8080" : "[fd00:244::1]:8080");
                awaitEqual(right, family, proxy);
            }
        }
    }

    private void awaitEqual(String right, IpFamily family, Process proxy) {
        Eventually.isTrue(
                Duration.ofSeconds(WAIT_SECONDS), () -> tables(node, family) + "\n\n" + right + "\n\n" + log(), () -> {
                    assertThat(proxy.isAlive()).as(log()).isTrue();
                    return tables(node, family).equals(right);
                });
    }

    /** The order of Services in their shared chains is the order of their arrival. */
    private static String tables(IptablesNamespace namespace, IpFamily family) throws IOException {
        StringBuilder text = new StringBuilder();
        SavedTable.parseAll(namespace.others(family).save())
                .forEach((table, saved) -> saved.rules().keySet().stream()
                        .sorted()
                        .forEach(chain -> {
                            Stream<String> rules = saved.rules(chain).stream();
                            text.append(table + " " + chain + "\n");
                            (chain.equals("KUBE-SERVICES") ? rules.sorted() : rules)
                                    .forEach(rule -> text.append("    " + rule + "\n"));
                        }));
        return text.toString();
    }
}
