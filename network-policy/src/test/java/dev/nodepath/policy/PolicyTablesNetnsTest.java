package dev.nodepath.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.FakeNftTables;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.Repetitions;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftTables;
import dev.nodepath.linux.nftables.WholeTable;
import dev.nodepath.linux.packet.PacketHeader;
import dev.nodepath.linux.packet.PacketLog;
import dev.nodepath.policy.BridgedPods.Host;
import dev.nodepath.policy.object.Direction;
import dev.nodepath.policy.object.PolicyChanges;
import dev.nodepath.policy.object.PolicyEvaluator;
import dev.nodepath.policy.object.PolicyPacket;
import dev.nodepath.policy.object.PolicySnapshot;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The kernel's decisions equal the evaluator's, after each of many random changes, on a bridge and routed. */
@Tag("netns")
class PolicyTablesNetnsTest {
    private static final int STEPS = 200;
    private static final int TCP = 6;
    private static final Duration LIMIT = Duration.ofMinutes(1);

    private static final int PORT = 9999;
    private static final String LAST = "the last one";

    /** The wait for packets that must not arrive. Allowed packets of the same moment have arrived before. */
    private static final Duration QUIET = Duration.ofMillis(50);

    private static BridgedPods pods;
    private static NftTables nft;

    @BeforeAll
    static void make() throws Exception {
        pods = new BridgedPods();
        nft = pods.handle(Host.NODE).call(() -> new KernelLinuxNet().nftTables());
    }

    @AfterAll
    static void close() throws Exception {
        nft.close();
        pods.close();
    }

    @BeforeEach
    void removeTables() throws Exception {
        for (IpFamily family : IpFamily.values()) {
            PolicyTables.remove(nft, family);
        }
    }

    private static PolicyTables tables() {
        return new PolicyTables(nft, Arrays.asList(IpFamily.values()), TestObjects.NODE, true);
    }

    static LongStream seeds() {
        return LongStream.rangeClosed(1, Repetitions.of(1, 25));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void theKernelDoesWhatTheEvaluatorSays(long seed) throws Exception {
        RandomObjects objects = new RandomObjects(seed);
        PolicyTables tables = tables();
        tables.sync(objects.objects().snapshot(), PolicyChanges.NONE);
        Set<Boolean> promised = new TreeSet<>();
        for (int step = 1; step <= STEPS; step++) {
            PolicyChanges changes = objects.step();
            PolicySnapshot snapshot = objects.objects().snapshot();
            tables.sync(snapshot, changes);
            String where = "seed " + seed + ", step " + step + ": " + changes;
            assertThat(tables.refused()).as(where).isEmpty();
            for (IpFamily family : IpFamily.values()) {
                assertThat(nft.read(PolicyFrame.table(family)))
                        .as(where)
                        .contains(new PolicyRenderer(TestObjects.NODE, family)
                                .all(snapshot)
                                .state());
            }
            List<Probe> probes = probe(snapshot);
            assertThat(probes.stream().filter(probe -> probe.passed != probe.promised))
                    .as(where + ": " + snapshot.policies().values())
                    .isEmpty();
            probes.forEach(probe -> promised.add(probe.promised));
        }
        assertThat(promised).containsExactly(false, true);
    }

    @Test
    void theKernelDoesWhatTheEvaluatorSaysOfTheShapesOfCyclonus() throws Exception {
        List<CyclonusShapes.Shape> shapes = CyclonusShapes.all();
        PolicyTables tables = tables();
        PolicySnapshot before = PolicySnapshot.EMPTY;
        for (int i = 0; i < shapes.size(); i += Repetitions.areWhole() ? 1 : 5) {
            for (CyclonusShapes.World world : shapes.get(i).worlds()) {
                PolicySnapshot snapshot = world.objects().snapshot();
                tables.sync(snapshot, CyclonusShapes.changes(before, snapshot));
                assertThat(tables.refused()).isEmpty();
                assertThat(probe(snapshot))
                        .as("%s: %s", shapes.get(i), world)
                        .allMatch(probe -> probe.passed == probe.promised);
                before = snapshot;
            }
        }
    }

    /** One connection that is tried. */
    private record Probe(Host from, Host to, IpFamily family, int port, boolean promised, boolean passed) {}

    private static List<Probe> probe(PolicySnapshot snapshot) throws Exception {
        PolicyEvaluator evaluator = new PolicyEvaluator(snapshot);
        List<SocketChannel> channels = new ArrayList<>();
        List<Probe> probes = new ArrayList<>();
        for (IpFamily family : IpFamily.values()) {
            for (Host from : Host.values()) {
                for (Host to : Host.values()) {
                    for (int port : from == to || to == Host.OUTSIDE ? List.<Integer>of() : BridgedPods.PORTS) {
                        PolicyPacket packet = new PolicyPacket(
                                from.address(family), to.address(family), TCP, port, from == Host.NODE);
                        probes.add(new Probe(
                                from, to, family, port, evaluator.judge(packet).passes(), false));
                        channels.add(pods.connect(from, to, family, port));
                    }
                }
            }
        }
        long start = System.nanoTime();
        while (!haveArrived(probes, channels) && System.nanoTime() - start < LIMIT.toNanos()) {
            Thread.sleep(QUIET.toMillis() / 5);
        }
        Thread.sleep(QUIET.toMillis());
        List<Probe> results = new ArrayList<>();
        for (int i = 0; i < probes.size(); i++) {
            Probe probe = probes.get(i);
            boolean passed = channels.get(i).isConnected() || channels.get(i).finishConnect();
            results.add(new Probe(probe.from, probe.to, probe.family, probe.port, probe.promised, passed));
            channels.get(i).close();
        }
        for (SocketChannel accepted : pods.accepted()) {
            accepted.close();
        }
        return results;
    }

    private static boolean haveArrived(List<Probe> probes, List<SocketChannel> channels) throws IOException {
        boolean all = true;
        for (int i = 0; i < probes.size(); i++) {
            SocketChannel channel = channels.get(i);
            all &= !probes.get(i).promised || channel.isConnected() || channel.finishConnect();
        }
        return all;
    }

    /** A policy that selects no pod: the table exists, and the kernel tracks connections. */
    private static TestObjects openWithTable() {
        return new RandomObjects(1).objects().policy("x/nobody", "{podSelector: {matchLabels: {no: 'one'}}}");
    }

    @Test
    void connectionsOfBeforeGoOn() throws Exception {
        TestObjects open = openWithTable();
        PolicyTables tables = tables();
        tables.sync(open.snapshot(), PolicyChanges.NONE);
        SocketChannel client = pods.connect(Host.YA, Host.XA, IpFamily.IPV4, 80);
        Eventually.isTrue(LIMIT, () -> "connected", client::finishConnect);
        SocketChannel server = pods.accepted().get(0);

        TestObjects denied = open.policy("x/deny", "{podSelector: {}, policyTypes: ['Ingress', 'Egress']}");
        tables.sync(denied.snapshot(), new PolicyChanges(Set.of(), Set.of(), Set.of(TestObjects.name("x/deny"))));

        client.write(ByteBuffer.wrap("still there".getBytes(StandardCharsets.UTF_8)));
        server.configureBlocking(true);
        ByteBuffer read = ByteBuffer.allocate(100);
        server.read(read);
        assertThat(new String(read.array(), 0, read.position(), StandardCharsets.UTF_8))
                .isEqualTo("still there");
        client.close();
        server.close();
        assertThat(probe(denied.snapshot()))
                .filteredOn(probe -> probe.to == Host.XA && probe.from == Host.YA)
                .isNotEmpty()
                .noneMatch(Probe::passed);
    }

    @Test
    void theCountOfRefusedPacketsOutlivesItsPolicies() throws Exception {
        TestObjects open = openWithTable();
        PolicyTables tables = tables();
        tables.sync(open.policy("x/deny", "{podSelector: {}}").snapshot(), PolicyChanges.NONE);
        assertThat(dropped(tables, IpFamily.IPV4).values()).containsOnly(0L);
        awaitDrop(tables, IpFamily.IPV4, Direction.INGRESS);
        NamespacedName guard = new NamespacedName("", "guard");
        TestObjects guarded = open.clusterPolicy(
                guard.name(),
                "{tier: 'Admin', priority: 1, subject: {namespaces: {}},"
                        + " egress: [{action: 'Deny', to: [{namespaces: {}}]}]}");
        Set<NamespacedName> deny = Set.of(TestObjects.name("x/deny"));
        tables.sync(guarded.snapshot(), new PolicyChanges(Set.of(), Set.of(), deny, Set.of(guard), Set.of()));
        awaitDrop(tables, IpFamily.IPV6, Direction.EGRESS);
        tables.sync(open.snapshot(), new PolicyChanges(Set.of(), Set.of(), Set.of(), Set.of(guard), Set.of()));
        assertThat(dropped(tables, IpFamily.IPV4).get(Direction.INGRESS)).isPositive();
        assertThat(dropped(tables, IpFamily.IPV4).get(Direction.EGRESS)).isZero();
        assertThat(dropped(tables, IpFamily.IPV6).get(Direction.INGRESS)).isZero();
        assertThat(dropped(tables, IpFamily.IPV6).get(Direction.EGRESS)).isPositive();
    }

    @Test
    void aGroupIsToldOfWhatIsRefused() throws Exception {
        TestObjects denied = new RandomObjects(1).objects().policy("x/deny", "{podSelector: {}}");
        PolicyNode telling = new PolicyNode("n1", "cni0", false, false, 44);
        new PolicyTables(nft, Arrays.asList(IpFamily.values()), telling, true)
                .sync(denied.snapshot(), PolicyChanges.NONE);
        try (PacketLog log = pods.handle(Host.NODE).call(() -> new KernelLinuxNet().packetLog(44))) {
            for (IpFamily family : IpFamily.values()) {
                SocketChannel client = pods.connect(Host.YA, Host.XA, family, 81);
                List<PacketHeader> told = new ArrayList<>();
                Eventually.isTrue(LIMIT, () -> "told of the packet", () -> told.addAll(log.poll(1)));
                assertThat(told).singleElement().satisfies(packet -> {
                    assertThat(packet.protocol()).isEqualTo(TCP);
                    assertThat(packet.source()).isEqualTo(Host.YA.address(family));
                    assertThat(packet.sourcePort()).isPositive();
                    assertThat(packet.destination()).isEqualTo(Host.XA.address(family));
                    assertThat(packet.destinationPort()).isEqualTo(81);
                });
                client.close();
            }
        }
    }

    private static void awaitDrop(PolicyTables tables, IpFamily family, Direction direction) throws Exception {
        try (SocketChannel client = pods.connect(Host.YA, Host.XA, family, 80)) {
            Eventually.isTrue(
                    LIMIT,
                    () -> "a drop is counted",
                    () -> Objects.requireNonNull(dropped(tables, family).get(direction)) > 0);
            assertThat(client.finishConnect()).isFalse();
        }
    }

    private static Map<Direction, Long> dropped(PolicyTables tables, IpFamily family) throws IOException {
        return tables.stats().stream()
                .filter(table -> table.family() == family)
                .findFirst()
                .orElseThrow()
                .dropped();
    }

    @Test
    void addressesOfTheLinkReachNoIsolatedPod() throws Exception {
        TestObjects open = new RandomObjects(1).objects();
        PolicyTables tables = tables();
        tables.sync(open.snapshot(), PolicyChanges.NONE);
        Set<String> all = Set.of(
                "to the network", "to 255.255.255.255", "to all nodes", "to link-local", "from link-local", LAST);
        assertThat(receivedOnLink(Host.XA, all)).containsExactlyInAnyOrderElementsOf(all);
        TestObjects denied = open.policy("x/deny", "{podSelector: {}}");
        tables.sync(denied.snapshot(), new PolicyChanges(Set.of(), Set.of(), Set.of(TestObjects.name("x/deny"))));
        assertThat(receivedOnLink(Host.XA, Set.of(LAST))).containsOnly(LAST);
        assertThat(receivedOnLink(Host.NODE, Set.of("to link-local"))).contains("to link-local");
        denied = denied.policy("y/deny", "{podSelector: {}, policyTypes: ['Egress']}");
        tables.sync(denied.snapshot(), new PolicyChanges(Set.of(), Set.of(), Set.of(TestObjects.name("y/deny"))));
        assertThat(receivedOnLink(Host.NODE, Set.of(LAST))).containsOnly(LAST);
    }

    /** A neighbour gets this of a pod's datagrams by addresses of the link. The node sends the last one. */
    private static Set<String> receivedOnLink(Host to, Set<String> awaited) throws Exception {
        NetworkNamespace sender = pods.handle(Host.YA);
        Link eth0 = sender.link("eth0").orElseThrow();
        Link link = pods.handle(to).link(to == Host.NODE ? "cni0" : "eth0").orElseThrow();
        InetAddress linkLocal = scoped(linkLocal(pods.handle(to), link), eth0.index());
        InetAddress own = scoped(linkLocal(sender, eth0), eth0.index());
        try (DatagramSocket server = pods.handle(to).call(() -> new DatagramSocket(PORT));
                DatagramSocket client = sender.call(() -> new DatagramSocket());
                DatagramSocket fromOwn = sender.call(() -> new DatagramSocket(0, own));
                DatagramSocket last = pods.handle(Host.NODE).call(() -> new DatagramSocket())) {
            send(client, InetAddress.getByName("10.244.1.255"), "to the network");
            send(client, InetAddress.getByName("255.255.255.255"), "to 255.255.255.255");
            send(fromOwn, scoped(InetAddress.getByName("ff02::1"), eth0.index()), "to all nodes");
            send(fromOwn, linkLocal, "to link-local");
            send(fromOwn, to.address(IpFamily.IPV6).toInetAddress(), "from link-local");
            send(last, to.address(IpFamily.IPV6).toInetAddress(), LAST);
            Set<String> received = new TreeSet<>();
            server.setSoTimeout((int) LIMIT.toMillis());
            while (!received.containsAll(awaited)) {
                DatagramPacket packet = new DatagramPacket(new byte[100], 100);
                server.receive(packet);
                received.add(new String(packet.getData(), 0, packet.getLength(), StandardCharsets.UTF_8));
            }
            return received;
        }
    }

    private static void send(DatagramSocket from, InetAddress to, String words) throws IOException {
        byte[] bytes = words.getBytes(StandardCharsets.UTF_8);
        from.send(new DatagramPacket(bytes, bytes.length, to, PORT));
    }

    private static InetAddress linkLocal(NetworkNamespace namespace, Link link) throws IOException {
        return namespace.addresses(link.index()).stream()
                .map(each -> each.address().address().toInetAddress())
                .filter(InetAddress::isLinkLocalAddress)
                .findFirst()
                .orElseThrow();
    }

    private static InetAddress scoped(InetAddress address, int index) throws IOException {
        return Inet6Address.getByAddress(null, address.getAddress(), index);
    }

    private static final TestObjects GUARDED = TestObjects.NONE
            .namespace("x", "{}")
            .pod("x/server", "{app: 'server'}", "{nodeName: 'n1'}", status(Host.XA))
            .pod("x/friend", "{app: 'friend'}", "{nodeName: 'n1'}", status(Host.YA))
            .pod("x/stranger", "{app: 'stranger'}", "{nodeName: 'n1'}", status(Host.YB));

    private static String status(Host host) {
        return "{podIPs: [{ip: '%s'}, {ip: '%s'}]}".formatted(host.address(IpFamily.IPV4), host.address(IpFamily.IPV6));
    }

    /** Sends a datagram that begins with a word: family, address, port, socket option, bytes that follow, word. */
    private static final String SENDER = """
            use Socket qw(:all);
            my ($six, $to, $port, $option, $more, $word) = @ARGV;
            socket(my $socket, $six ? AF_INET6 : AF_INET, SOCK_DGRAM, 0) or die $!;
            !$option or setsockopt($socket, 41, $option, pack("C*", 0, 0, 1, 4, 0, 0, 0, 0)) or die $!;
            my $address = $six ? pack_sockaddr_in6($port, inet_pton(AF_INET6, $to))
                : pack_sockaddr_in($port, inet_aton($to));
            send($socket, $word . "\\0" x $more, 0, $address) or die $!;
            """;

    /** A datagram that does not show its ports at once. */
    private record Disguise(String word, IpFamily family, int option, int more) {
        private static final int HOP_BY_HOP = 54;
        private static final int DESTINATION = 59;
        private static final int FRAGMENTED = 4000;

        static final List<Disguise> ALL = List.of(
                new Disguise("plain4", IpFamily.IPV4, 0, 0),
                new Disguise("fragments4", IpFamily.IPV4, 0, FRAGMENTED),
                new Disguise("plain6", IpFamily.IPV6, 0, 0),
                new Disguise("fragments6", IpFamily.IPV6, 0, FRAGMENTED),
                new Disguise("hop-by-hop", IpFamily.IPV6, HOP_BY_HOP, 0),
                new Disguise("destination", IpFamily.IPV6, DESTINATION, 0),
                new Disguise("fragments-hop-by-hop", IpFamily.IPV6, HOP_BY_HOP, FRAGMENTED),
                new Disguise("fragments-destination", IpFamily.IPV6, DESTINATION, FRAGMENTED));

        String command(Host to, int port) {
            return "perl -e '%s' %d %s %d %d %d %s"
                    .formatted(SENDER, family == IpFamily.IPV6 ? 1 : 0, to.address(family), port, option, more, word);
        }
    }

    @Test
    void neitherFragmentsNorExtensionHeadersHideADatagram() throws Exception {
        Set<String> all = Disguise.ALL.stream().map(Disguise::word).collect(Collectors.toCollection(TreeSet::new));
        PolicyTables tables = tables();
        tables.sync(
                GUARDED.policy(
                                "x/guard",
                                "{podSelector: {matchLabels: {app: 'server'}}, ingress: [{from: [{podSelector:"
                                        + " {matchLabels: {app: 'friend'}}}], ports: [{protocol: 'UDP', port: " + PORT
                                        + "}]}]}")
                        .snapshot(),
                PolicyChanges.NONE);
        assertThat(arrived(Host.YB, PORT)).isEmpty();
        assertThat(arrived(Host.YA, PORT + 1)).isEmpty();
        assertThat(arrived(Host.YA, PORT)).isEqualTo(all);
    }

    /** The datagrams that arrive at a pod before the last one, which the node sends. */
    private static Set<String> arrived(Host from, int port) throws Exception {
        try (DatagramSocket server = pods.handle(Host.XA).call(() -> new DatagramSocket(port));
                DatagramSocket last = pods.handle(Host.NODE).call(() -> new DatagramSocket())) {
            for (Disguise each : Disguise.ALL) {
                pods.run(from, each.command(Host.XA, port));
            }
            byte[] bytes = LAST.getBytes(StandardCharsets.UTF_8);
            last.send(new DatagramPacket(
                    bytes, bytes.length, Host.XA.address(IpFamily.IPV6).toInetAddress(), port));
            server.setSoTimeout((int) LIMIT.toMillis());
            Set<String> words = new TreeSet<>();
            for (String word = ""; !word.equals(LAST); ) {
                DatagramPacket packet = new DatagramPacket(new byte[8000], 8000);
                server.receive(packet);
                word = new String(packet.getData(), 0, packet.getLength(), StandardCharsets.UTF_8).replace("\0", "");
                words.add(word);
            }
            words.remove(LAST);
            return words;
        }
    }

    /** Without exceptions they are one set; with them each has a rule. */
    @ParameterizedTest
    @ValueSource(strings = {"", ", except: ['%s.128/25']"})
    void aPolicyMayHaveThousandsOfNetworks(String except) throws Exception {
        List<String> networks = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            String network = "172." + (16 + i / 128) + "." + i % 128 * 2;
            networks.add("{ipBlock: {cidr: '" + network + ".0/24'" + except.formatted(network) + "}}");
        }
        PolicyTables tables = tables();
        NamespacedName name = TestObjects.name("x/guard");
        for (boolean allowed : List.of(false, true, false)) {
            List<String> now = new ArrayList<>(networks);
            if (allowed) {
                now.add(1000, "{ipBlock: {cidr: '192.0.2.0/24'" + except.formatted("192.0.2") + "}}");
            }
            PolicySnapshot snapshot = GUARDED.policy(
                            "x/guard",
                            "{podSelector: {matchLabels: {app: 'server'}}, ingress: [{from: [" + String.join(", ", now)
                                    + "], ports: [{port: 80}, {port: 81}]}]}")
                    .snapshot();
            tables.sync(snapshot, new PolicyChanges(Set.of(), Set.of(), Set.of(name)));
            assertThat(tables.refused()).isEmpty();
            assertThat(nft.read(PolicyFrame.table(IpFamily.IPV4)))
                    .contains(new PolicyRenderer(TestObjects.NODE, IpFamily.IPV4)
                            .all(snapshot)
                            .state());
            assertThat(probe(snapshot))
                    .filteredOn(probe -> probe.from == Host.OUTSIDE && probe.to == Host.XA)
                    .filteredOn(probe -> probe.family == IpFamily.IPV4)
                    .hasSize(BridgedPods.PORTS.size())
                    .allMatch(probe -> probe.passed == allowed);
        }
    }

    @Test
    void thousandsOfPoliciesStandAndGo() throws Exception {
        int many = Repetitions.of(300, 10_000);
        TestObjects few = GUARDED.policy("x/nobody", "{podSelector: {matchLabels: {no: 'one'}}}");
        TestObjects objects = few;
        for (int i = 0; i < many; i++) {
            objects = objects.policy(
                    "x/p" + i,
                    "{podSelector: {matchLabels: {app: 'server'}}, ingress: [{from: [{podSelector:"
                            + " {matchLabels: {app: 'nobody-" + i + "'}}}], ports: [{port: " + (i + 1) + "}]}]}");
        }
        PolicyTables tables = tables();
        tables.sync(objects.snapshot(), PolicyChanges.NONE);
        assertThat(tables.refused()).isEmpty();
        assertThat(probe(objects.snapshot())).allMatch(probe -> probe.passed == probe.promised);
        NamespacedName open = TestObjects.name("x/open");
        TestObjects opened = objects.policy("x/open", "{podSelector: {}, ingress: [{}]}");
        tables.sync(opened.snapshot(), new PolicyChanges(Set.of(), Set.of(), Set.of(open)));
        assertThat(probe(opened.snapshot())).allMatch(probe -> probe.passed == probe.promised);
        tables.sync(
                few.snapshot(),
                new PolicyChanges(
                        Set.of(), Set.of(), opened.snapshot().policies().keySet()));
        assertThat(nft.read(PolicyFrame.table(IpFamily.IPV4)))
                .contains(new PolicyRenderer(TestObjects.NODE, IpFamily.IPV4)
                        .all(few.snapshot())
                        .state());
    }

    @Test
    void whatOthersRemoveComesBack() throws Exception {
        PolicyTables tables = tables();
        PolicySnapshot snapshot = new RandomObjects(2)
                .objects()
                .policy("x/deny", "{podSelector: {}}")
                .snapshot();
        tables.sync(snapshot, PolicyChanges.NONE);
        try (NftTables others = pods.handle(Host.NODE).call(() -> new KernelLinuxNet().nftTables())) {
            assertThat(PolicyTables.remove(others, IpFamily.IPV4)).isTrue();
        }
        tables.look();
        assertThat(nft.read(PolicyFrame.table(IpFamily.IPV4)))
                .contains(new PolicyRenderer(TestObjects.NODE, IpFamily.IPV4)
                        .all(snapshot)
                        .state());
    }

    /**
     * The chains of pods whose elements a kernel refuses. This kernel accepts them, so another kernel's substitute
     * wrote the table.
     */
    @Test
    void chainsOfPodsThatAreCutOffAreReadAsTheyWereWrittenAndDropAll() throws Exception {
        PolicySnapshot snapshot = new RandomObjects(1)
                .objects()
                .policy("x/deny", "{podSelector: {}, policyTypes: ['Ingress', 'Egress']}")
                .snapshot();
        for (IpFamily family : IpFamily.values()) {
            FakeNftTables other = new FakeNftTables();
            other.refuse(change -> change instanceof NftChange.AddElements elements
                    && List.of("ingress", "egress").contains(elements.set().name()));
            PolicyTables tables = new PolicyTables(other, List.of(family), TestObjects.NODE, true);
            tables.sync(snapshot, PolicyChanges.NONE);
            NftTableState closed = other.read(PolicyFrame.table(family)).orElseThrow();
            assertThat(closed.chains().keySet())
                    .filteredOn(chain -> chain.contains("-closed-"))
                    .hasSize(2 * tables.refusedPods().size())
                    .isNotEmpty();
            new WholeTable(nft, PolicyFrame.table(family)).make(closed);
            assertThat(nft.read(PolicyFrame.table(family))).contains(closed);
        }
        List<Probe> probes = probe(snapshot);
        assertThat(probes).allMatch(probe -> probe.passed == probe.promised);
        assertThat(probes)
                .filteredOn(probe -> !probe.passed)
                .extracting(Probe::to)
                .contains(Host.XA, Host.NODE, Host.YA);
    }

    @Test
    void theNextProcessWritesDifferencesAlone() throws Exception {
        PolicySnapshot snapshot = new RandomObjects(3)
                .objects()
                .policy("x/deny", "{podSelector: {}}")
                .snapshot();
        tables().sync(snapshot, PolicyChanges.NONE);
        PolicyTables next = tables();
        next.sync(snapshot, PolicyChanges.NONE);
        assertThat(next.written()).isZero();
    }

    @Test
    void theNextProcessFindsWhatTheLastOneIsolatedBeforeItsStatus() throws Exception {
        TestObjects isolated = TestObjects.NONE.namespace("x", "{}").policy("x/deny", "{podSelector: {}}");
        TestObjects told = isolated.pod("x/new", "10.244.1.9", "{}")
                .pod("x/known", "10.244.1.8", "{}")
                .pod("x/again", "10.244.1.6", "{}");
        tables().sync(told.snapshot(), PolicyChanges.NONE);
        PolicySnapshot now = isolated.pod("x/new", "{}", "{nodeName: 'n1'}", "{}")
                .pod("x/known", "10.244.1.7", "{}")
                .pod("x/other", "{}", "{nodeName: 'n2'}", "{}")
                .pod("x/again", "{}", "{nodeName: 'n1'}", "{}")
                .pod("x/ended", "10.244.1.6", "{}")
                .snapshot();
        assertThat(tables().isolatedWithoutStatus(now))
                .isEqualTo(Map.of(
                        now.pods().get(TestObjects.name("x/new")), List.of(IpAddress.parse("10.244.1.9")),
                        now.pods().get(TestObjects.name("x/again")), List.of(IpAddress.parse("10.244.1.6"))));
    }
}
