package dev.nodepath.proxy.userspace.relay;

import static dev.nodepath.proxy.userspace.ServiceSnapshots.ips;
import static dev.nodepath.proxy.userspace.ServiceSnapshots.name;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.proxy.userspace.ServiceSnapshots;
import dev.nodepath.proxy.userspace.portals.Destination;
import dev.nodepath.proxy.userspace.portals.Portal;
import dev.nodepath.proxy.userspace.portals.PortalPlan;
import dev.nodepath.proxy.userspace.portals.ServiceEntry;
import java.util.List;
import org.junit.jupiter.api.Test;

class PortalTableTest {
    private static final RelayServices SERVICES = new RelayServices(Balancer.ROUND_ROBIN, ConnectionPolicy.NONE);

    private final PortalTable table = table(new ServiceSnapshots()
            .add(new ServicePort(name("web"), ips("10.96.0.10"), 80, 30080, ips("192.0.2.1"), List.of()))
            .service("db", "10.96.0.20", 30080)
            .build());

    @Test
    void findsServicePortByItsAddresses() {
        assertThat(owner(table, "10.96.0.10", 80)).isEqualTo("ns/web:http");
        assertThat(owner(table, "192.0.2.1", 80)).isEqualTo("ns/web:http");
    }

    @Test
    void findsServicePortByNodePortOfAnyAddressThatIsNoService() {
        assertThat(owner(table, "172.18.0.2", 30080)).isEqualTo("ns/web:http");
        assertThat(owner(table, "10.96.0.20", 30080)).isEqualTo("ns/db:http");
    }

    @Test
    void knowsNothingElse() {
        assertThat(table.find(new Destination(IpAddress.parse("10.96.0.10"), 81)))
                .isNull();
        assertThat(table.find(new Destination(IpAddress.parse("172.18.0.2"), 80)))
                .isNull();
    }

    @Test
    void newOwnerTakesAnAddressAndKeepsItWhenTheOldOneGoes() {
        Portal web = portal(new ServicePort(name("web"), ips("10.96.0.10"), 80, 30080, ips("192.0.2.1"), List.of()));
        Portal later = portal(new ServicePort(name("later"), ips("10.96.0.30"), 80, 30080, List.of(), List.of()));
        table.add(later, SERVICES.of(later.key()));
        assertThat(owner(table, "172.18.0.2", 30080)).isEqualTo("ns/later:http");
        table.remove(web, null, SERVICES.of(web.key()));
        assertThat(owner(table, "172.18.0.2", 30080)).isEqualTo("ns/later:http");
        assertThat(table.find(new Destination(IpAddress.parse("10.96.0.10"), 80)))
                .isNull();
    }

    @Test
    void forgetsOnlyWhatAPortalDoesNotHaveAnyMore() {
        Portal before = portal(new ServicePort(name("web"), ips("10.96.0.10"), 80, 30080, ips("192.0.2.1"), List.of()));
        Portal after = portal(new ServicePort(name("web"), ips("10.96.0.10"), 80, 0, List.of(), ips("192.0.2.1")));
        RelayService web = SERVICES.of(before.key());
        table.add(after, web);
        table.remove(before, after, web);
        assertThat(owner(table, "10.96.0.10", 80)).isEqualTo("ns/web:http");
        assertThat(requireNonNull(table.find(new Destination(IpAddress.parse("192.0.2.1"), 80)))
                        .kind())
                .isEqualTo(ServiceEntry.LOAD_BALANCER);
        assertThat(table.find(new Destination(IpAddress.parse("172.18.0.2"), 30080)))
                .isNull();
    }

    @Test
    void retainsWhatIsLeft() {
        Portal db = portal(new ServicePort(name("db"), ips("10.96.0.20"), 30080, 0, List.of(), List.of()));
        table.retain(IpFamily.IPV6, List.of(), portal -> SERVICES.of(portal.key()));
        assertThat(owner(table, "10.96.0.10", 80)).isEqualTo("ns/web:http");
        table.retain(IpFamily.IPV4, List.of(db), portal -> SERVICES.of(portal.key()));
        assertThat(owner(table, "10.96.0.20", 30080)).isEqualTo("ns/db:http");
        assertThat(table.find(new Destination(IpAddress.parse("10.96.0.10"), 80)))
                .isNull();
    }

    private static PortalTable table(ServiceSnapshot snapshot) {
        PortalTable table = new PortalTable();
        PortalPlan.of(snapshot, "node-a", IpFamily.IPV4)
                .portals()
                .forEach(portal -> table.add(portal, SERVICES.of(portal.key())));
        return table;
    }

    private static Portal portal(ServicePort service) {
        return PortalPlan.of(new ServiceSnapshots().add(service).build(), "node-a", IpFamily.IPV4)
                .portals()
                .get(0);
    }

    private static String owner(PortalTable table, String address, int port) {
        return requireNonNull(table.find(new Destination(IpAddress.parse(address), port)))
                .service()
                .key()
                .name()
                .toString();
    }
}
