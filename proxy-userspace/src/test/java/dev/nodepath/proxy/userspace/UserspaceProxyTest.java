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
import dev.nodepath.linux.iptables.Table;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftElement;
import dev.nodepath.linux.nftables.NftFamily;
import dev.nodepath.linux.nftables.NftSet;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.nftables.NftText;
import dev.nodepath.linux.nftables.NftTransaction;
import dev.nodepath.linux.nftables.NftValue;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.proxy.userspace.metrics.RelayCount;
import dev.nodepath.proxy.userspace.portals.Destination;
import dev.nodepath.proxy.userspace.relay.RelayConfig;
import dev.nodepath.proxy.userspace.relay.RelayConfigTest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(NoLeaks.class)
@Timeout(900)
class UserspaceProxyTest {
    static final Destination WEB = new Destination(IpAddress.parse("10.96.0.10"), 80);
    static final NftTable TABLE = new NftTable(NftFamily.of(IpFamily.IPV4), "nodepath-portals");

    /** Comes after all else. */
    private static final NftChange LEFT_CLIENTS_GO =
            new NftChange.DeleteTable(new NftTable(NftFamily.of(IpFamily.IPV4), "nodepath-clients"));

    private final FakeLinuxNet net = new FakeLinuxNet();
    private final FakeIptables fake = new FakeIptables(IpFamily.IPV4);
    private final FakeNftTables nft = new FakeNftTables();

    /** Called before each change of the table. */
    private Check beforeChange = () -> {};

    private boolean changed;

    /** The port of the relay that the table leads to, or is about to. */
    private int port;

    private interface Check {
        void run() throws IOException;
    }

    UserspaceProxyTest() {
        nft.refuse(change -> {
            if (change.equals(LEFT_CLIENTS_GO)) {
                return false;
            }
            changed = true;
            if (change instanceof NftChange.AddElements addition
                    && addition.set().name().equals("portals")) {
                port = port(addition.elements().get(0));
            }
            try {
                beforeChange.run();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            return false;
        });
    }

    private static int port(NftElement element) {
        NftValue data = (NftValue) element.data().orElseThrow();
        return Short.toUnsignedInt(ByteBuffer.wrap(data.bytes()).getShort());
    }

    @Test
    void servesAfterSync() throws Exception {
        try (Backend echo = Backend.echo();
                UserspaceProxy proxy = proxy()) {
            proxy.sync(web(echo), ChangeSet.NONE);
            assertServes();
            assertThat(proxy.metrics().of(RelayCount.CONNECTED)).isEqualTo(1);
        }
    }

    @Test
    void changesNoTableWhenOnlyEndpointsChange() throws Exception {
        try (Backend first = Backend.named("1");
                Backend second = Backend.named("2");
                UserspaceProxy proxy = proxy()) {
            proxy.sync(web(first), ChangeSet.NONE);
            int before = writes();
            proxy.sync(web(second), ChangeSet.of(List.of(name("web"))));
            assertThat(writes()).isEqualTo(before);
            try (Socket client = connect()) {
                assertThat(client.getInputStream().read()).isEqualTo('2');
            }
        }
    }

    @Test
    void aChangedServiceWritesItsOwnElementsAloneAndListsNothing() throws Exception {
        fake.watch();
        try (Backend echo = Backend.echo();
                UserspaceProxy proxy = proxy()) {
            ServiceSnapshots snapshots = new ServiceSnapshots()
                    .service("web", "10.96.0.10", 80, echo.endpoint())
                    .service("db", "10.96.0.20", 80, echo.endpoint());
            proxy.sync(snapshots.build(), ChangeSet.NONE);
            int listed = fake.saves();
            proxy.sync(
                    snapshots.service("db", "10.96.0.21", 80, echo.endpoint()).build(),
                    ChangeSet.of(List.of(name("db"))));
            assertThat(lastChanges()).containsExactlyInAnyOrder("-1 of portals", "+ns/db:http of portals");
            assertThat(fake.saves()).isEqualTo(listed);
            proxy.sync(
                    snapshots
                            .add(
                                    new ServicePort(name("new"), ips("10.96.0.30"), 80, 30080, List.of(), List.of()),
                                    echo.endpoint())
                            .build(),
                    ChangeSet.of(List.of(name("new"))));
            assertThat(lastChanges()).containsExactlyInAnyOrder("+ns/new:http of portals", "+ns/new:http of nodeports");
            assertThat(fake.restored().get(fake.restored().size() - 1))
                    .contains("service NodePorts", "--dport " + port + " ");
            proxy.sync(snapshots.remove("new").build(), ChangeSet.of(List.of(name("new"))));
            assertThat(lastChanges()).containsExactlyInAnyOrder("-1 of portals", "-1 of nodeports");
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
                UserspaceProxy proxy = proxy()) {
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
                int before = writes();
                proxy.sync(snapshots.build(), ChangeSet.NONE);
                assertThat(writes()).as("after change " + i).isEqualTo(before);
            }
        }
    }

    @Test
    void periodicSyncBringsBackWhatOthersRemoved() throws Exception {
        try (Backend echo = Backend.echo();
                UserspaceProxy proxy = proxy()) {
            proxy.sync(web(echo), ChangeSet.of(List.of(name("web"))));
            String table = table();
            String filter = fake.save(Table.FILTER);
            nft.changeAsAnother(new NftChange.FlushSet(set("portals")));
            fake.restore("*filter\n-F INPUT\nCOMMIT\n");

            proxy.sync(web(echo), ChangeSet.NONE);

            assertThat(table()).isEqualTo(table);
            assertThat(fake.save(Table.FILTER)).isEqualTo(filter);
        }
    }

    @Test
    void refusesByRuleWhenTheLastEndpointGoes() throws Exception {
        try (Backend echo = Backend.echo();
                UserspaceProxy proxy = proxy()) {
            proxy.sync(web(echo), ChangeSet.NONE);
            proxy.sync(new ServiceSnapshots().service("web", "10.96.0.10", 80).build(), ChangeSet.NONE);
            assertThat(table())
                    .containsPattern("set refused \\{[^}]*ns/web:http")
                    .doesNotContainPattern("map portals \\{[^}]*ns/web:http");
            Clients.assertReset(this::connect);
        }
    }

    @Test
    void newServiceIsKnownToTheRelayBeforeItsRules() throws Exception {
        try (Backend echo = Backend.echo();
                UserspaceProxy proxy = proxy()) {
            proxy.sync(ServiceSnapshot.EMPTY, ChangeSet.NONE);
            beforeChange = () -> assertServes();
            changed = false;
            proxy.sync(web(echo), ChangeSet.NONE);
            assertThat(changed).isTrue();
        }
    }

    @Test
    void removedServiceIsForgottenOnlyAfterItsRules() throws Exception {
        try (Backend echo = Backend.echo();
                UserspaceProxy proxy = proxy()) {
            proxy.sync(web(echo), ChangeSet.NONE);
            beforeChange = () -> assertServes();
            changed = false;
            proxy.sync(ServiceSnapshot.EMPTY, ChangeSet.NONE);
            assertThat(changed).isTrue();
            beforeChange = () -> {};
            Clients.assertReset(this::connect);
        }
    }

    @Test
    void nextSyncHealsAFailedOne() throws Exception {
        try (Backend echo = Backend.echo();
                UserspaceProxy proxy = proxy()) {
            fake.failNext();
            assertThatThrownBy(() -> proxy.sync(web(echo), ChangeSet.NONE))
                    .isInstanceOf(SyncException.class)
                    .hasMessage("IPv4 portals: fake-restore: failed on purpose");
            proxy.sync(web(echo), ChangeSet.NONE);
            assertThat(fake.save(Table.FILTER)).contains("KUBE-NODEPORT-NON-LOCAL");
            nft.refuse(change -> change instanceof NftChange.DeleteElements, Errno.ENOMEM);
            assertThatThrownBy(() -> proxy.sync(ServiceSnapshot.EMPTY, ChangeSet.NONE))
                    .isInstanceOf(SyncException.class)
                    .hasMessageContaining("ENOMEM");
            assertServes();
            nft.refuse(change -> false);
            proxy.sync(ServiceSnapshot.EMPTY, ChangeSet.NONE);
            assertThat(table()).doesNotContain("ns/web");
        }
    }

    @Test
    void closeRemovesTheRulesWhileTheRelayStillServes() throws Exception {
        try (Backend echo = Backend.echo();
                UserspaceProxy proxy = proxy()) {
            proxy.sync(web(echo), ChangeSet.NONE);
            beforeChange = () -> assertServes();
            changed = false;
        }
        assertThat(changed).isTrue();
        assertThat(nft.read(TABLE)).isEmpty();
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
                UserspaceProxy proxy = proxy()) {
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
                UserspaceProxy proxy = proxy(RelayConfigTest.CONFIG, conntrack)) {
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
                UserspaceProxy proxy = proxy()) {
            assertThat(proxy.fullSyncs(IpFamily.IPV4)).isZero();
            proxy.sync(web(echo), ChangeSet.NONE);
            long first = proxy.fullSyncs(IpFamily.IPV4);
            assertThat(first).isPositive();
            proxy.sync(web(echo), ChangeSet.NONE);
            assertThat(proxy.fullSyncs(IpFamily.IPV4)).isEqualTo(first);
            fake.restoreByOther("*filter\n-F KUBE-NODEPORT-NON-LOCAL\nCOMMIT\n");
            proxy.sync(web(echo), ChangeSet.NONE);
            long second = proxy.fullSyncs(IpFamily.IPV4);
            assertThat(second).isGreaterThan(first);
            nft.changeAsAnother(new NftChange.FlushSet(set("portals")));
            proxy.sync(web(echo), ChangeSet.NONE);
            assertThat(proxy.fullSyncs(IpFamily.IPV4)).isGreaterThan(second);
        }
    }

    @Test
    void letsConnectionsToEndpointsReuseLocalPorts() throws Exception {
        try (UserspaceProxy proxy = proxy()) {
            proxy.sync(new ServiceSnapshots().build(), ChangeSet.NONE);
        }
        assertThat(net.current().sysctl("net/ipv4/tcp_tw_reuse")).isEqualTo("1");
    }

    @Test
    void servesWithoutASettingThatCannotBeWritten() throws Exception {
        net.failNext("setSysctl", Errno.EROFS);
        try (LogCapture log = new LogCapture("dev.nodepath.proxy.userspace.relay.LocalPorts");
                Backend echo = Backend.echo();
                UserspaceProxy proxy = proxy()) {
            proxy.sync(web(echo), ChangeSet.NONE);
            proxy.sync(web(echo), ChangeSet.NONE);
            assertServes();
            assertThat(log.lines("relay.setting_not_set")).hasSize(1);
        }
    }

    /** Each expression of the table of portals. */
    @ParameterizedTest
    @ValueSource(strings = {"ct", "fib", "meta", "nat", "payload", "redir", "reject"})
    void namesTheExpressionThatTheTableOfPortalsLacksAndAModeThatWorks(String expression) throws Exception {
        nft.lack(Set.of(expression));
        assertRefused("no expression " + expression
                + " in this kernel)) (expected: a kernel that takes the table of portals, or mode iptables)");
    }

    @Test
    void saysThatTheKernelHasNoTablesAndAModeThatWorks() throws Exception {
        nft.refuse(change -> true, Errno.EOPNOTSUPP);
        assertRefused("kernel: no nf_tables (expected: a kernel that takes the table of portals, or mode iptables)");
    }

    /** At the start, and by a sync. Nothing is left then. */
    private void assertRefused(String problem) throws Exception {
        try (UserspaceProxy proxy = proxy()) {
            assertThatThrownBy(proxy::checkKernel).hasMessageEndingWith(problem);
            assertThatThrownBy(() -> proxy.sync(ServiceSnapshot.EMPTY, ChangeSet.NONE))
                    .isInstanceOf(SyncException.class)
                    .hasMessageEndingWith(problem);
        }
        assertThat(nft.transactions()).isEmpty();
        assertThat(fake.restored()).isEmpty();
    }

    @Test
    void servesAlsoWhereTheKernelTakesNoTableOfClients() throws Exception {
        nft.refuse(change -> change instanceof NftChange.AddTable addition
                && addition.table().name().equals("nodepath-clients"));
        RelayConfig kept = RelayConfigTest.CONFIG.with(draft -> draft.keepsClientAddress = true);
        try (LogCapture log = new LogCapture("dev.nodepath.proxy.userspace.ClientAddresses");
                Backend echo = Backend.echo();
                UserspaceProxy proxy = proxy(kept, new FakeConntrack())) {
            proxy.checkKernel();
            proxy.sync(web(echo), ChangeSet.NONE);
            assertThat(table()).contains("ns/web:http");
            assertThat(log.warnings("portal.client_addresses_not_kept"))
                    .anyMatch(line -> line.contains("table nodepath-clients: EINVAL"));
        }
    }

    private UserspaceProxy proxy() {
        return proxy(RelayConfigTest.CONFIG, new FakeConntrack());
    }

    private UserspaceProxy proxy(RelayConfig config, FakeConntrack conntrack) {
        return new UserspaceProxy(
                "node-a", config, List.of(fake), (client, family) -> WEB, () -> conntrack, net::current, () -> nft);
    }

    static ServiceSnapshot web(Backend backend) {
        return new ServiceSnapshots()
                .service("web", "10.96.0.10", 80, backend.endpoint())
                .build();
    }

    /** The table as {@code nft} lists it. */
    private String table() {
        return NftText.table(nft.read(TABLE).orElseThrow());
    }

    private NftSet set(String name) {
        return Objects.requireNonNull(nft.read(TABLE).orElseThrow().sets().get(name))
                .set();
    }

    /** The number of writes to tables of either kind. */
    private int writes() {
        return nft.transactions().size() + fake.restored().size();
    }

    /** The elements that the last transaction has changed. */
    private List<String> lastChanges() {
        List<NftTransaction> all = nft.transactions();
        return all.get(all.size() - 1).changes().stream()
                .map(change -> change instanceof NftChange.AddElements added
                        ? "+" + added.elements().get(0).comment() + " of "
                                + added.set().name()
                        : change instanceof NftChange.DeleteElements deleted
                                ? "-" + deleted.keys().size() + " of "
                                        + deleted.set().name()
                                : change.toString())
                .toList();
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(30_000);
        return socket;
    }

    private void assertServes() throws IOException {
        try (Socket client = connect()) {
            Clients.assertEchoes(client);
        }
    }
}
