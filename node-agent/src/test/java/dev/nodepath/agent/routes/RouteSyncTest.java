package dev.nodepath.agent.routes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.VethSpec;
import dev.nodepath.linux.route.Route;
import dev.nodepath.linux.route.RouteOptions;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A sync of a node, on the fake kernel. */
class RouteSyncTest {
    private static final String MAC_2 = OverlayLink.mac("n2").toString();
    private static final String MAC_3 = OverlayLink.mac("n3").toString();

    @SuppressWarnings("NullAway.Init") // lives from @BeforeEach
    private RouteFixture node;

    @BeforeEach
    void makeNode() throws LinuxNetException {
        node = new RouteFixture();
    }

    @Test
    void routesThroughNodesOnTheSameLink() throws Exception {
        node.node("n2", "172.30.0.12,fd30::12", "10.244.2.0/24,fd44:2::/64");
        RouteSync.Result result = node.sync(Overlay.AUTO);
        assertThat(node.routes())
                .containsExactly("10.244.2.0/24 via 172.30.0.12 dev eth0", "fd44:2::/64 via fd30::12 dev eth0");
        assertThat(result.errors()).isEmpty();
        assertThat(result.plan().problems()).isEmpty();
        assertThat(result.standing()).isEqualTo(2);
        assertThat(result.plan().podMtu()).isEqualTo(OptionalInt.of(1500));
        assertThat(node.host.link(OverlayLink.NAME)).isEmpty();
        assertThat(node.sync(Overlay.AUTO).changes()).isZero();
    }

    @Test
    void asksTheKernelForTheWayToANodeOnce() throws Exception {
        CountingNamespace counting = new CountingNamespace(node.host);
        RouteSync sync = new RouteSync(counting.namespace(), RouteFixture.settings(Overlay.AUTO));
        for (int i = 2; i <= 100; i++) {
            node.node("n" + i, "172.30.0." + (100 + i), "10.244." + i + ".0/24");
        }
        sync.sync(node.nodes);
        assertThat(counting.takeCalls("routeTo")).as("n1 has two addresses").isEqualTo(101);
        sync.sync(node.nodes);
        assertThat(counting.takeCalls("routeTo")).as("nothing changed").isZero();
        sync.sync(node.node("n101", "172.31.0.1", "10.245.0.0/24").nodes);
        assertThat(counting.takeCalls("routeTo")).as("one Node is new").isEqualTo(1);
        node.host.addRoute(node.via("172.31.0.0/24", "172.30.0.254", node.uplink.index()));
        sync.sync(node.nodes);
        assertThat(counting.takeCalls("routeTo")).as("a route is new").isEqualTo(102);
    }

    @Test
    void modesDecide() throws Exception {
        node.node("n2", "172.30.0.12", "10.244.2.0/24").node("n3", "172.31.0.13", "10.244.3.0/24");
        node.sync(Overlay.VXLAN);
        assertThat(node.routes())
                .containsExactly(
                        "10.244.2.0/24 via 10.244.2.0 dev nodepath-vxlan onlink",
                        "10.244.3.0/24 via 10.244.3.0 dev nodepath-vxlan onlink");
        RouteSync.Result none = node.sync(Overlay.NONE);
        assertThat(node.routes()).containsExactly("10.244.2.0/24 via 172.30.0.12 dev eth0");
        assertThat(node.host.link(OverlayLink.NAME)).isEmpty();
        assertThat(none.plan().problems())
                .containsExactly("Node n3: addresses [172.31.0.13] (expected: one of IPv4 on a link of this node, "
                        + "or another --overlay than none)");
        assertThat(none.plan().wanted()).isEqualTo(2);
        assertThat(none.standing()).isEqualTo(1);
        assertThat(none.errors()).isEmpty();
    }

    @Test
    void followsNodesThatJoinLeaveAndMove() throws Exception {
        node.node("n2", "172.30.0.12", "10.244.2.0/24").node("n3", "172.31.0.13", "10.244.3.0/24");
        node.sync(Overlay.AUTO);
        node.node("n2", "172.30.0.22", "10.244.2.0/24").node("n3", "172.31.0.33", "10.244.3.0/24");
        node.node("n4", "172.30.0.14", "10.244.4.0/24");
        node.sync(Overlay.AUTO);
        assertThat(node.routes())
                .containsExactly(
                        "10.244.2.0/24 via 172.30.0.22 dev eth0",
                        "10.244.3.0/24 via 10.244.3.0 dev nodepath-vxlan onlink",
                        "10.244.4.0/24 via 172.30.0.14 dev eth0");
        assertThat(node.forwardings()).containsExactly(MAC_3 + " 172.31.0.33");
        // Each moves to where the other way is needed.
        node.node("n2", "172.31.0.22", "10.244.2.0/24").node("n3", "172.30.0.13", "10.244.3.0/24");
        node.nodes.remove("n4");
        assertThat(node.sync(Overlay.AUTO).errors()).isEmpty();
        assertThat(node.routes())
                .containsExactly(
                        "10.244.2.0/24 via 10.244.2.0 dev nodepath-vxlan onlink",
                        "10.244.3.0/24 via 172.30.0.13 dev eth0");
        assertThat(node.forwardings()).containsExactly(MAC_2 + " 172.31.0.22");
        assertThat(node.neighbours()).containsExactly("10.244.2.0 " + MAC_2);
        node.nodes.remove("n2");
        node.nodes.remove("n3");
        node.sync(Overlay.AUTO);
        assertThat(node.routes()).isEmpty();
        assertThat(node.host.link(OverlayLink.NAME)).isEmpty();
    }

    @Test
    void neverTouchesForeignRoutes() throws Exception {
        int link = node.uplink.index();
        node.host.addRoute(node.via("10.244.2.0/24", "172.30.0.77", link));
        node.host.addRoute(node.via("10.244.3.128/25", "172.30.0.77", link));
        node.host.addRoute(node.via("10.0.0.0/8", "172.30.0.77", link));
        node.host.addRoute(node.via("10.244.5.0/24", "172.30.0.15", link));
        node.host.addRoute(new Route(Cidr.parse("10.244.6.0/23"), Optional.empty(), link));
        List<Route> before = node.host.routes();
        for (int i = 2; i <= 6; i++) {
            node.node("n" + i, "172.30.0.1" + i, "10.244." + i + ".0/24");
        }
        RouteSync.Result result = node.sync(Overlay.AUTO);
        assertThat(node.routes()).containsExactly("10.244.4.0/24 via 172.30.0.14 dev eth0");
        assertThat(result.plan().problems())
                .containsExactly(
                        "Node n2: podCIDR 10.244.2.0/24 overlaps this host's route 10.244.2.0/24 via 172.30.0.77 dev eth0 "
                                + "(expected: a network of its own)",
                        "Node n3: podCIDR 10.244.3.0/24 overlaps this host's route 10.244.3.128/25 via 172.30.0.77 dev eth0 "
                                + "(expected: a network of its own)",
                        "Node n6: podCIDR 10.244.6.0/24 overlaps this host's route 10.244.6.0/23 dev eth0 "
                                + "(expected: a network of its own)");
        // Another program keeps n5's route, in the right form.
        assertThat(result.standing()).isEqualTo(2);
        assertThat(result.plan().wanted()).isEqualTo(5);
        node.nodes.keySet().removeIf(name -> !name.equals("n1"));
        node.sync(Overlay.AUTO);
        assertThat(node.host.routes()).containsExactlyInAnyOrderElementsOf(before);
    }

    @Test
    void ownPodCidrInTheWayOfTheHostIsSaid() throws Exception {
        node.node("n1", "172.30.0.11", "172.30.0.0/25");
        assertThat(node.sync(Overlay.AUTO).plan().ownProblem())
                .contains("Node n1: podCIDR 172.30.0.0/25 overlaps this host's route 172.30.0.0/24 dev eth0 "
                        + "(expected: a network of its own)");
        node.node("n1", "172.30.0.11", "");
        assertThat(node.sync(Overlay.AUTO).plan().ownProblem()).contains("Node n1 has no podCIDR yet");
    }

    @Test
    void ownPodsAreInNobodysWay() throws Exception {
        Link bridge = node.host.createVeth(new VethSpec("cni0", Optional.empty(), "c0", node.host, Optional.empty()));
        node.host.setUp(bridge.index(), true);
        node.host.addAddress(bridge.index(), Cidr.parse("10.244.1.1/24"));
        assertThat(node.sync(Overlay.AUTO).plan().ownProblem()).isEmpty();
    }

    @Test
    void podCidrsOfTwoNodesMustDiffer() throws Exception {
        node.node("n2", "172.30.0.12", "10.244.1.128/25").node("n3", "172.30.0.13", "10.244.3.0/24");
        node.node("n4", "172.30.0.14", "10.244.3.0/24");
        RouteSync.Result result = node.sync(Overlay.AUTO);
        assertThat(node.routes()).containsExactly("10.244.3.0/24 via 172.30.0.13 dev eth0");
        assertThat(result.plan().problems())
                .containsExactly(
                        "Node n2: podCIDR 10.244.1.128/25 overlaps 10.244.1.0/24 of another Node",
                        "Node n4: podCIDR 10.244.3.0/24 overlaps 10.244.3.0/24 of another Node");
    }

    @Test
    void removesStrayRoutesOfItsOwn() throws Exception {
        int link = node.uplink.index();
        node.host.addRouteIfAbsent(
                node.via("10.99.0.0/16", "172.30.0.77", link), RouteOptions.of(PodRoutes.PROTOCOL, false));
        node.host.addRoute(
                node.via("10.244.2.0/24", "172.30.0.77", link),
                RouteOptions.of(PodRoutes.PROTOCOL, false).withPriority(Optional.of(5)));
        node.node("n2", "172.30.0.12", "10.244.2.0/24");
        node.sync(Overlay.AUTO);
        node.sync(Overlay.AUTO);
        assertThat(node.routes()).containsExactly("10.244.2.0/24 via 172.30.0.12 dev eth0");
    }

    /** After a failure of any call the next sync succeeds. */
    @Test
    void healsAfterAFailureAtAnyStep() throws Exception {
        node.node("n2", "172.30.0.12,fd30::12", "10.244.2.0/24,fd44:2::/64")
                .node("n3", "172.31.0.13", "10.244.3.0/24,fd44:3::/64");
        node.sync(Overlay.AUTO);
        List<String> expected = node.routes();
        int failures = 0;
        for (int call = 1; call <= 60; call++) {
            RouteFixture fresh = new RouteFixture();
            fresh.nodes.putAll(node.nodes);
            fresh.kernel.failCall(call, Errno.ENOBUFS);
            try {
                failures += fresh.sync(Overlay.AUTO).errors().isEmpty() ? 0 : 1;
            } catch (LinuxNetException e) {
                failures++;
            }
            fresh.kernel.stopFailing();
            assertThat(fresh.sync(Overlay.AUTO).standing())
                    .as("after failure of call %s", call)
                    .isEqualTo(4);
            assertThat(fresh.routes()).isEqualTo(expected);
            assertThat(fresh.kernel.nftState()).isEqualTo(node.kernel.nftState());
        }
        assertThat(failures).isGreaterThan(20);
    }

    /** From any state to any other, the result depends on where it goes and not on where it comes from. */
    @Test
    void endsInTheSameStateFromAnyOther() throws Exception {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int round = 0; round < 100; round++) {
            RouteFixture fresh = new RouteFixture();
            node.nodes.keySet().removeIf(name -> !name.equals("n1"));
            for (int i = 2; i < 8; i++) {
                if (random.nextBoolean()) {
                    String network = random.nextBoolean() ? "172.30.0." : "172.31.0.";
                    node.node("n" + i, network + (20 + random.nextInt(50)), "10.244." + i + ".0/24");
                }
            }
            Overlay overlay = List.of(Overlay.AUTO, Overlay.NONE, Overlay.VXLAN).get(random.nextInt(3));
            fresh.nodes.putAll(node.nodes);
            node.sync(overlay);
            fresh.sync(overlay);
            assertThat(state(node)).as("round %s of seed %s", round, seed).isEqualTo(state(fresh));
        }
    }

    private static List<String> state(RouteFixture fixture) throws LinuxNetException {
        List<String> state = new ArrayList<>(fixture.routes());
        if (fixture.host.link(OverlayLink.NAME).isPresent()) {
            state.addAll(fixture.forwardings());
            state.addAll(fixture.neighbours());
        }
        state.add(fixture.kernel.nftState().replaceAll("handle \\d+", ""));
        return state;
    }

    @Test
    void masqueradesWhatLeavesTheCluster() throws Exception {
        node.node("n2", "172.30.0.12", "10.244.2.0/24").node("n3", "172.30.0.13", "10.244.3.0/24");
        node.sync(Overlay.AUTO);
        assertThat(comments())
                .containsExactly(
                        "inside 10.244.1.0/24",
                        "inside 10.244.2.0/23",
                        "inside fd44:1::/64",
                        "outside from 10.244.1.0/24",
                        "outside from fd44:1::/64");
        RouteSettings more = new RouteSettings("n1", Overlay.AUTO, "cni0", true, List.of(Cidr.parse("192.168.0.0/16")));
        new RouteSync(node.host, more).sync(node.nodes);
        assertThat(comments()).contains("inside 192.168.0.0/16").hasSize(6);
        RouteSettings off = new RouteSettings("n1", Overlay.AUTO, "cni0", false, List.of());
        new RouteSync(node.host, off).sync(node.nodes);
        assertThat(node.kernel.nftState()).doesNotContain("pod-masquerade");
    }

    private List<String> comments() {
        return node.kernel
                .nftState()
                .lines()
                .filter(line -> line.contains(" # "))
                .map(line -> line.substring(line.indexOf(" # ") + 3))
                .toList();
    }
}
