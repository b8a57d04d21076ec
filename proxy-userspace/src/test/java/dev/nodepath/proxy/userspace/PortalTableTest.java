package dev.nodepath.proxy.userspace;

import static dev.nodepath.proxy.userspace.Snapshots.ips;
import static dev.nodepath.proxy.userspace.Snapshots.name;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.IpAddress;
import dev.nodepath.linux.IpFamily;
import java.util.List;
import org.junit.jupiter.api.Test;

class PortalTableTest {
    private final PortalTable table = table(new Snapshots()
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
    void overlayWinsAndTheRestStays() {
        PortalTable later = table(new Snapshots()
                .service("new", "10.96.0.10", 80)
                .service("other", "10.96.0.30", 80)
                .build());
        PortalTable both = table.overlaidWith(later);
        assertThat(owner(both, "10.96.0.10", 80)).isEqualTo("ns/new:http");
        assertThat(owner(both, "10.96.0.30", 80)).isEqualTo("ns/other:http");
        assertThat(owner(both, "172.18.0.2", 30080)).isEqualTo("ns/web:http");
    }

    private static PortalTable table(ServiceSnapshot snapshot) {
        return PortalTable.of(
                PortalPlan.of(snapshot, "node-a", IpFamily.IPV4).portals(),
                portal -> new RelayService(portal.key(), Balancer.ROUND_ROBIN, System::nanoTime));
    }

    private static String owner(PortalTable table, String address, int port) {
        return requireNonNull(table.find(new Destination(IpAddress.parse(address), port)))
                .service()
                .key()
                .name()
                .toString();
    }
}
