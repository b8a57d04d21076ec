package dev.nodepath.agent.routes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.link.Vxlan;
import dev.nodepath.linux.link.VxlanSpec;
import dev.nodepath.linux.namespace.VethSpec;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftFamily;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.route.ListedRoute;
import dev.nodepath.linux.route.Route;
import dev.nodepath.linux.route.RouteOptions;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A cleanup of a node, on the fake kernel. */
class RouteRemovalTest {
    private static final NftChain FOREIGN = new NftChain(
            new NftTable(NftFamily.INET, "nodepath_cni"), "net-a", Optional.of(NftChain.Hook.POSTROUTING_NAT));

    private final RouteFixture node = new RouteFixture();

    RouteRemovalTest() throws LinuxNetException {}

    @Test
    void leavesTheNodeAsItWasBefore() throws Exception {
        Route foreign = node.via("10.99.0.0/16", "172.30.0.77", node.uplink.index());
        node.host.addRouteIfAbsent(foreign, RouteOptions.of(111, false));
        node.host.nftApply(List.of(new NftChange.AddTable(FOREIGN.table()), new NftChange.AddChain(FOREIGN)));
        List<ListedRoute> routes = node.host.listedRoutes();
        List<Link> links = node.host.links();
        String rules = node.kernel.nftState();
        node.node("n2", "172.30.0.12,fd30::12", "10.244.2.0/24,fd44:2::/64").node("n3", "172.31.0.13", "10.244.3.0/24");
        assertThat(node.sync(Overlay.AUTO).standing()).isEqualTo(3);
        assertThat(node.host.listedRoutes()).isNotEqualTo(routes);
        assertThat(node.host.links()).isNotEqualTo(links);
        assertThat(node.kernel.nftState()).isNotEqualTo(rules);

        assertThat(RouteRemoval.removeAll(node.host)).isEmpty();

        assertThat(node.host.listedRoutes()).isEqualTo(routes);
        assertThat(node.host.links()).isEqualTo(links);
        assertThat(node.kernel.nftState()).isEqualTo(rules);
        assertThat(RouteRemoval.removeAll(node.host)).as("nothing is there").isEmpty();
    }

    @Test
    void leavesALinkOfOurNameThatIsNoTunnel() throws Exception {
        Link other = node.host.createVeth(
                new VethSpec(OverlayLink.NAME, Optional.empty(), "p9", node.host, Optional.empty()));
        assertThat(RouteRemoval.removeAll(node.host)).isEmpty();
        assertThat(node.host.link(other.index())).isPresent();
    }

    @ParameterizedTest
    @CsvSource({"7," + OverlayLink.PORT, OverlayLink.ID + ",8472"})
    void leavesATunnelOfOurNameThatSomebodyElseMade(int id, int port) throws Exception {
        Vxlan tunnel = new Vxlan(id, IpAddress.parse("172.30.0.11"), port, false);
        Link other = node.host.createVxlan(new VxlanSpec(OverlayLink.NAME, OverlayLink.mac("n1"), 1450, tunnel));
        assertThat(RouteRemoval.removeAll(node.host)).isEmpty();
        assertThat(node.host.link(other.index())).isPresent();
    }

    @Test
    void whatIsRefusedKeepsNothingElse() throws Exception {
        node.node("n2", "172.30.0.12", "10.244.2.0/24").node("n3", "172.31.0.13", "10.244.3.0/24");
        node.sync(Overlay.AUTO);
        node.kernel.failNext("deleteRoute", Errno.EPERM);
        assertThat(RouteRemoval.removeAll(node.host)).singleElement().asString().contains("EPERM");
        assertThat(node.host.link(OverlayLink.NAME)).isEmpty();
        assertThat(node.kernel.nftState()).isEmpty();
        node.kernel.failNext("listedRoutes", Errno.ENOBUFS);
        assertThat(RouteRemoval.removeAll(node.host)).hasSize(1);
        assertThat(RouteRemoval.removeAll(node.host)).isEmpty();
        assertThat(node.routes()).isEmpty();
    }

    @Test
    void aKernelWithoutNfTablesHasNothingToRemoveThere() throws Exception {
        node.kernel.failNext("nftApply", Errno.EOPNOTSUPP);
        assertThat(RouteRemoval.removeAll(node.host)).isEmpty();
    }
}
