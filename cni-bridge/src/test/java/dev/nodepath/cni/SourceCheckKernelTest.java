package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.ipam.HostLocalIpam;
import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.cni.server.BatchedRemoval;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.LinuxNet;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.MacAddress;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The frames that a container can send if it has raw sockets and takes any address ({@code ipspoofchk}). */
@Tag("netns")
class SourceCheckKernelTest {
    private static final KernelLinuxNet KERNEL = new KernelLinuxNet();
    private static final String NODE = "np-node";

    private static final MacAddress NOBODY = MacAddress.parse("02:00:00:00:be:ef");
    private static final IpAddress A4 = IpAddress.parse("10.1.2.2");
    private static final IpAddress B4 = IpAddress.parse("10.1.2.3");
    private static final IpAddress ZERO4 = IpAddress.parse("0.0.0.0");
    private static final IpAddress A6 = IpAddress.parse("fd00::2");
    private static final IpAddress B6 = IpAddress.parse("fd00::3");
    private static final IpAddress ZERO6 = IpAddress.parse("::");
    private static final IpAddress ALL_NODES = IpAddress.parse("ff02::1");
    private static final int VLAN = 0x8100_0000;
    private static final int SERVICE_VLAN = 0x88A8_0000;

    /** Counts the frames of a port to an address before the plugin's chain, and behind it. */
    private static final String COUNTERS = """
            table bridge seen {
                counter before {}
                counter behind {}
                chain first {
                    type filter hook prerouting priority -400
                    iifname "PORT" ether daddr TO counter name before
                }
                chain last {
                    type filter hook prerouting priority -200
                    iifname "PORT" ether daddr TO counter name behind
                }
            }
            """;

    @TempDir
    Path dataDir;

    private final List<String> namespaces = new ArrayList<>();
    private Invocation invocation = new TestNode(Path.of("")).invocation;

    @BeforeEach
    void makeNode() throws Exception {
        LinuxNet net = NodeNet.of(KERNEL, NODE);
        invocation = NodeNet.invocation(KERNEL, net, new BatchedRemoval(net));
        make(NODE);
    }

    @AfterEach
    void removeNamespaces() throws Exception {
        for (String namespace : namespaces) {
            KERNEL.delete(namespace);
        }
    }

    @Test
    void onlyFramesWithItsOwnSourcesPass() throws Exception {
        Pair pair = addBoth("\"ipspoofchk\":true,");
        assertThat(passing(NOBODY, pair.frames(NOBODY))).isEqualTo(pair.own().keySet());
    }

    /** The kernel takes frames to these addresses by the bridge's rules, unless the port forwards them. */
    @ParameterizedTest
    @ValueSource(strings = {"01:80:c2:00:00:00", "01:80:c2:00:00:02", "01:80:c2:00:00:03", "01:80:c2:00:00:0e"})
    void reservedAddressesAreNoWayRound(String reserved) throws Exception {
        MacAddress to = MacAddress.parse(reserved);
        Pair pair = addBoth("\"ipspoofchk\":true,");
        assertThat(passing(to, pair.frames(to))).isEqualTo(pair.own().keySet());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "flush ruleset",
                "flush table bridge nodepath_cni",
                "flush chain bridge nodepath_cni address",
                "add table bridge nodepath_cni { flags dormant; }"
            })
    void whatAnotherProgramRemovesIsWrittenAnew(String removal) throws Exception {
        Pair pair = addBoth("\"ipspoofchk\":true,");
        try (NetworkNamespace node = KERNEL.openNamed(NODE)) {
            TestCommand.in(node, "nft " + removal);
            assertThat(passing(NOBODY, pair.frames(NOBODY)))
                    .hasSizeGreaterThan(pair.own().size());
            TestCommand.in(node, "nft delete table bridge seen");
        }
        HostLocalIpam ipam = new HostLocalIpam(file -> Invocation.tryLock(KERNEL, file), HostLocalIpam.LOCK_WAIT_MAX);
        CheckedSources sources = new CheckedSources(NodeNet.of(KERNEL, NODE), ipam, dataDir, "n", "bridge0");
        assertThat(sources.repair()).isTrue();
        assertThat(sources.repair()).isFalse();
        assertThat(passing(NOBODY, pair.frames(NOBODY))).isEqualTo(pair.own().keySet());
    }

    @Test
    void macspoofchkAsksForTheMacAlone() throws Exception {
        Pair pair = addBoth("\"macspoofchk\":true,");
        Map<String, byte[]> frames = pair.frames(NOBODY);
        List<String> refused = frames.entrySet().stream()
                .filter(frame -> !MacAddress.of(Arrays.copyOfRange(frame.getValue(), 6, 12))
                        .equals(pair.a))
                .map(Map.Entry::getKey)
                .toList();
        assertThat(refused).hasSizeBetween(3, frames.size() / 2);
        assertThat(passing(NOBODY, frames))
                .hasSize(frames.size() - refused.size())
                .doesNotContainAnyElementsOf(refused);
    }

    /** A forged answer takes a neighbour's address away where nothing is checked, and there alone. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theNodeDoesNotBelieveForgedAnswers(boolean checked) throws Exception {
        Pair pair = addBoth(checked ? "\"ipspoofchk\":true," : "");
        try (NetworkNamespace node = KERNEL.openNamed(NODE);
                NetworkNamespace b = KERNEL.openNamed("b")) {
            assertThat(TcpProbe.isReachable(b, "10.1.2.3", node)).isTrue();
            assertThat(TcpProbe.isReachable(b, "fd00::3", node)).isTrue();
            MacAddress bridge = node.link("bridge0").flatMap(Link::mac).orElseThrow();
            IpAddress gateway4 = IpAddress.parse("10.1.2.1");
            IpAddress gateway6 = IpAddress.parse("fd00::1");
            // A kernel believes no second answer within a second of the first (locktime).
            node.setSysctl("net/ipv4/neigh/bridge0/locktime", "0");
            List<byte[]> forged = List.of(
                    Frames.frame(bridge, pair.a, Frames.ARP, Frames.arp(2, pair.a, B4, bridge, gateway4)),
                    Frames.frame(bridge, pair.b, Frames.ARP, Frames.arp(2, pair.a, B4, bridge, gateway4)),
                    Frames.frame(
                            bridge,
                            pair.a,
                            Frames.IPV6,
                            Frames.ipv6(
                                    B6,
                                    gateway6,
                                    Frames.ICMPV6,
                                    Frames.neighbour(
                                            Frames.ADVERTISEMENT, B6, gateway6, B6, Frames.option(2, pair.a)))),
                    Frames.frame(
                            bridge,
                            pair.a,
                            Frames.IPV6,
                            Frames.ipv6(
                                    A6,
                                    gateway6,
                                    Frames.ICMPV6,
                                    Frames.neighbour(
                                            Frames.ADVERTISEMENT, A6, gateway6, B6, Frames.option(2, pair.a)))));
            send(bridge, forged);
            if (checked) {
                assertThat(taken(node, pair)).isZero();
                assertThat(TcpProbe.isReachable(b, "10.1.2.3", node)).isTrue();
                assertThat(TcpProbe.isReachable(b, "fd00::3", node)).isTrue();
            } else {
                Eventually.isTrue("the attack to work where nothing is checked", () -> taken(node, pair) == 2);
            }
        }
    }

    /** The addresses of b that the node looks for at a. It may know a's own link-local one. */
    private static long taken(NetworkNamespace node, Pair pair) throws Exception {
        return TestCommand.in(node, "ip neigh show dev bridge0")
                .lines()
                .filter(line -> line.matches("(10\\.1\\.2\\.3|fd00::3) lladdr " + pair.a + " .*"))
                .count();
    }

    @Test
    void aContainerThatTakesItsNeighboursAddressesCutsItselfOff() throws Exception {
        addBoth("\"ipspoofchk\":true,");
        try (NetworkNamespace node = KERNEL.openNamed(NODE);
                NetworkNamespace a = KERNEL.openNamed("a");
                NetworkNamespace b = KERNEL.openNamed("b")) {
            int eth0 = a.link("eth0").orElseThrow().index();
            a.addAddress(eth0, Cidr.parse("10.1.2.3/24"));
            a.addAddress(eth0, Cidr.parse("fd00::3/64"));
            for (int i = 0; i < 3; i++) {
                TestCommand.in(node, "ip neigh flush dev bridge0");
                assertThat(TcpProbe.isReachable(b, "10.1.2.3", node)).isTrue();
                assertThat(TcpProbe.isReachable(b, "fd00::3", node)).isTrue();
            }
            a.deleteAddress(eth0, Cidr.parse("10.1.2.3/24"));
            a.deleteAddress(eth0, Cidr.parse("fd00::3/64"));
            a.deleteAddress(eth0, Cidr.parse("10.1.2.2/24"));
            a.addAddress(eth0, Cidr.parse("10.1.2.9/24"));
            assertThat(TcpProbe.isReachable(b, "10.1.2.3", a)).isFalse();
            a.deleteAddress(eth0, Cidr.parse("10.1.2.9/24"));
            a.addAddress(eth0, Cidr.parse("10.1.2.2/24"));
            assertThat(TcpProbe.sourceSeen(b, "10.1.2.3", a)).isEqualTo("10.1.2.2");
            assertThat(TcpProbe.sourceSeen(b, "fd00::3", a)).contains("fd00:0:0:0:0:0:0:2");
        }
    }

    /** The kernel finds the link-local address of its MAC, and no duplicate of its addresses. */
    @Test
    void duplicateDetectionAndLinkLocalAddressesWork() throws Exception {
        addBoth("\"ipspoofchk\":true,\"enabledad\":true,");
        try (NetworkNamespace a = KERNEL.openNamed("a");
                NetworkNamespace b = KERNEL.openNamed("b")) {
            for (NetworkNamespace each : List.of(a, b)) {
                Eventually.isTrue(
                        "no address to be tentative",
                        () -> each.addresses().stream()
                                        .filter(has -> has.address()
                                                .address()
                                                .toString()
                                                .startsWith("fe80::"))
                                        .noneMatch(has -> has.tentative())
                                && !TestCommand.in(each, "ip -6 -o addr show dev eth0 scope link")
                                        .isEmpty());
            }
            String local = String.valueOf(
                    b.link("eth0").flatMap(Link::mac).orElseThrow().linkLocal());
            assertThat(TestCommand.in(b, "ip -6 -o addr show dev eth0")).contains(local, "fd00::3/64");
            assertThat(TcpProbe.sourceSeen(b, local + scope(b), a, local + scope(a)))
                    .startsWith("fe80:");
        }
    }

    /** By number: Java finds names in the namespace of the process alone. */
    private static String scope(NetworkNamespace pod) throws Exception {
        return "%" + pod.link("eth0").orElseThrow().index();
    }

    @ParameterizedTest
    @ValueSource(strings = {"DEL", "GC"})
    void nothingIsLeft(String command) throws Exception {
        addBoth("\"ipspoofchk\":true,");
        try (NetworkNamespace node = KERNEL.openNamed(NODE)) {
            assertThat(TestCommand.in(node, "nft list table bridge nodepath_cni"))
                    .contains("a-eth0 ", "b-eth0 ", "10.1.2.2", "fd00::3");
            if (command.equals("GC")) {
                call("GC", "", config("\"cni.dev/valid-attachments\":[{\"containerID\":\"b\",\"ifname\":\"eth0\"}],"));
            } else {
                call("DEL", "a", config(""));
            }
            assertThat(TestCommand.in(node, "nft list table bridge nodepath_cni"))
                    .contains("b-eth0 ", "10.1.2.3", "fd00::3")
                    .doesNotContain("a-eth0 ", "10.1.2.2", "fd00::2");
            call("DEL", "b", config(""));
            assertThat(TestCommand.in(node, "nft list table bridge nodepath_cni"))
                    .contains("chain address")
                    .doesNotContain("elements");
        }
    }

    /**
     * Both containers.
     *
     * @param a the MAC of the sender
     * @param b the MAC of its neighbour
     */
    private record Pair(MacAddress a, MacAddress b) {
        Map<String, byte[]> frames(MacAddress to) {
            Map<String, byte[]> frames = new LinkedHashMap<>();
            own().forEach((name, frame) -> frames.put(name, to(to, frame)));
            forged().forEach((name, frame) -> frames.put(name, to(to, frame)));
            return frames;
        }

        private static byte[] to(MacAddress to, byte[] frame) {
            System.arraycopy(to.toBytes(), 0, frame, 0, MacAddress.LENGTH);
            return frame;
        }

        Map<String, byte[]> own() {
            Map<String, byte[]> frames = new LinkedHashMap<>();
            frames.put("IPv4", ipv4(a, A4, 0));
            frames.put("a later fragment", ipv4(a, A4, 0x2010));
            frames.put("IPv6", ipv6(a, A6, Frames.UDP, new byte[8]));
            frames.put("IPv6, link-local", ipv6(a, a.linkLocal(), Frames.UDP, new byte[8]));
            frames.put("IPv6 with an option", frame(a, Frames.IPV6, Frames.ipv6WithOption(A6, B6, 17, new byte[8])));
            frames.put("ARP request", arp(a, 1, a, A4));
            frames.put("ARP reply", arp(a, 2, a, A4));
            frames.put("solicitation", neighbour(a, Frames.SOLICITATION, A6, B6, Frames.option(1, a)));
            frames.put("duplicate detection", neighbour(a, Frames.SOLICITATION, ZERO6, A6, new byte[0]));
            frames.put(
                    "duplicate detection, link-local",
                    neighbour(a, Frames.SOLICITATION, ZERO6, a.linkLocal(), new byte[0]));
            frames.put("advertisement", neighbour(a, Frames.ADVERTISEMENT, A6, A6, Frames.option(2, a)));
            frames.put("advertisement without option", neighbour(a, Frames.ADVERTISEMENT, A6, A6, new byte[0]));
            frames.put(
                    "advertisement of the link-local address",
                    neighbour(a, Frames.ADVERTISEMENT, A6, a.linkLocal(), Frames.option(2, a)));
            return frames;
        }

        Map<String, byte[]> forged() {
            Map<String, byte[]> frames = new LinkedHashMap<>();
            frames.put("IPv4 of the neighbour", ipv4(a, B4, 0));
            frames.put("IPv4 of the neighbour, all of it", ipv4(b, B4, 0));
            frames.put("IPv4 with a foreign MAC", ipv4(b, A4, 0));
            frames.put("IPv4 of the node", ipv4(a, IpAddress.parse("10.1.2.1"), 0));
            frames.put("IPv4 without a source", ipv4(a, ZERO4, 0));
            frames.put("a later fragment of the neighbour", ipv4(a, B4, 0x0010));
            frames.put("half an IPv4 header", frame(a, Frames.IPV4, new byte[14]));
            byte[] own = Frames.ipv4(A4, B4, 0);
            // The neighbour takes tag 0 for none, and bridge netfilter takes no frame with a tag.
            frames.put("tag 0", Frames.frame(NOBODY, a, Frames.IPV4, own, VLAN));
            frames.put("tag 5", Frames.frame(NOBODY, a, Frames.IPV4, own, VLAN | 5));
            frames.put("service tag 0", Frames.frame(NOBODY, a, Frames.IPV4, own, SERVICE_VLAN));
            frames.put("two tags", Frames.frame(NOBODY, a, Frames.IPV4, own, SERVICE_VLAN | 5, VLAN | 5));
            frames.put("a third tag", Frames.frame(NOBODY, a, Frames.IPV4, own, VLAN, VLAN, VLAN));
            frames.put("tagged ARP", Frames.frame(NOBODY, a, Frames.ARP, Frames.arp(2, a, A4, b, B4), VLAN));
            frames.put(
                    "tagged IPv6",
                    Frames.frame(NOBODY, a, Frames.IPV6, Frames.ipv6(A6, B6, Frames.UDP, new byte[8]), VLAN));
            frames.put("IPv6 of the neighbour", ipv6(a, B6, Frames.UDP, new byte[8]));
            frames.put("IPv6 with a foreign MAC", ipv6(b, A6, Frames.UDP, new byte[8]));
            frames.put("IPv6 of the neighbour, link-local", ipv6(a, b.linkLocal(), Frames.UDP, new byte[8]));
            frames.put("IPv6 without a source", ipv6(a, ZERO6, Frames.UDP, new byte[8]));
            frames.put("IPv4 in an IPv6 frame", frame(a, Frames.IPV6, own));
            frames.put("ARP reply for the neighbour", arp(a, 2, a, B4));
            frames.put("ARP request of the neighbour", arp(a, 1, a, B4));
            frames.put("ARP reply with a foreign MAC inside", arp(a, 2, b, A4));
            frames.put("ARP reply with a foreign MAC outside", arp(b, 2, a, A4));
            frames.put("ARP probe", arp(a, 1, a, ZERO4));
            frames.put("solicitation of the neighbour", neighbour(a, Frames.SOLICITATION, B6, A6, Frames.option(1, a)));
            frames.put(
                    "duplicate detection of the neighbour's address",
                    neighbour(a, Frames.SOLICITATION, ZERO6, B6, new byte[0]));
            frames.put(
                    "duplicate detection with a foreign MAC",
                    neighbour(b, Frames.SOLICITATION, ZERO6, A6, new byte[0]));
            frames.put("advertisement for the neighbour", neighbour(a, 136, A6, B6, Frames.option(2, a)));
            frames.put("advertisement for the neighbour without option", neighbour(a, 136, A6, B6, new byte[0]));
            frames.put("advertisement of the neighbour", neighbour(a, 136, B6, B6, Frames.option(2, a)));
            frames.put("advertisement with a foreign MAC inside", neighbour(a, 136, A6, A6, Frames.option(2, b)));
            frames.put(
                    "advertisement for the neighbour behind an option",
                    frame(
                            a,
                            Frames.IPV6,
                            Frames.ipv6WithOption(
                                    A6,
                                    ALL_NODES,
                                    Frames.ICMPV6,
                                    Frames.neighbour(136, A6, ALL_NODES, B6, Frames.option(2, a)))));
            frames.put("another protocol", frame(a, 0x88CC, new byte[50]));
            frames.put("a length", frame(a, 50, new byte[50]));
            return frames;
        }

        private static byte[] frame(MacAddress from, int type, byte[] packet) {
            return Frames.frame(NOBODY, from, type, packet);
        }

        private static byte[] ipv4(MacAddress from, IpAddress source, int fragment) {
            return frame(from, Frames.IPV4, Frames.ipv4(source, B4, fragment));
        }

        private static byte[] ipv6(MacAddress from, IpAddress source, int protocol, byte[] content) {
            return frame(from, Frames.IPV6, Frames.ipv6(source, B6, protocol, content));
        }

        private static byte[] arp(MacAddress from, int operation, MacAddress mac, IpAddress sender) {
            return frame(from, Frames.ARP, Frames.arp(operation, mac, sender, NOBODY, B4));
        }

        private static byte[] neighbour(MacAddress from, int type, IpAddress source, IpAddress target, byte[] options) {
            return ipv6(from, source, Frames.ICMPV6, Frames.neighbour(type, source, B6, target, options));
        }
    }

    /** Sends frames from the first container, and returns the names of those that pass the plugin's chain. */
    private Set<String> passing(MacAddress to, Map<String, byte[]> frames) throws Exception {
        Set<String> passing = new LinkedHashSet<>();
        count(to);
        addPassing(List.copyOf(frames.entrySet()), passing);
        return passing;
    }

    /** Sends all at once. If some of them pass and others do not, each half is sent by itself. */
    private static void addPassing(List<Map.Entry<String, byte[]>> frames, Set<String> passing) throws Exception {
        long before = counted("before");
        long behind = counted("behind");
        List<String> names = frames.stream().map(Map.Entry::getKey).toList();
        sendNow(frames.stream().map(Map.Entry::getValue).toList());
        Eventually.isTrue("to arrive: " + names, () -> counted("before") == before + names.size());
        long passed = counted("behind") - behind;
        if (passed == names.size()) {
            passing.addAll(names);
        } else if (passed > 0) {
            int half = names.size() / 2;
            addPassing(frames.subList(0, half), passing);
            addPassing(frames.subList(half, names.size()), passing);
        }
    }

    /** Sends frames to one address from the first container, and waits until the bridge has taken them. */
    private void send(MacAddress to, List<byte[]> frames) throws Exception {
        count(to);
        sendNow(frames);
        Eventually.isTrue("the frames to arrive", () -> counted("before") >= frames.size());
    }

    private static void sendNow(List<byte[]> frames) throws Exception {
        try (NetworkNamespace a = KERNEL.openNamed("a")) {
            String[] command = Frames.sender(a.link("eth0").orElseThrow().index(), frames.toArray(byte[][]::new));
            String complaint = a.call(() -> {
                Process perl =
                        new ProcessBuilder(command).redirectErrorStream(true).start();
                return new String(perl.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            });
            assertThat(complaint).isEmpty();
        }
    }

    private void count(MacAddress to) throws Exception {
        try (NetworkNamespace node = KERNEL.openNamed(NODE);
                NetworkNamespace a = KERNEL.openNamed("a")) {
            String port = node.link(a.link("eth0").orElseThrow().peerIndex())
                    .orElseThrow()
                    .name();
            Path file = dataDir.resolve("counters");
            Files.writeString(file, COUNTERS.replace("PORT", port).replace("TO", to.toString()));
            TestCommand.in(node, "nft -f " + file);
        }
    }

    private static long counted(String counter) throws Exception {
        try (NetworkNamespace node = KERNEL.openNamed(NODE)) {
            String listed = TestCommand.in(node, "nft list counter bridge seen " + counter);
            return Long.parseLong(listed.replaceFirst("(?s).*packets (\\d+) .*", "$1"));
        }
    }

    private Pair addBoth(String options) throws Exception {
        call("ADD", "a", config(options));
        call("ADD", "b", config(options));
        try (NetworkNamespace a = KERNEL.openNamed("a");
                NetworkNamespace b = KERNEL.openNamed("b")) {
            return new Pair(
                    a.link("eth0").flatMap(Link::mac).orElseThrow(),
                    b.link("eth0").flatMap(Link::mac).orElseThrow());
        }
    }

    private void call(String command, String container, String config) throws Exception {
        Map<String, String> environment = Map.of("CNI_COMMAND", "GC", "CNI_PATH", "/");
        if (!container.isEmpty()) {
            make(container);
            environment = TestNode.environment(
                    command, container, KERNEL.path(container).toString());
        }
        CallOutcome outcome =
                invocation.run(environment, new ByteArrayInputStream(config.getBytes(StandardCharsets.UTF_8)));
        assertThat(outcome.exitCode()).as(outcome.stdout()).isZero();
    }

    private void make(String namespace) throws Exception {
        if (!namespaces.contains(namespace)) {
            KERNEL.create(namespace).close();
            namespaces.add(namespace);
        }
    }

    private String config(String options) {
        return "{\"cniVersion\":\"1.1.0\",\"name\":\"n\",\"type\":\"x\",\"bridge\":\"bridge0\","
                + "\"isDefaultGateway\":true," + options + "\"ipam\":{\"type\":\"host-local\",\"dataDir\":\"" + dataDir
                + "\",\"ranges\":[[{\"subnet\":\"10.1.2.0/24\"}],[{\"subnet\":\"fd00::/64\"}]]}}";
    }
}
