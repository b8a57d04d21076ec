package dev.nodepath.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
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

/**
 * The manifest's container on three nodes, two on one link and one behind a router, under traffic that goes on through all that
 * happens. The tests follow each other on one cluster, as making one takes longer than each of them.
 */
@Tag("docker")
@Timeout(value = 3, unit = TimeUnit.MINUTES)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ClusterTest {
    private static final String NEXT_IMAGE = "nodepath:next";
    private static final int REQUESTS = 40;

    private final List<Pod> clients = new ArrayList<>();

    @SuppressWarnings("NullAway.Init")
    private DockerCluster cluster;

    @BeforeAll
    void startCluster() throws Exception {
        cluster = new DockerCluster();
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
    void endCluster() throws IOException {
        cluster.close();
    }

    @Test
    @Order(1)
    void podsReachEachOtherWithTheirOwnAddresses() throws Exception {
        for (Pod client : clients) {
            for (Pod pod : cluster.pods()) {
                awaitAnswer(client, pod.address(), Pod.PORT, pod.name() + " " + client.address());
            }
        }
        // Between links nothing but VXLAN leads to pods; on one link it is not needed.
        DockerNode n1 = cluster.nodes().get(0);
        String routes = n1.inAgent("cat", "/proc/net/route").getStdout();
        assertThat(routes).contains("eth0\t0002F40A").doesNotContain("eth0\t0003F40A");
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
            assertThat(clients.get(1).ask(pod.address(), Pod.PORT)).startsWith("late ");
            node.removePod(pod);
        } finally {
            node.startAgent().awaitReady();
        }
    }

    @Test
    @Order(4)
    void killingAnAgentStopsNothingInIptablesMode() throws Exception {
        DockerNode node = cluster.nodes().get(0);
        try (Traffic traffic = traffic(clients)) {
            traffic.awaitMore(50);
            node.killAgent();
            traffic.awaitMore(100);
            node.startAgent().awaitReady();
            traffic.awaitMore(100);
            assertThat(traffic.lost()).as(cluster.logs()).isEmpty();
            assertThat(traffic.refusedSince(0)).as(cluster.logs()).isEmpty();
        }
    }

    @Test
    @Order(5)
    void anUpgradeNodeByNodeStopsNothing() throws Exception {
        DockerClientFactory.instance()
                .client()
                .tagImageCmd(Image.NAME, "nodepath", "next")
                .exec();
        try (Traffic traffic = traffic(clients)) {
            for (DockerNode node : cluster.nodes()) {
                node.stopAgent();
                node.with(NEXT_IMAGE, "iptables").startAgent().awaitReady();
                traffic.awaitMore(50);
            }
            assertThat(traffic.lost()).as(cluster.logs()).isEmpty();
            assertThat(traffic.refusedSince(0)).as(cluster.logs()).isEmpty();
        }
    }

    @Test
    @Order(6)
    void aNodeComesAndGoes() throws Exception {
        try (Traffic traffic = traffic(clients)) {
            DockerNode node = cluster.addNode("n4", 1, 4).startAgent();
            node.awaitReady();
            Pod pod = cluster.addPod(node, "web-n4");
            for (Pod client : clients) {
                awaitAnswer(client, pod.address(), Pod.PORT, "web-n4 " + client.address());
            }
            clients.get(0)
                    .node()
                    .await(
                            "the Service's new pod",
                            () -> answers(clients.get(0)).contains("web-n4"));
            cluster.removeNode(node);
            long removed = System.nanoTime();
            awaitNoRouteTo("0004F40A");
            for (Pod client : clients) {
                client.node().await("the Service without it", () -> {
                    Set<String> seen = answers(client);
                    return !seen.isEmpty() && !seen.contains("web-n4");
                });
            }
            long settled = System.nanoTime();
            traffic.awaitMore(100);
            assertThat(traffic.lost()).as(cluster.logs()).isEmpty();
            assertThat(traffic.refusedSince(settled))
                    .as("removed " + (settled - removed) / 1_000_000 + " ms before")
                    .isEmpty();
        }
    }

    @Test
    @Order(7)
    void theModeIsSwitchedAndConnectionsLive() throws Exception {
        try (Traffic traffic = traffic(clients)) {
            switchTo("userspace", traffic);
            assertServicesAreReached();
            assertThat(traffic.lost()).as(cluster.logs()).isEmpty();
        }
    }

    @Test
    @Order(8)
    void theModeIsSwitchedBack() throws Exception {
        // Connections through a relay end with its process; those between pods do not.
        try (Traffic traffic = new Traffic()) {
            for (Pod client : clients) {
                for (Pod pod : cluster.pods()) {
                    traffic.keep(client, pod.address(), Pod.PORT);
                }
                traffic.request(client, DockerCluster.CLUSTER_IP, 80);
            }
            switchTo("iptables", traffic);
            assertServicesAreReached();
            assertThat(traffic.lost()).as(cluster.logs()).isEmpty();
        }
    }

    @Test
    @Order(9)
    void theRolesPermitWhatIsNeededAndNoMore() throws Exception {
        assertThat(cluster.api().denied()).isEmpty();
        for (DockerNode node : cluster.nodes()) {
            node.await("condition", () -> cluster.api().conditions().containsKey(node.name()));
        }
        assertThat(cluster.api().conditions().values())
                .allSatisfy(patch -> assertThat(patch).contains("NetworkUnavailable", "\"status\":\"False\""));
        Set<String> unused = new TreeSet<>(cluster.rules().unused());
        unused.remove("create events.k8s.io/events"); // only where a person must act
        assertThat(unused).isEmpty();
    }

    private void switchTo(String mode, Traffic traffic) throws Exception {
        for (DockerNode node : cluster.nodes()) {
            node.stopAgent();
            node.with(NEXT_IMAGE, mode).startAgent().awaitReady();
            for (Pod client : clients) {
                client.node()
                        .await(
                                "the Service in mode " + mode,
                                () -> !answers(client).isEmpty());
            }
            long settled = System.nanoTime();
            traffic.awaitMore(50);
            assertThat(traffic.refusedSince(settled))
                    .as(mode + " on " + node.name() + cluster.logs())
                    .isEmpty();
        }
    }

    private Traffic traffic(List<Pod> from) throws IOException {
        Traffic traffic = new Traffic();
        for (Pod client : from) {
            for (Pod pod : cluster.pods()) {
                traffic.keep(client, pod.address(), Pod.PORT);
            }
            traffic.keep(client, DockerCluster.CLUSTER_IP, 80);
            traffic.request(client, DockerCluster.CLUSTER_IP, 80);
        }
        return traffic;
    }

    private void assertServicesAreReached() throws Exception {
        Set<String> all = new TreeSet<>();
        cluster.pods().forEach(pod -> all.add(pod.name()));
        for (Pod client : clients) {
            client.node()
                    .await(
                            "all of the Service from " + client.name(),
                            () -> answers(client).equals(all));
        }
        for (DockerNode node : cluster.nodes()) {
            node.await(
                    "all of the Service by its node port",
                    () -> answersOutside(node).equals(all));
        }
    }

    /** Who answers at the Service's address; nobody if one request fails. */
    private static Set<String> answers(Pod client) {
        Set<String> seen = new TreeSet<>();
        try {
            for (int i = 0; i < REQUESTS; i++) {
                seen.add(client.ask(DockerCluster.CLUSTER_IP, 80).split(" ", 2)[0]);
            }
        } catch (IOException e) {
            return Set.of();
        }
        return seen;
    }

    /** The same at a node's port, for a client outside the cluster. */
    private static Set<String> answersOutside(DockerNode node) {
        Set<String> seen = new TreeSet<>();
        for (int i = 0; i < REQUESTS; i++) {
            try (Socket outside = new Socket()) {
                outside.connect(new InetSocketAddress(node.address(), DockerCluster.NODE_PORT), 2_000);
                outside.setSoTimeout(2_000);
                seen.add(Pod.greeting(outside).split(" ", 2)[0]);
            } catch (IOException e) {
                return Set.of();
            }
        }
        return seen;
    }

    private void awaitAnswer(Pod client, String address, int port, String expected) throws Exception {
        client.node().await(client.name() + " to " + address + ": " + expected, () -> {
            try {
                return client.ask(address, port).equals(expected);
            } catch (IOException e) {
                return false;
            }
        });
    }

    private void awaitNoRouteTo(String network) throws Exception {
        for (DockerNode node : cluster.nodes()) {
            node.await(
                    "no route to " + network,
                    () -> !node.inAgent("cat", "/proc/net/route").getStdout().contains(network));
        }
    }
}
