package dev.nodepath.linux;

import static dev.nodepath.linux.ContractFixture.assertRefused;
import static dev.nodepath.linux.ContractFixture.via;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.MacAddress;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.link.Vxlan;
import dev.nodepath.linux.link.VxlanSpec;
import dev.nodepath.linux.route.Forwarding;
import dev.nodepath.linux.route.Neighbour;
import dev.nodepath.linux.route.Route;
import dev.nodepath.linux.route.RouteOptions;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** VXLAN links, where they forward to, and permanent neighbours. */
interface VxlanContract extends ContractFixture {
    MacAddress OWN_MAC = MacAddress.parse("02:00:00:00:00:01");
    MacAddress MAC_A = MacAddress.parse("02:00:00:00:00:0a");
    MacAddress MAC_B = MacAddress.parse("02:00:00:00:00:0b");

    private static VxlanSpec spec(String name, int id, String local, int port) {
        return new VxlanSpec(name, OWN_MAC, 1450, new Vxlan(id, IpAddress.parse(local), port, false));
    }

    private int vxlan() throws LinuxNetException {
        int index = near().createVxlan(spec("vx0", 7, "10.0.0.1", 4789)).index();
        near().setUp(index, true);
        return index;
    }

    @ParameterizedTest
    @CsvSource({"10.0.0.1, 1, 4789, false", "fd00::1, 16777215, 8472, true"})
    default void makesVxlan(String local, int id, int port, boolean learning) throws Exception {
        Vxlan tunnel = new Vxlan(id, IpAddress.parse(local), port, learning);
        Link link = near().createVxlan(new VxlanSpec("vx0", OWN_MAC, 1430, tunnel));
        assertThat(link.kind()).isEqualTo("vxlan");
        assertThat(link.vxlan()).contains(tunnel);
        assertThat(link.mac()).contains(OWN_MAC);
        assertThat(link.mtu()).isEqualTo(1430);
        assertThat(near().links()).contains(link);
        near().deleteLink(link.index());
        assertThat(near().link("vx0")).isEmpty();
    }

    @Test
    default void refusesSecondVxlanOfOneIdAndPort() throws Exception {
        near().createVxlan(spec("vx0", 7, "10.0.0.1", 4789));
        assertRefused(Errno.EEXIST, () -> near().createVxlan(spec("vx0", 8, "10.0.0.1", 4789)));
        assertRefused(Errno.EEXIST, () -> near().createVxlan(spec("vx1", 7, "10.0.0.2", 4789)));
        near().createVxlan(spec("vx1", 8, "10.0.0.1", 4789));
        near().createVxlan(spec("vx2", 7, "10.0.0.1", 4790));
    }

    @Test
    default void setsAndDeletesForwardings() throws Exception {
        int link = vxlan();
        assertThat(near().neighbourTables().forwardings(link)).isEmpty();
        Forwarding first = new Forwarding(link, MAC_A, IpAddress.parse("10.0.0.2"));
        Forwarding second = new Forwarding(link, MAC_B, IpAddress.parse("10.0.0.3"));
        near().neighbourTables().setForwarding(first);
        near().neighbourTables().setForwarding(second);
        assertThat(near().neighbourTables().forwardings(link)).containsExactlyInAnyOrder(first, second);

        Forwarding moved = new Forwarding(link, MAC_A, IpAddress.parse("10.0.0.9"));
        near().neighbourTables().setForwarding(moved);
        near().neighbourTables().setForwarding(moved);
        assertThat(near().neighbourTables().forwardings(link)).containsExactlyInAnyOrder(moved, second);
        near().setUp(link, false);
        assertThat(near().neighbourTables().forwardings(link)).containsExactlyInAnyOrder(moved, second);

        near().neighbourTables().deleteForwarding(moved);
        assertThat(near().neighbourTables().forwardings(link)).containsExactly(second);
        assertRefused(Errno.ENOENT, () -> near().neighbourTables().deleteForwarding(moved));
    }

    @ParameterizedTest
    @CsvSource({"10.244.2.0, 10.244.3.0", "fd00:2::, fd00:3::"})
    default void setsAndDeletesNeighbours(String one, String other) throws Exception {
        int link = vxlan();
        Neighbour first = new Neighbour(link, IpAddress.parse(one), MAC_A);
        Neighbour second = new Neighbour(link, IpAddress.parse(other), MAC_B);
        near().neighbourTables().setNeighbour(first);
        near().neighbourTables().setNeighbour(second);
        assertThat(near().neighbourTables().neighbours(link)).containsExactlyInAnyOrder(first, second);

        Neighbour changed = new Neighbour(link, IpAddress.parse(one), MAC_B);
        near().neighbourTables().setNeighbour(changed);
        assertThat(near().neighbourTables().neighbours(link)).containsExactlyInAnyOrder(changed, second);
        near().neighbourTables().deleteNeighbour(first);
        assertThat(near().neighbourTables().neighbours(link)).containsExactly(second);
        assertRefused(Errno.ENOENT, () -> near().neighbourTables().deleteNeighbour(first));
        near().setUp(link, false);
        assertThat(near().neighbourTables().neighbours(link)).isEmpty();
    }

    @Test
    default void linkThatIsGoneHasNoNeighboursAndTakesNone() throws Exception {
        int gone = vxlan();
        near().deleteLink(gone);
        assertThat(near().neighbourTables().neighbours(gone)).isEmpty();
        assertThat(near().neighbourTables().forwardings(gone)).isEmpty();
        IpAddress address = IpAddress.parse("10.0.0.2");
        assertRefused(Errno.ENODEV, () -> near().neighbourTables().setNeighbour(new Neighbour(gone, address, MAC_A)));
        assertRefused(Errno.ENODEV, () -> near().neighbourTables().setForwarding(new Forwarding(gone, MAC_A, address)));
    }

    @ParameterizedTest
    @CsvSource({"10.244.2.0/24, 10.244.2.0", "fd00:2::/64, fd00:2::"})
    default void onLinkRouteNeedsNoRouteToItsGateway(String destination, String gateway) throws Exception {
        int link = vxlan();
        // Until a namespace has its first address, the kernel takes every gateway of IPv4 for a broadcast address.
        near().addAddress(link, Cidr.parse("10.244.1.0/32"));
        Route route = via(destination, gateway, link);
        near().addRouteIfAbsent(route, RouteOptions.of(110, true));
        assertThat(near().listedRoutes().stream().filter(each -> each.route().equals(route)))
                .singleElement()
                .satisfies(each -> assertThat(each.options().onLink()).isTrue());
    }
}
