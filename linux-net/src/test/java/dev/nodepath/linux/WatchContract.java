package dev.nodepath.linux;

import static dev.nodepath.linux.ContractFixture.via;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.MacAddress;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkChange;
import dev.nodepath.linux.namespace.NetworkWatch;
import dev.nodepath.linux.route.Neighbour;
import dev.nodepath.linux.route.Route;
import dev.nodepath.linux.route.RouteOptions;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Announcements of changes. */
interface WatchContract extends ContractFixture {
    Duration TOLD_MAX = Duration.ofSeconds(30);
    int PROTOCOL = 110;

    private static void assertTold(NetworkWatch watch, NetworkChange expected) throws LinuxNetException {
        List<NetworkChange> told = new ArrayList<>();
        long deadline = System.nanoTime() + TOLD_MAX.toNanos();
        while (!told.contains(expected) && System.nanoTime() < deadline) {
            told.addAll(watch.await(Duration.ofSeconds(1)));
        }
        assertThat(told).contains(expected);
    }

    @Test
    default void tellsOfRoutesWithTheirProtocol() throws Exception {
        Link link = wire("v0", "p0");
        near().addAddress(link.index(), Cidr.parse("10.1.0.1/24"));
        Route route = via("10.9.0.0/16", "10.1.0.2", link.index());
        try (NetworkWatch watch = near().watch()) {
            near().addRouteIfAbsent(route, RouteOptions.of(PROTOCOL, false));
            assertTold(watch, new NetworkChange(NetworkChange.Kind.ROUTE, false, link.index(), PROTOCOL));
            near().deleteRoute(route);
            assertTold(watch, new NetworkChange(NetworkChange.Kind.ROUTE, true, link.index(), PROTOCOL));
        }
    }

    @Test
    default void tellsOfLinksAddressesAndNeighbours() throws Exception {
        Link link = veth("v0", "p0");
        try (NetworkWatch watch = near().watch()) {
            near().setUp(link.index(), true);
            assertTold(watch, new NetworkChange(NetworkChange.Kind.LINK, false, link.index(), 0));
            near().addAddress(link.index(), Cidr.parse("10.1.0.1/24"));
            assertTold(watch, new NetworkChange(NetworkChange.Kind.ADDRESS, false, link.index(), 0));
            near().deleteAddress(link.index(), Cidr.parse("10.1.0.1/24"));
            assertTold(watch, new NetworkChange(NetworkChange.Kind.ADDRESS, true, link.index(), 0));
            Neighbour neighbour = new Neighbour(link.index(), IpAddress.parse("fd00::9"), new MacAddress(2));
            near().neighbourTables().setNeighbour(neighbour);
            near().neighbourTables().deleteNeighbour(neighbour);
            assertTold(watch, new NetworkChange(NetworkChange.Kind.NEIGHBOUR, true, link.index(), 0));
            near().deleteLink(link.index());
            assertTold(watch, new NetworkChange(NetworkChange.Kind.LINK, true, link.index(), 0));
        }
    }

    @Test
    default void nothingHappensNothingIsTold() throws Exception {
        try (NetworkWatch watch = near().watch()) {
            assertThat(watch.await(Duration.ofMillis(1))).isEmpty();
        }
    }
}
