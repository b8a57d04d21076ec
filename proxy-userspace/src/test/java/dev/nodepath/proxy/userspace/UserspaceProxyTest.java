package dev.nodepath.proxy.userspace;

import static dev.nodepath.proxy.userspace.ServiceSnapshots.ips;
import static dev.nodepath.proxy.userspace.ServiceSnapshots.name;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.LogCapture;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.SyncException;
import dev.nodepath.linux.FakeLinuxNet;
import dev.nodepath.linux.FakeNftTables;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.FakeConntrack;
import dev.nodepath.linux.iptables.FakeIptables;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.iptables.Table;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.proxy.userspace.metrics.RelayCount;
import dev.nodepath.proxy.userspace.portals.Destination;
import dev.nodepath.proxy.userspace.relay.PortalKind;
import dev.nodepath.proxy.userspace.relay.RelayConfig;
import dev.nodepath.proxy.userspace.relay.RelayConfigTest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(NoLeaks.class)
@Timeout(900)
class UserspaceProxyTest {
    static final Destination WEB = new Destination(IpAddress.parse("10.96.0.10"), 80);

    private final FakeLinuxNet net = new FakeLinuxNet();
    private final FakeIptables fake = new FakeIptables(IpFamily.IPV4);
    private final ProbedIptables probe = new ProbedIptables(fake);

    @Test
    void servesAfterSync() throws Exception {
        try (Backend echo = Backend.echo();
                UserspaceProxy proxy = proxy(fake)) {
            proxy.sync(web(echo), ChangeSet.NONE);
            assertServes();
            assertThat(proxy.metrics().of(RelayCount.CONNECTED)).isEqualTo(1);
        }
    }

    @Test
    void runsNoCommandWhenOnlyEndpointsChange() throws Exception {
        try (Backend first = Backend.named("1");
                Backend second = Backend.named("2");
                UserspaceProxy proxy = proxy(fake)) {
            proxy.sync(web(first), ChangeSet.NONE);
            int before = fake.restored().size();
            proxy.sync(web(second), ChangeSet.of(List.of(name("web"))));
            assertThat(fake.restored()).hasSize(before);
            try (Socket client = connect()) {
                assertThat(client.getInputStream().read()).isEqualTo('2');
            }
        }
    }

    @Test
    void aChangedServiceWritesItsOwnRulesAloneAndListsNothing() throws Exception {
        fake.watch();
        try (Backend echo = Backend.echo();
                UserspaceProxy proxy = proxy(fake)) {
            ServiceSnapshots snapshots = new ServiceSnapshots()
                    .service("web", "10.96.0.10", 80, echo.endpoint())
                    .service("db", "10.96.0.20", 80, echo.endpoint());
            proxy.sync(snapshots.build(), ChangeSet.NONE);
            int listed = fake.saves();
            proxy.sync(
                    snapshots.service("db", "10.96.0.21", 80, echo.endpoint()).build(),
                    ChangeSet.of(List.of(name("db"))));
            assertThat(lastRestored()).contains("10.96.0.21", "10.96.0.20").doesNotContain("web");
            assertThat(fake.saves()).isEqualTo(listed);
            proxy.sync(
                    snapshots
                            .add(
                                    new ServicePort(name("new"), ips("10.96.0.30"), 80, 30080, List.of(), List.of()),
                                    echo.endpoint())
                            .build(),
                    ChangeSet.of(List.of(name("new"))));
            assertThat(lastRestored())
                    .contains("ns/new", "--dport 30080", "service NodePorts")
                    .doesNotContain("web", "ns/db");
            proxy.sync(snapshots.remove("new").build(), ChangeSet.of(List.of(name("new"))));
            assertThat(lastRestored()).contains("-D KUBE-NODEPORT-NON-LOCAL").doesNotContain("web", "ns/db");
            assertThat(fake.saves()).isEqualTo(listed);
            assertThat(fake.save(Table.FILTER)).doesNotContain("service NodePorts");
            assertServes();
        }
    }

    /** Service ports that take addresses from each other, lose their endpoints, come and go. */
    @Test
    void syncsOfChangesLeaveNothingToDoForAWholeOne() throws Exception {
        long seed = new Random().nextLong();
        System.out.println("seed of the syncs: " + seed);
        fake.watch();
        Random random = new Random(seed);
        try (Backend echo = Backend.echo();
                UserspaceProxy proxy = proxy(fake)) {
            ServiceSnapshots snapshots = new ServiceSnapshots();
            proxy.sync(snapshots.build(), ChangeSet.NONE);
            for (int i = 0; i < 200; i++) {
                String name = "svc-" + random.nextInt(4);
                snapshots.remove(name);
                if (random.nextInt(4) != 0) {
                    snapshots.add(
                            new ServicePort(
                                    name(name),
                                    ips("10.96.0." + random.nextInt(4)),
                                    80,
                                    random.nextBoolean() ? 0 : 30080 + random.nextInt(2),
                                    List.of(),
                                    List.of()),
                            random.nextInt(3) == 0 ? new Endpoint[0] : new Endpoint[] {echo.endpoint()});
                }
                proxy.sync(snapshots.build(), ChangeSet.of(List.of(name(name))));
                int restored = fake.restored().size();
                proxy.sync(snapshots.build(), ChangeSet.NONE);
                assertThat(fake.restored()).as("after change " + i).hasSize(restored);
            }
        }
    }

    @Test
    void periodicSyncBringsBackWhatOthersRemoved() throws Exception {
        try (Backend echo = Backend.echo();
                UserspaceProxy proxy = proxy(fake)) {
            proxy.sync(web(echo), ChangeSet.of(List.of(name("web"))));
            String whole = fake.save(Table.NAT);
            fake.restore("*nat\n-F KUBE-PORTALS-CONTAINER\n-F OUTPUT\nCOMMIT\n");

            proxy.sync(web(echo), ChangeSet.NONE);

            assertThat(fake.save(Table.NAT)).isEqualTo(whole);
        }
    }

    @Test
    void refusesByRuleWhenTheLastEndpointGoes() throws Exception {
        try (Backend echo = Backend.echo();
                UserspaceProxy proxy = proxy(fake)) {
            proxy.sync(web(echo), ChangeSet.NONE);
            proxy.sync(new ServiceSnapshots().service("web", "10.96.0.10", 80).build(), ChangeSet.NONE);
            assertThat(fake.save(Table.FILTER)).contains("has no endpoints");
            assertThat(fake.save(Table.NAT)).doesNotContain("ns/web");
            Clients.assertReset(this::connect);
        }
    }

    @Test
    void newServiceIsKnownToTheRelayBeforeItsRules() throws Exception {
        try (Backend echo = Backend.echo();
                UserspaceProxy proxy = proxy(probe)) {
            proxy.sync(ServiceSnapshot.EMPTY, ChangeSet.NONE);
            probe.atRestore = () -> assertServes();
            proxy.sync(web(echo), ChangeSet.NONE);
            assertThat(probe.ran).isTrue();
        }
    }

    @Test
    void removedServiceIsForgottenOnlyAfterItsRules() throws Exception {
        try (Backend echo = Backend.echo();
                UserspaceProxy proxy = proxy(probe)) {
            proxy.sync(web(echo), ChangeSet.NONE);
            int port = port();
            probe.atRestore = () -> assertServes();
            proxy.sync(ServiceSnapshot.EMPTY, ChangeSet.NONE);
            assertThat(probe.ran).isTrue();
            probe.atRestore = () -> {};
            Clients.assertReset(() -> connect(port));
        }
    }

    @Test
    void nextSyncHealsAFailedOne() throws Exception {
        try (Backend echo = Backend.echo();
                UserspaceProxy proxy = proxy(probe)) {
            probe.atRestore = () -> {
                throw new IptablesException("no luck");
            };
            assertThatThrownBy(() -> proxy.sync(web(echo), ChangeSet.NONE))
                    .isInstanceOf(SyncException.class)
                    .hasMessage("userspace proxy: no luck");
            assertThat(fake.save(Table.NAT)).doesNotContain("ns/web");
            probe.atRestore = () -> {};
            proxy.sync(web(echo), ChangeSet.NONE);
            assertServes();
        }
    }

    @Test
    void closeRemovesTheRulesWhileTheRelayStillServes() throws Exception {
        int port;
        try (Backend echo = Backend.echo()) {
            try (UserspaceProxy proxy = proxy(probe)) {
                proxy.sync(web(echo), ChangeSet.NONE);
                port = port();
                probe.atRestore = () -> assertServes();
            }
            assertThat(probe.ran).isTrue();
        }
        assertThat(fake.save(Table.NAT) + fake.save(Table.FILTER)).doesNotContain("KUBE-");
        assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port).close())
                .isInstanceOf(IOException.class);
    }

    @Test
    void namesWhatItDoesNotServeOnce() throws Exception {
        ServicePortName dns = new ServicePortName(new NamespacedName("ns", "dns"), "dns", Protocol.SCTP);
        ServiceSnapshot snapshot = new ServiceSnapshots()
                .add(new ServicePort(dns, ServiceSnapshots.ips("10.96.0.53"), 53, 0, List.of(), List.of()))
                .build();
        try (LogCapture log = new LogCapture(UserspaceProxy.class);
                UserspaceProxy proxy = proxy(fake)) {
            proxy.sync(snapshot, ChangeSet.NONE);
            proxy.sync(snapshot, ChangeSet.NONE);
            assertThat(log.lines("portal.unsupported"))
                    .containsExactly(
                            "service_port=ns/dns:dns reason=protocol: SCTP (expected: TCP or UDP) portal.unsupported");
        }
    }

    @Test
    void refusesToListenWhereNoLinkLeads() {
        assertThatThrownBy(() -> new UserspaceProxy("node-a", RelayConfigTest.CONFIG, List.of(fake)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("bindAddress: 127.0.0.1 (expected: not a loopback address)");
    }

    @Test
    void looksAtWhatIsTrackedOnceHoweverManyUdpServicesGo() throws Exception {
        fake.watch();
        FakeConntrack conntrack = new FakeConntrack();
        try (UdpBackend backend = UdpBackend.echo();
                UserspaceProxy proxy = proxy(fake, conntrack)) {
            ServiceSnapshots snapshots = new ServiceSnapshots();
            List<ServicePortName> names = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                ServicePortName dns = new ServicePortName(new NamespacedName("ns", "dns-" + i), "dns", Protocol.UDP);
                names.add(dns);
                snapshots.add(
                        new ServicePort(dns, ips("10.96.0.5" + i), 53, 0, List.of(), List.of()), backend.endpoint());
            }
            proxy.sync(snapshots.build(), ChangeSet.NONE);
            int before = conntrack.listings().size();
            proxy.sync(new ServiceSnapshots().build(), ChangeSet.of(names));
            assertThat(conntrack.listings()).hasSize(before + 1);
        }
    }

    @Test
    void tellsThatOthersMayHaveRemovedRules() throws Exception {
        fake.watch();
        try (Backend echo = Backend.echo();
                UserspaceProxy proxy = proxy(fake)) {
            assertThat(proxy.fullSyncs(IpFamily.IPV4)).isZero();
            proxy.sync(web(echo), ChangeSet.NONE);
            long first = proxy.fullSyncs(IpFamily.IPV4);
            assertThat(first).isPositive();
            proxy.sync(web(echo), ChangeSet.NONE);
            assertThat(proxy.fullSyncs(IpFamily.IPV4)).isEqualTo(first);
            fake.restoreByOther("*nat\n-F KUBE-PORTALS-CONTAINER\nCOMMIT\n");
            proxy.sync(web(echo), ChangeSet.NONE);
            assertThat(proxy.fullSyncs(IpFamily.IPV4)).isGreaterThan(first);
        }
    }

    @Test
    void letsConnectionsToEndpointsReuseLocalPorts() throws Exception {
        try (UserspaceProxy proxy = proxy(fake)) {
            proxy.sync(new ServiceSnapshots().build(), ChangeSet.NONE);
        }
        assertThat(net.current().sysctl("net/ipv4/tcp_tw_reuse")).isEqualTo("1");
    }

    @Test
    void servesWithoutASettingThatCannotBeWritten() throws Exception {
        net.failNext("setSysctl", Errno.EROFS);
        try (LogCapture log = new LogCapture("dev.nodepath.proxy.userspace.relay.LocalPorts");
                Backend echo = Backend.echo();
                UserspaceProxy proxy = proxy(fake)) {
            proxy.sync(web(echo), ChangeSet.NONE);
            proxy.sync(web(echo), ChangeSet.NONE);
            assertServes();
            assertThat(log.lines("relay.setting_not_set")).hasSize(1);
        }
    }

    /** Each expression of the table of portals. */
    @ParameterizedTest
    @ValueSource(strings = {"ct", "fib", "meta", "nat", "payload", "redir", "reject"})
    void namesTheExpressionThatTheTableOfPortalsLacks(String expression) throws Exception {
        FakeNftTables nft = new FakeNftTables();
        nft.lack(Set.of(expression));
        String lack = "no expression " + expression + " in this kernel";
        RelayConfig byTable =
                RelayConfigTest.CONFIG.change().portals(PortalKind.NFTABLES).build();
        try (UserspaceProxy proxy = proxy(byTable, fake, new FakeConntrack(), () -> Optional.of(nft))) {
            assertThatThrownBy(() -> proxy.sync(ServiceSnapshot.EMPTY, ChangeSet.NONE))
                    .hasMessageContaining("--portals nftables: ")
                    .hasMessageContaining(lack)
                    .hasMessageContaining("--portals iptables");
        }
        try (LogCapture log = new LogCapture("dev.nodepath.proxy.userspace.FamilyPortals");
                Backend echo = Backend.echo();
                UserspaceProxy proxy =
                        proxy(RelayConfigTest.CONFIG, fake, new FakeConntrack(), () -> Optional.of(nft))) {
            proxy.sync(web(echo), ChangeSet.NONE);
            assertServes();
            assertThat(log.lines("portal.table_not_possible"))
                    .singleElement()
                    .asString()
                    .contains(lack);
        }
    }

    /** Each expression that gives connections the addresses of clients. */
    @ParameterizedTest
    @ValueSource(strings = {"meta", "nat"})
    void namesTheExpressionThatKeptAddressesLack(String expression) throws Exception {
        FakeNftTables nft = new FakeNftTables();
        nft.lack(Set.of(expression));
        RelayConfig kept =
                RelayConfigTest.CONFIG.change().keepsClientAddress(true).build();
        try (LogCapture log = new LogCapture("dev.nodepath.proxy.userspace.ClientAddresses");
                Backend echo = Backend.echo();
                UserspaceProxy proxy = proxy(kept, fake, new FakeConntrack(), () -> Optional.of(nft))) {
            proxy.sync(web(echo), ChangeSet.NONE);
            assertServes();
            assertThat(log.warnings("portal.client_addresses_not_kept"))
                    .anyMatch(line -> line.contains("no expression " + expression + " in this kernel"));
        }
    }

    private UserspaceProxy proxy(Iptables iptables) {
        return proxy(iptables, new FakeConntrack());
    }

    private UserspaceProxy proxy(Iptables iptables, FakeConntrack conntrack) {
        return proxy(RelayConfigTest.CONFIG, iptables, conntrack, Optional::empty);
    }

    private UserspaceProxy proxy(RelayConfig config, Iptables iptables, FakeConntrack conntrack, PortalTables tables) {
        return new UserspaceProxy(
                "node-a", config, List.of(iptables), (client, family) -> WEB, () -> conntrack, net::current, tables);
    }

    static ServiceSnapshot web(Backend backend) {
        return new ServiceSnapshots()
                .service("web", "10.96.0.10", 80, backend.endpoint())
                .build();
    }

    /** The port that rules lead to, or are about to. */
    private int port() {
        Matcher port = Pattern.compile("--to-destination 127.0.0.1:(\\d+)")
                .matcher(probe.loading + String.join("", fake.restored()));
        assertThat(port.find()).isTrue();
        return Integer.parseInt(port.group(1));
    }

    private Socket connect() throws IOException {
        return connect(port());
    }

    private static Socket connect(int port) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(30_000);
        return socket;
    }

    private String lastRestored() {
        return fake.restored().get(fake.restored().size() - 1);
    }

    private void assertServes() throws IOException {
        try (Socket client = connect()) {
            Clients.assertEchoes(client);
        }
    }
}
