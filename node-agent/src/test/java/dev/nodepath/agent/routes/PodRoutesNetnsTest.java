package dev.nodepath.agent.routes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.MacAddress;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.route.Route;
import dev.nodepath.linux.route.RouteOptions;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Real packets between pods on nodes that {@link PodRoutes} keep in touch. */
@Tag("netns")
class PodRoutesNetnsTest {
    private static final List<String> FIRST_THREE = List.of("n1", "n2", "n3");

    @SuppressWarnings("NullAway.Init") // lives from @BeforeEach to @AfterEach
    private RoutedNodes network;

    @BeforeEach
    void build() throws Exception {
        network = new RoutedNodes();
    }

    @AfterEach
    void remove() throws Exception {
        network.close();
    }

    private void startAll(List<String> nodes, Overlay overlay) throws Exception {
        network.nodes.keySet().retainAll(nodes);
        for (String node : nodes) {
            network.start(node, overlay, List.of());
        }
        awaitAll(nodes);
    }

    private void awaitAll(List<String> nodes) throws Exception {
        for (String node : nodes) {
            await(() -> network.agent(node).status().wanted() == 2 * (nodes.size() - 1)
                    && network.agent(node).status().standing()
                            == network.agent(node).status().wanted());
        }
    }

    /** A connection that does not come about in time may do so at the next try. */
    private static void await(Callable<Boolean> condition) {
        Eventually.isTrue("the condition", () -> {
            try {
                return condition.call();
            } catch (IOException e) {
                return false;
            }
        });
    }

    /** The source address that the server sees of the first connection that comes about. */
    private static String sourceSeen(NetworkNamespace from, String address) throws Exception {
        List<String> seen = new ArrayList<>();
        await(() -> seen.add(EchoServer.sourceSeen(from, address)));
        return seen.get(0);
    }

    private static boolean reaches(NetworkNamespace from, String address) {
        try (Socket socket = EchoServer.connect(from, address)) {
            return !EchoServer.readLine(socket).isEmpty();
        } catch (IOException e) {
            return false;
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"AUTO", "VXLAN"})
    void podsReachPodsWithTheirOwnAddresses(Overlay overlay) throws Exception {
        startAll(FIRST_THREE, overlay);
        for (int to = 1; to <= 3; to++) {
            for (int from = 1; from <= 3; from++) {
                NetworkNamespace pod = network.host("p" + from);
                assertThat(sourceSeen(pod, "10.244." + to + ".2")).isEqualTo("10.244." + from + ".2");
                assertThat(sourceSeen(pod, "fd44:" + to + "::2")).isEqualTo("fd44:" + from + ":0:0:0:0:0:2");
            }
        }
        boolean tunnelled = overlay == Overlay.VXLAN;
        assertThat(network.host("n1")
                        .routeTo(IpAddress.parse("10.244.2.2"))
                        .orElseThrow()
                        .gateway())
                .contains(IpAddress.parse(tunnelled ? "10.244.2.0" : "172.30.0.12"));
        assertThat(network.host("n1")
                        .routeTo(IpAddress.parse("10.244.3.2"))
                        .orElseThrow()
                        .gateway())
                .contains(IpAddress.parse("10.244.3.0"));
    }

    /**
     * The source must be an address whose answers return through the overlay, because the router would drop the pod's
     * packets.
     */
    @Test
    void nodesReachPodsBehindARouter() throws Exception {
        startAll(FIRST_THREE, Overlay.AUTO);
        assertThat(sourceSeen(network.host("n1"), "10.244.3.2")).isEqualTo("10.244.1.0");
        assertThat(sourceSeen(network.host("n1"), "fd44:3::2")).isEqualTo("fd44:1:0:0:0:0:0:0");
    }

    /** A node unpacks every packet to the overlay's port, from any sender. */
    @ParameterizedTest
    @CsvSource({"p1, 10.244.1.1", "p1, 172.30.0.11", "p2, 172.30.0.11"})
    void aPodCannotWrapAPacketOfAnother(String sender, String to) throws Exception {
        startAll(FIRST_THREE, Overlay.VXLAN);
        byte[] wrapped = wrapped(OverlayLink.mac("n1"), "10.244.3.2", "10.244.1.0", 5555);
        NetworkNamespace pod = network.host(sender);
        try (DatagramSocket node = network.host("n1").call(() -> new DatagramSocket(5555));
                DatagramSocket from = pod.call(() -> new DatagramSocket())) {
            from.send(datagram(wrapped, to, OverlayLink.PORT));
            from.send(datagram(new byte[] {1}, to, 5555));
            DatagramPacket seen = new DatagramPacket(new byte[100], 100);
            node.setSoTimeout(60_000);
            node.receive(seen);
            assertThat(seen.getData()[0]).as("from " + seen.getAddress()).isEqualTo((byte) 1);

            for (String each : List.of("n1", "n2")) {
                network.stop(each);
                new OverlayGuard(network.host(each), "cni0").remove();
            }
            from.send(datagram(wrapped, to, OverlayLink.PORT));
            node.receive(seen);
            assertThat(seen.getData()[0]).isEqualTo((byte) 2);
            assertThat(seen.getAddress().getHostAddress()).isEqualTo("10.244.3.2");
        }
    }

    private static DatagramPacket datagram(byte[] content, String to, int port) throws IOException {
        return new DatagramPacket(content, content.length, InetAddress.getByName(to), port);
    }

    /** A datagram with the byte 2 in a frame from an unknown sender, in VXLAN (RFC 7348 section 5). */
    private static byte[] wrapped(MacAddress to, String source, String destination, int port) {
        ByteBuffer packet = ByteBuffer.allocate(8 + 14 + 20 + 8 + 1);
        packet.putInt(0x0800_0000).putInt(OverlayLink.ID << 8);
        packet.put(to.toBytes()).put(new byte[] {2, 0, 0, 0, 0, 9}).putShort((short) 0x0800);
        int header = packet.position();
        packet.putShort((short) 0x4500).putShort((short) 29).putInt(0).putShort((short) 0x4011);
        packet.putShort((short) 0).put(IpAddress.parse(source).toBytes());
        packet.put(IpAddress.parse(destination).toBytes());
        int sum = 0;
        for (int at = header; at < packet.position(); at += 2) {
            sum += packet.getShort(at) & 0xFFFF;
        }
        packet.putShort(header + 10, (short) ~((sum & 0xFFFF) + (sum >>> 16)));
        packet.putShort((short) port).putShort((short) port).putShort((short) 9).putShort((short) 0);
        return packet.put((byte) 2).array();
    }

    @Test
    void withoutOverlayTheRouterIsTheEnd() throws Exception {
        network.nodes.keySet().retainAll(FIRST_THREE);
        for (String node : FIRST_THREE) {
            network.start(node, Overlay.NONE, List.of());
        }
        await(() -> network.agent("n1").status().standing() == 2);
        await(() -> network.agent("n2").status().standing() == 2);
        await(() -> reaches(network.host("p1"), "10.244.2.2"));
        assertThatThrownBy(() -> EchoServer.sourceSeen(network.host("p1"), "10.244.3.2"))
                .isInstanceOf(IOException.class);
    }

    /** For IPv6 the kernel does not replace a route to the gateway on another link by a route over the overlay. */
    @Test
    void routesGiveWayToTheOverlayAndComeBack() throws Exception {
        for (Overlay overlay : List.of(Overlay.AUTO, Overlay.VXLAN, Overlay.AUTO)) {
            startAll(FIRST_THREE, overlay);
            await(() -> reaches(network.host("p1"), "10.244.2.2"));
            await(() -> reaches(network.host("p1"), "fd44:2::2"));
        }
    }

    /**
     * Large segments and packets of the full size get through, although the overlay's MTU is smaller than the pods'.
     */
    @Test
    void bulkGoesThroughTheOverlay() throws Exception {
        startAll(FIRST_THREE, Overlay.AUTO);
        try (Socket socket = EchoServer.connect(network.host("p1"), "10.244.3.2")) {
            EchoServer.readLine(socket);
            byte[] bulk = new byte[200_000];
            Thread writer = new Thread(() -> {
                try {
                    socket.getOutputStream().write(bulk);
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            });
            writer.start();
            assertThat(socket.getInputStream().readNBytes(bulk.length)).isEqualTo(bulk);
            writer.join();
        }
    }

    @ParameterizedTest
    @CsvSource({"172.31.0.254, 172.30.0.11", "fd31::fe, fd30:0:0:0:0:0:0:11"})
    void whatLeavesTheClusterHasTheNodesAddress(String outside, String nodeAddress) throws Exception {
        startAll(FIRST_THREE, Overlay.AUTO);
        await(() -> reaches(network.host("p1"), outside));
        assertThat(sourceSeen(network.host("p1"), outside)).isEqualTo(nodeAddress);
        network.start("n1", Overlay.AUTO, List.of(Cidr.parse("172.31.0.0/24"), Cidr.parse("fd31::/64")));
        NetworkNamespace router = network.host("router");
        for (Route route : List.of(via("10.244.1.0/24", "172.30.0.11"), via("fd44:1::/64", "fd30::11"))) {
            router.addRoute(route);
        }
        await(() -> !EchoServer.sourceSeen(network.host("p1"), outside).equals(nodeAddress));
        assertThat(sourceSeen(network.host("p1"), outside)).isIn("10.244.1.2", "fd44:1:0:0:0:0:0:2");
    }

    @Test
    void connectionsLiveWhileNodesJoinLeaveAndMove() throws Exception {
        startAll(FIRST_THREE, Overlay.AUTO);
        try (LineConnection direct = LineConnection.start(network.host("p1"), "10.244.2.2");
                LineConnection tunnelled = LineConnection.start(network.host("p1"), "fd44:3::2")) {
            network.nodes.put("n4", RouteFixture.info("n4", "172.30.0.14,fd30::14", "10.244.4.0/24,fd44:4::/64"));
            network.start("n4", Overlay.AUTO, List.of());
            network.tellAll();
            awaitAll(List.of("n1", "n2", "n3", "n4"));
            await(() -> reaches(network.host("p1"), "10.244.4.2"));
            await(() -> reaches(network.host("p3"), "fd44:4::2"));

            network.nodes.remove("n4");
            network.stop("n4");
            network.tellAll();
            awaitAll(FIRST_THREE);
            assertThat(reaches(network.host("p1"), "10.244.4.2")).isFalse();
            direct.awaitMore();
            tunnelled.awaitMore();
            assertThat(direct.lost()).isZero();
            assertThat(tunnelled.lost()).isZero();

            // n2 and n3 change their addresses: packets under way wait until the nodes know, and then continue.
            move("n2", "172.30.0.12", "172.30.0.22");
            move("n3", "172.31.0.13", "172.31.0.33");
            network.tellAll();
            await(() -> network.host("n1")
                    .routes()
                    .contains(new Route(
                            Cidr.parse("10.244.2.0/24"),
                            Optional.of(IpAddress.parse("172.30.0.22")),
                            network.host("n1").link("eth0").orElseThrow().index())));
            awaitAll(FIRST_THREE);
            direct.awaitMore();
            tunnelled.awaitMore();
            direct.assertSameConnection();
            tunnelled.assertSameConnection();
        }
    }

    private void move(String node, String from, String to) throws Exception {
        NetworkNamespace host = network.host(node);
        Link uplink = host.link("eth0").orElseThrow();
        host.addAddress(uplink.index(), Cidr.parse(to + "/24"));
        NodeInfo before = Optional.ofNullable(network.nodes.get(node)).orElseThrow();
        List<IpAddress> addresses =
                List.of(IpAddress.parse(to), before.addresses().get(1));
        network.nodes.put(node, new NodeInfo(node, "", addresses, before.podCidrs()));
        network.tellAll();
        await(() -> reachesRouter(host));
        // Without promote_secondaries the new address would go with the old one, and all routes with it.
        host.setSysctl("net/ipv4/conf/eth0/promote_secondaries", "1");
        host.deleteAddress(uplink.index(), Cidr.parse(from + "/24"));
        if (host.routeTo(IpAddress.parse("192.0.2.1")).isEmpty()) {
            host.addRoute(
                    Route.defaultVia(IpAddress.parse(to.startsWith("172.30") ? "172.30.0.254" : "172.31.0.254"), 0));
        }
    }

    private static Route via(String destination, String gateway) {
        return new Route(Cidr.parse(destination), Optional.of(IpAddress.parse(gateway)), 0);
    }

    private static boolean reachesRouter(NetworkNamespace host) throws IOException {
        return host.routeTo(IpAddress.parse("172.30.0.254")).isPresent()
                || host.routeTo(IpAddress.parse("172.31.0.254")).isPresent();
    }

    @Test
    void whatIsRemovedBehindOurBackComesBack() throws Exception {
        startAll(FIRST_THREE, Overlay.AUTO);
        try (LineConnection direct = LineConnection.start(network.host("p1"), "10.244.2.2");
                LineConnection tunnelled = LineConnection.start(network.host("p1"), "10.244.3.2")) {
            NetworkNamespace n1 = network.host("n1");
            n1.deleteRoute(
                    new Route(Cidr.parse("10.244.2.0/24"), Optional.empty(), 0),
                    RouteOptions.of(PodRoutes.PROTOCOL, false));
            awaitStanding(n1, "10.244.2.0/24");
            n1.deleteLink(n1.link(OverlayLink.NAME).orElseThrow().index());
            awaitStanding(n1, "10.244.3.0/24");
            Link uplink = n1.link("eth0").orElseThrow();
            n1.setUp(uplink.index(), false);
            n1.setUp(uplink.index(), true);
            n1.addRoute(Route.defaultVia(IpAddress.parse("172.30.0.254"), 0));
            awaitStanding(n1, "10.244.2.0/24");
            awaitStanding(n1, "10.244.3.0/24");
            direct.awaitMore();
            tunnelled.awaitMore();
            direct.assertSameConnection();
            tunnelled.assertSameConnection();
        }
    }

    private static void awaitStanding(NetworkNamespace host, String podCidr) throws Exception {
        await(() -> host.routes().stream()
                .anyMatch(route -> route.destination().toString().equals(podCidr)));
    }

    @Test
    void thatAPacketIsLostWouldShow() throws Exception {
        startAll(FIRST_THREE, Overlay.AUTO);
        NetworkNamespace node = network.host("n1");
        try (LineConnection direct = LineConnection.start(network.host("p1"), "10.244.2.2")) {
            direct.awaitMore();
            node.setSysctl("net/ipv4/ip_forward", "0");
            Eventually.isTrue("a packet was sent again", direct::hasResent);
            node.setSysctl("net/ipv4/ip_forward", "1");
            direct.awaitMore();
            assertThat(direct.lost()).isPositive();
        }
    }

    @Test
    void trafficGoesOnWithoutTheAgentAndWithANewOne() throws Exception {
        startAll(FIRST_THREE, Overlay.AUTO);
        try (LineConnection direct = LineConnection.start(network.host("p1"), "10.244.2.2");
                LineConnection tunnelled = LineConnection.start(network.host("p1"), "10.244.3.2")) {
            for (String node : FIRST_THREE) {
                network.stop(node);
            }
            direct.awaitMore();
            tunnelled.awaitMore();
            for (String node : FIRST_THREE) {
                network.start(node, Overlay.AUTO, List.of());
            }
            awaitAll(FIRST_THREE);
            assertThat(network.agent("n1").status().changes()).isZero();
            direct.awaitMore();
            tunnelled.awaitMore();
            assertThat(direct.lost() + tunnelled.lost()).isZero();
        }
    }
}
