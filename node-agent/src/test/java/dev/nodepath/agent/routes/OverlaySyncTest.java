package dev.nodepath.agent.routes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.link.Vxlan;
import dev.nodepath.linux.link.VxlanSpec;
import dev.nodepath.linux.namespace.VethSpec;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A sync of the link to nodes behind a router, on the fake kernel. */
class OverlaySyncTest {
    private static final String MAC_2 = OverlayLink.mac("n2").toString();
    private static final String MAC_3 = OverlayLink.mac("n3").toString();

    @SuppressWarnings("NullAway.Init") // lives from @BeforeEach
    private RouteFixture node;

    @BeforeEach
    void makeNode() throws LinuxNetException {
        node = new RouteFixture();
    }

    @Test
    void tunnelsToNodesBehindARouter() throws Exception {
        node.node("n2", "172.30.0.12", "10.244.2.0/24").node("n3", "172.31.0.13", "10.244.3.0/24,fd44:3::/64");
        RouteSync.Result result = node.sync(Overlay.AUTO);
        assertThat(result.errors()).isEmpty();
        assertThat(node.routes())
                .containsExactly(
                        "10.244.2.0/24 via 172.30.0.12 dev eth0",
                        "10.244.3.0/24 via 10.244.3.0 dev nodepath-vxlan onlink",
                        "fd44:3::/64 via fd44:3:: dev nodepath-vxlan onlink");
        assertThat(node.forwardings()).containsExactly(MAC_3 + " 172.31.0.13");
        assertThat(node.neighbours()).containsExactly("10.244.3.0 " + MAC_3, "fd44:3:: " + MAC_3);
        Link overlay = node.overlay();
        assertThat(overlay.up()).isTrue();
        assertThat(overlay.mtu()).isEqualTo(1450);
        assertThat(overlay.mac()).contains(OverlayLink.mac("n1"));
        assertThat(node.host.addresses(overlay.index()))
                .extracting(address -> address.address().toString())
                .containsExactlyInAnyOrder("10.244.1.0/32", "fd44:1::/128");
        assertThat(result.standing()).isEqualTo(3);
        assertThat(result.plan().podMtu()).isEqualTo(OptionalInt.of(1450));
        assertThat(node.sync(Overlay.AUTO).changes()).isZero();
    }

    @Test
    void podsCannotSendToTheOverlay() throws Exception {
        node.node("n2", "172.30.0.12", "10.244.2.0/24");
        node.sync(Overlay.AUTO);
        assertThat(node.kernel.nftState()).doesNotContain("overlay-");
        node.sync(Overlay.VXLAN);
        String guarded = node.kernel.nftState();
        assertThat(guarded).contains("overlay-input", "overlay-forward", "udp 4789 from cni0");
        node.host.nftApply(
                List.of(new NftChange.DeleteTable(PodMasquerade.CHAIN.table()))); // as another program does it
        node.sync(Overlay.VXLAN);
        assertThat(node.kernel.nftState()).isEqualTo(guarded);
        node.sync(Overlay.NONE);
        assertThat(node.kernel.nftState()).doesNotContain("overlay-");
    }

    @Test
    void overlayIsLargerOverIpv6() throws Exception {
        node.node("n1", "fd30::11,172.30.0.11", "10.244.1.0/24").node("n2", "172.30.0.12,fd30::12", "10.244.2.0/24");
        assertThat(node.sync(Overlay.VXLAN).errors()).isEmpty();
        assertThat(node.overlay().mtu()).isEqualTo(1430);
        assertThat(node.forwardings()).containsExactly(MAC_2 + " fd30::12");
    }

    /** A route that the kernel does not replace. */
    @Test
    void anIpv6RouteStaysWhenItCannotBeMovedToTheOverlay() throws Exception {
        node.node("n2", "172.30.0.12,fd30::12", "10.244.2.0/24,fd44:2::/64");
        node.sync(Overlay.AUTO);
        node.kernel.failNext("addRouteIfAbsent", Errno.EINVAL);
        assertThat(node.sync(Overlay.VXLAN).errors()).singleElement().asString().contains("EINVAL");
        assertThat(node.routes())
                .containsExactly(
                        "10.244.2.0/24 via 10.244.2.0 dev nodepath-vxlan onlink", "fd44:2::/64 via fd30::12 dev eth0");
        assertThat(node.sync(Overlay.VXLAN).errors()).isEmpty();
        assertThat(node.routes())
                .containsExactly(
                        "10.244.2.0/24 via 10.244.2.0 dev nodepath-vxlan onlink",
                        "fd44:2::/64 via fd44:2:: dev nodepath-vxlan onlink");
    }

    @Test
    void leavesATunnelOfItsNameThatSomebodyElseMade() throws Exception {
        Vxlan tunnel = new Vxlan(7, IpAddress.parse("172.30.0.11"), OverlayLink.PORT, false);
        Link other = node.host.createVxlan(new VxlanSpec(OverlayLink.NAME, OverlayLink.mac("n1"), 1450, tunnel));
        node.node("n3", "172.31.0.13", "10.244.3.0/24");
        assertThat(node.sync(Overlay.AUTO).errors())
                .singleElement()
                .asString()
                .contains("VXLAN 7 on port 4789 has that name (expected: VXLAN 28272 on port 4789, or none)");
        assertThat(node.routes()).isEmpty();
        assertThat(node.host.link(other.index())).isPresent();
    }

    @Test
    void remakesTheOverlayForANewOwnAddress() throws Exception {
        node.node("n3", "172.31.0.13", "10.244.3.0/24");
        node.sync(Overlay.AUTO);
        node.host.addAddress(node.uplink.index(), Cidr.parse("172.30.0.99/24"));
        node.node("n1", "172.30.0.99", "10.244.9.0/24");
        assertThat(node.sync(Overlay.AUTO).errors()).isEmpty();
        assertThat(node.overlay().vxlan().orElseThrow().local()).hasToString("172.30.0.99");
        assertThat(node.host.addresses(node.overlay().index()))
                .extracting(address -> address.address().toString())
                .containsExactly("10.244.9.0/32");
        assertThat(node.routes()).containsExactly("10.244.3.0/24 via 10.244.3.0 dev nodepath-vxlan onlink");
        assertThat(node.forwardings()).hasSize(1);
    }

    @Test
    void overlayFollowsTheMtuBelowAndWhatWasSetByHand() throws Exception {
        node.node("n3", "172.31.0.13", "10.244.3.0/24");
        node.sync(Overlay.AUTO);
        node.host.setMtu(node.uplink.index(), 9000);
        node.host.setUp(node.overlay().index(), false);
        assertThat(node.sync(Overlay.AUTO).standing()).isEqualTo(1);
        assertThat(node.overlay().mtu()).isEqualTo(8950);
        assertThat(node.overlay().up()).isTrue();
        assertThat(node.neighbours()).hasSize(1);
    }

    @Test
    void withoutVxlanDirectRoutesStand() throws Exception {
        node.node("n2", "172.30.0.12", "10.244.2.0/24").node("n3", "172.31.0.13", "10.244.3.0/24");
        node.kernel.failNext("createVxlan", Errno.EOPNOTSUPP);
        RouteSync.Result result = node.sync(Overlay.AUTO);
        assertThat(result.errors())
                .containsExactly("make the overlay: EOPNOTSUPP (this kernel has no VXLAN (expected: the module vxlan, "
                        + "or --overlay=none))");
        assertThat(node.routes()).containsExactly("10.244.2.0/24 via 172.30.0.12 dev eth0");
        assertThat(result.standing()).isEqualTo(1);
        assertThat(node.sync(Overlay.AUTO).standing()).isEqualTo(2);
    }

    @Test
    void anotherLinkOfOurNameIsLeftAlone() throws Exception {
        Link other = node.host.createVeth(
                new VethSpec(OverlayLink.NAME, Optional.empty(), "p9", node.host, Optional.empty()));
        node.node("n3", "172.31.0.13", "10.244.3.0/24");
        assertThat(node.sync(Overlay.AUTO).errors())
                .containsExactly(
                        "make link nodepath-vxlan: EEXIST (a link of kind \"veth\" has that name (expected: VXLAN 28272 on port"
                                + " 4789, or none))");
        assertThat(node.host.link(other.index())).isPresent();
        node.nodes.remove("n3");
        node.sync(Overlay.AUTO);
        assertThat(node.host.link(other.index())).isPresent();
    }
}
