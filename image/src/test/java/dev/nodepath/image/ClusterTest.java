package dev.nodepath.image;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.Container.ExecResult;

/**
 * The manifest's container on three nodes under continuous traffic: two dual-stack nodes on one link, and a node with
 * IPv4 alone behind a router. The tests follow each other on one cluster, because making a cluster takes longer than
 * each test.
 */
@Tag("docker")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ClusterTest {
    private static final String NEXT_IMAGE = "nodepath:next";
    private static final int REQUESTS = 40;
    private static final String DIRECT = "eth0";
    private static final String OVERLAY = "nodepath-vxlan";

    private final List<Pod> clients = new ArrayList<>();
    private final OpenedResources closing = new OpenedResources();

    @SuppressWarnings("NullAway.Init")
    private DockerCluster cluster;

    @BeforeAll
    void startCluster() throws Exception {
        cluster = new DockerCluster();
        closing.add(cluster);
        cluster.addNode("n1", 0, 1).startAgent();
        cluster.addNode("n2", 0, 2).startAgent();
        cluster.addNode("n3", 1, 3).startAgent();
        for (DockerNode node : cluster.nodes()) {
            node.awaitReady();
            cluster.addPod(node, "web-" + node.name());
            clients.add(cluster.addClient(node, "client-" + node.name()));
        }
    }

    @AfterAll
    void endCluster() {
        closing.close();
    }

    @Test
    @Order(1)
    void podsReachEachOtherWithTheirOwnAddresses() throws Exception {
        for (Pod client : clients) {
            for (Pod pod : cluster.pods()) {
                awaitAnswer(client, pod);
            }
        }
        // Between links only VXLAN leads to pods; on one link VXLAN is not needed.
        awaitWay("n1", 2, DIRECT, DIRECT);
        awaitWay("n1", 3, OVERLAY);
    }

    @Test
    @Order(2)
    void servicesAreReachedFromPodsAndFromOutside() throws Exception {
        assertServicesAreReached();
    }

    @Test
    @Order(3)
    void aNodeNeedsNoJavaAndNoAgentForAPod() throws Exception {
        DockerNode node = cluster.nodes().get(0);
        assertThat(node.inMachine("sh", "-c", "command -v java; ls /usr/lib/nodepath; :")
                        .getStdout())
                .isEmpty();
        assertThat(Files.readSymbolicLink(node.opt().resolve("nodepath/current")))
                .isNotNull();
        node.await(
                "archive of classes",
                () -> Files.exists(node.opt().resolve("nodepath/current/lib/nodepath-bridge.jsa")));
        node.killAgent();
        try {
            Pod pod = node.addPod("late");
            for (IpFamily family : IpFamily.values()) {
                assertThat(clients.get(1).ask(pod.address(family).orElseThrow(), Pod.PORT))
                        .startsWith("late ");
            }
            node.removePod(pod);
        } finally {
            node.startAgent().awaitReady();
        }
    }

    @Test
    @Order(4)
    void killingAnAgentStopsNothingInIptablesMode() throws Exception {
        DockerNode node = cluster.nodes().get(0);
        try (ClientTraffic traffic = traffic(clients)) {
            traffic.awaitMore(50);
            node.killAgent();
            traffic.awaitMore(100);
            node.startAgent().awaitReady();
            traffic.awaitMore(100);
            assertThat(traffic.lost()).as(cluster::logs).isEmpty();
            assertThat(traffic.refusedSince(0)).as(cluster::logs).isEmpty();
        }
    }

    @Test
    @Order(5)
    void anUpgradeNodeByNodeStopsNothing() throws Exception {
        DockerClientFactory.instance()
                .client()
                .tagImageCmd(Image.NAME, "nodepath", "next")
                .exec();
        try (ClientTraffic traffic = traffic(clients)) {
            for (DockerNode node : cluster.nodes()) {
                node.stopAgent();
                node.with(start -> start.withImage(NEXT_IMAGE)).startAgent().awaitReady();
                traffic.awaitMore(50);
            }
            assertThat(traffic.lost()).as(cluster::logs).isEmpty();
            assertThat(traffic.refusedSince(0)).as(cluster::logs).isEmpty();
        }
    }

    @Test
    @Order(6)
    void aNodeComesAndGoes() throws Exception {
        try (ClientTraffic traffic = traffic(clients)) {
            DockerNode node = cluster.addNode("n4", 1, 4).startAgent();
            node.awaitReady();
            Pod pod = cluster.addPod(node, "web-n4");
            for (Pod client : clients) {
                awaitAnswer(client, pod);
            }
            clients.get(0)
                    .node()
                    .await(
                            "the Service's new pod",
                            () -> answers(clients.get(0), IpFamily.IPV4).contains("web-n4"));
            cluster.removeNode(node);
            long removed = System.nanoTime();
            for (DockerNode other : cluster.nodes()) {
                awaitWay(other.name(), 4);
            }
            for (Pod client : clients) {
                client.node().await("the Service without it", () -> {
                    Set<String> seen = answers(client, IpFamily.IPV4);
                    return !seen.isEmpty() && !seen.contains("web-n4");
                });
            }
            for (DockerNode other : cluster.nodes()) {
                other.forgetConnectionsTo(pod.address());
            }
            long settled = System.nanoTime();
            traffic.awaitMore(100);
            assertThat(traffic.lost()).as(cluster::logs).isEmpty();
            assertThat(traffic.refusedSince(settled))
                    .as("removed " + (settled - removed) / 1_000_000 + " ms before")
                    .isEmpty();
        }
    }

    @Test
    @Order(7)
    void theModeIsSwitchedAndConnectionsLive() throws Exception {
        try (ClientTraffic traffic = traffic(clients)) {
            restart(traffic, start -> start.withMode("userspace"));
            assertServicesAreReached();
            assertThat(traffic.lost()).as(cluster::logs).isEmpty();
        }
    }

    @Test
    @Order(8)
    void routesGiveWayToVxlanAndConnectionsLive() throws Exception {
        try (ClientTraffic traffic = trafficBetweenPods(clients)) {
            restart(traffic, start -> start.withArguments("--overlay=vxlan"));
            awaitWay("n1", 2, OVERLAY, OVERLAY);
            awaitWay("n2", 1, OVERLAY, OVERLAY);
            assertServicesAreReached();
            assertThat(traffic.lost()).as(cluster::logs).isEmpty();
        }
    }

    @Test
    @Order(9)
    void theModeIsSwitchedBackOverVxlan() throws Exception {
        try (ClientTraffic traffic = trafficBetweenPods(clients)) {
            restart(traffic, start -> start.withMode("iptables"));
            awaitWay("n1", 2, OVERLAY, OVERLAY);
            assertServicesAreReached();
            assertThat(traffic.lost()).as(cluster::logs).isEmpty();
        }
    }

    @Test
    @Order(10)
    void theModeIsSwitchedToNftables() throws Exception {
        try (ClientTraffic traffic = trafficBetweenPods(clients)) {
            restart(traffic, start -> start.withMode("nftables"));
            assertServicesAreReached();
            assertThat(traffic.lost()).as(cluster::logs).isEmpty();
        }
    }

    @Test
    @Order(11)
    void aPolicyIsInForceUntilItAllowsAll() throws Exception {
        Pod pod = cluster.pods().get(0);
        Pod other = cluster.pods().get(2);
        Pod client = clients.get(1);
        cluster.putPolicy(pod, "[]");
        for (IpFamily family : families(client)) {
            IpAddress closed = pod.address(family).orElseThrow();
            client.node().await(closed + " closed for " + client.name(), () -> !isAnswered(client, closed));
        }
        awaitAnswer(client, other);
        cluster.putPolicy(pod, "[{}]");
        awaitAnswer(client, pod);
    }

    private static boolean isAnswered(Pod client, IpAddress address) {
        try {
            client.ask(address, Pod.PORT);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    @Order(12)
    void theRolesPermitWhatIsNeededAndNoMore() throws Exception {
        assertThat(cluster.api().denied()).isEmpty();
        for (DockerNode node : cluster.nodes()) {
            node.await("condition", () -> cluster.api().conditions().containsKey(node.name()));
        }
        assertThat(cluster.api().conditions().values())
                .allSatisfy(patch -> assertThat(patch).contains("NetworkUnavailable", "\"status\":\"False\""));
        Set<String> unused = new TreeSet<>(cluster.rules().unused());
        unused.remove("create events.k8s.io/events"); // only events that a person must act on
        assertThat(unused).isEmpty();
    }

    /** Restarts each node's agent, one after the other. */
    private void restart(ClientTraffic traffic, UnaryOperator<AgentStart> change) throws Exception {
        for (DockerNode node : cluster.nodes()) {
            node.stopAgent();
            node.with(change).startAgent().awaitReady();
            for (Pod client : clients) {
                for (IpFamily family : families(client)) {
                    client.node()
                            .await(
                                    "the Service after " + node.name() + " by " + family,
                                    () -> !answers(client, family).isEmpty());
                }
            }
            long settled = System.nanoTime();
            traffic.awaitMore(50);
            assertThat(traffic.refusedSince(settled))
                    .as(() -> node.name() + cluster.logs())
                    .isEmpty();
        }
    }

    private ClientTraffic traffic(List<Pod> from) throws IOException {
        ClientTraffic traffic = trafficBetweenPods(from);
        for (Pod client : from) {
            for (IpFamily family : families(client)) {
                traffic.keep(client, DockerCluster.clusterIp(family), DockerCluster.PORT);
            }
        }
        return traffic;
    }

    /** Connections through a relay end with its process; connections between pods do not. */
    private ClientTraffic trafficBetweenPods(List<Pod> from) throws IOException {
        ClientTraffic traffic = new ClientTraffic();
        for (Pod client : from) {
            for (IpFamily family : families(client)) {
                for (Pod pod : cluster.pods(family)) {
                    traffic.keep(client, pod.address(family).orElseThrow(), Pod.PORT);
                }
                traffic.request(client, DockerCluster.clusterIp(family), DockerCluster.PORT);
            }
        }
        return traffic;
    }

    private void assertServicesAreReached() throws Exception {
        for (IpFamily family : IpFamily.values()) {
            Set<String> all = new TreeSet<>();
            cluster.pods(family).forEach(pod -> all.add(pod.name()));
            for (Pod client : clients) {
                if (client.address(family).isPresent()) {
                    client.node()
                            .await(
                                    "all of the Service from " + client.name() + " by " + family,
                                    () -> answers(client, family).equals(all)
                                            && udpAnswers(client, family).equals(all));
                }
            }
            for (DockerNode node : cluster.nodes()) {
                Optional<IpAddress> address = node.address(family);
                if (address.isPresent()) {
                    node.await(
                            "all of the Service by its node port and " + family,
                            () -> outside(address.get()).equals(all)
                                    && udpOutside(address.get()).equals(all));
                }
            }
        }
    }

    private static Set<String> answers(Pod client, IpFamily family) {
        return answers(() -> client.ask(DockerCluster.clusterIp(family), DockerCluster.PORT));
    }

    private static Set<String> udpAnswers(Pod client, IpFamily family) {
        return answers(() -> client.askUdp(DockerCluster.clusterIp(family), DockerCluster.PORT));
    }

    /** The answering pods for a client outside the cluster, at a node's port. */
    private static Set<String> outside(IpAddress node) {
        return answers(() -> {
            try (Socket socket = Pod.connected(node, DockerCluster.NODE_PORT)) {
                return Pod.greeting(socket);
            }
        });
    }

    private static Set<String> udpOutside(IpAddress node) {
        return answers(() -> Pod.answer(node, DockerCluster.NODE_PORT));
    }

    /** The answering pods; empty if one request fails. */
    private static Set<String> answers(Request request) {
        Set<String> seen = new TreeSet<>();
        try {
            for (int i = 0; i < REQUESTS; i++) {
                seen.add(request.answer().split(" ", 2)[0]);
            }
        } catch (IOException e) {
            return Set.of();
        }
        return seen;
    }

    @FunctionalInterface
    private interface Request {
        String answer() throws IOException;
    }

    private static List<IpFamily> families(Pod pod) {
        return Stream.of(IpFamily.values())
                .filter(family -> pod.address(family).isPresent())
                .toList();
    }

    /** In every family that both have, with the client's own address. */
    private void awaitAnswer(Pod client, Pod pod) throws Exception {
        for (IpFamily family : families(client)) {
            Optional<IpAddress> address = pod.address(family);
            String expected = pod.name() + " " + client.address(family).orElseThrow();
            if (address.isPresent()) {
                client.node().await(client.name() + " to " + address + ": " + expected, () -> {
                    try {
                        return client.ask(address.get(), Pod.PORT).equals(expected);
                    } catch (IOException e) {
                        return false;
                    }
                });
            }
        }
    }

    /** Waits until the routes from a node to another node's pods lead over these links, IPv4's first. */
    private void awaitWay(String from, int podNetwork, String... links) throws Exception {
        DockerNode node = cluster.node(from);
        String ipv4 = "(?m)^(\\S+)\\t00%02XF40A\\t".formatted(podNetwork);
        String ipv6 = "(?m)^fd0000100244%04x0{16} 40 .* (\\S+)$".formatted(podNetwork);
        node.await(
                "way to pods of n" + podNetwork + ": " + List.of(links),
                () -> Stream.of(links)
                        .toList()
                        .equals(Stream.concat(
                                        found(ipv4, node.inAgent("cat", "/proc/net/route")),
                                        found(ipv6, node.inAgent("cat", "/proc/net/ipv6_route")))
                                .toList()));
    }

    /** The links in a list of routes; an unreadable list fails, because it would look like no route. */
    private static Stream<String> found(String pattern, ExecResult printed) {
        assertThat(printed.getExitCode()).as(printed.toString()).isZero();
        return Pattern.compile(pattern).matcher(printed.getStdout()).results().map(match -> match.group(1));
    }
}
