package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.link.BridgeSpec;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A container that plays the node's router, as in CVE-2020-10749: the node takes neither address nor route from it.
 */
@Tag("netns")
class RouterAdvertisementKernelTest {
    private static final KernelLinuxNet KERNEL = new KernelLinuxNet();
    private static final String NODE = "ra-node";
    private static final String BRIDGE_SETTING = "net/ipv6/conf/bridge0/accept_ra";

    /**
     * A router for half an hour, and the network fd66::/64 to take an address in (RFC 4861, sections 4.2 and 4.6.2).
     */
    private static final String ADVERTISE = """
            use Socket;
            socket(my $s, AF_INET6, SOCK_RAW, 58) or die "socket: $!";
            setsockopt($s, 41, 18, pack("i", 255)) or die "hop limit: $!";
            my $router = pack("CCnCCnNN", 134, 0, 0, 64, 0, 1800, 0, 0);
            my $prefix = pack("CCCCNNNH32", 3, 4, 64, 0xc0, 3600, 3600, 0, "fd66" . "0" x 28);
            my $everybody = pack_sockaddr_in6(0, pack("H32", "ff02" . "0" x 27 . "1"), $ARGV[0]);
            for (1, 2) { send($s, $router . $prefix, 0, $everybody) or die "send: $!"; }
            """;

    @TempDir
    Path dataDir;

    private final List<String> pods = new ArrayList<>();
    private Optional<NetworkNamespace> opened = Optional.empty();

    @BeforeEach
    void newNode() throws Exception {
        opened = Optional.of(KERNEL.create(NODE));
    }

    @AfterEach
    void removeEverything() throws Exception {
        node().close();
        for (String pod : pods) {
            KERNEL.delete(pod);
        }
        KERNEL.delete(NODE);
    }

    @Test
    void theNodeTakesNothingFromARogueRouterOnABridgeThatWasUpBefore() throws Exception {
        Link bridge = node().createBridge(new BridgeSpec("bridge0", Optional.empty(), Optional.empty(), false));
        node().setUp(bridge.index(), true);
        assertThat(node().sysctl(BRIDGE_SETTING)).as("the attack is possible").isEqualTo("1");

        String added = call("ADD", "rogue", config(1500));
        advertise("rogue");
        assertThat(takenFromRouters()).isEmpty();

        node().setSysctl(BRIDGE_SETTING, "1");
        assertThat(call("CHECK", "rogue", checked(added))).contains(BRIDGE_SETTING + ": 1 (expected: 0)");
        advertise("rogue");
        Eventually.isTrue(
                "the attack to work where nothing is done",
                () -> takenFromRouters().size() == 2);

        assertThat(call("ADD", "rogue", config(1500))).isEqualTo(added);
        assertThat(node().sysctl(BRIDGE_SETTING)).isEqualTo("0");
        assertThat(call("CHECK", "rogue", checked(added))).isEmpty();
    }

    @Test
    void aBridgeThatForgotTheSettingWithItsMtuIsMendedByDel() throws Exception {
        call("ADD", "rogue", config(1500));
        call("ADD", "small", config(1200));
        assertThat(node().link("bridge0").orElseThrow().mtu()).isEqualTo(1200);
        assertThat(settings()).as("the bridge has lost its IPv6").doesNotContain("bridge0");
        call("DEL", "small", config(1200));
        assertThat(node().link("bridge0").orElseThrow().mtu()).isEqualTo(1500);
        assertThat(node().sysctl(BRIDGE_SETTING)).isEqualTo("0");
        advertise("rogue");
        assertThat(takenFromRouters()).isEmpty();
    }

    @Test
    void aBridgeThatForgotTheSettingWithItsMtuIsMendedByTheNextAdd() throws Exception {
        String added = call("ADD", "rogue", config(1500));
        call("ADD", "small", config(1200));
        KERNEL.delete("small");
        pods.remove("small");
        Eventually.isTrue(
                "the port to go", () -> node().link("bridge0").orElseThrow().mtu() == 1500);
        assertThat(call("CHECK", "rogue", checked(added))).contains(BRIDGE_SETTING + ": 1 (expected: 0)");
        call("ADD", "other", config(1500));
        advertise("rogue");
        assertThat(takenFromRouters()).isEmpty();
    }

    @Test
    void theNodeTakesNothingOverALinkThatStandsOnTheBridge() throws Exception {
        call("ADD", "rogue", config(1500));
        assertThat(TestCommand.in(node(), "ip link add link bridge0 name upper type macvlan mode bridge"))
                .isEmpty();
        assertThat(TestCommand.in(node(), "ip link set upper up")).isEmpty();
        String setting = "net/ipv6/conf/upper/accept_ra";
        assertThat(node().sysctl(setting)).as("the attack is possible").isEqualTo("1");
        call("ADD", "rogue", config(1500));
        assertThat(node().sysctl(setting)).isEqualTo("0");
        advertise("rogue", 2);
        assertThat(takenFromRouters()).isEmpty();
        node().setSysctl(setting, "1");
        advertise("rogue", 2);
        Eventually.isTrue(
                "the attack to work where nothing is done",
                () -> takenFromRouters().size() == 2);
    }

    private List<String> settings() throws Exception {
        return node().call(() -> List.of(Objects.requireNonNull(new File("/proc/sys/net/ipv6/conf").list())));
    }

    /** IPv4 alone: nothing is expected of IPv6 on such a node. */
    private String config(int mtu) {
        return new TestNode(dataDir)
                .config(
                        "1.0.0",
                        "\"mtu\":" + mtu + ",\"ipam\":{\"type\":\"host-local\",\"dataDir\":\"DATADIR\","
                                + "\"subnet\":\"10.1.2.0/24\"}");
    }

    private String checked(String result) {
        return config(1500).replaceFirst("}$", ",\"prevResult\":" + result + "}");
    }

    /** The answer; a refusal of anything but CHECK is an error. */
    private String call(String command, String pod, String config) throws Exception {
        if (!pods.contains(pod)) {
            KERNEL.create(pod).close();
            pods.add(pod);
        }
        CallOutcome outcome = NodeNet.invocation(KERNEL, NodeNet.of(KERNEL, NODE), LinkRemoval.immediate())
                .run(
                        TestNode.environment(command, pod, KERNEL.path(pod).toString()),
                        new ByteArrayInputStream(config.getBytes(StandardCharsets.UTF_8)));
        assertThat(outcome.exitCode() == 0 || command.equals("CHECK"))
                .as(outcome.stdout())
                .isTrue();
        return outcome.stdout();
    }

    /** Sends two advertisements from a container, and waits until the node has handled the first. */
    private void advertise(String pod) throws Exception {
        advertise(pod, 1);
    }

    /** Likewise, where several of the node's links hear each of them. */
    private void advertise(String pod, int listeners) throws Exception {
        long before = advertisementsSeen();
        try (NetworkNamespace container = KERNEL.openNamed(pod)) {
            int index = container.link("eth0").orElseThrow().index();
            // The kernel sends nothing from an address that it still checks for a duplicate.
            Eventually.isTrue(
                    "the container's link-local address",
                    () -> !TestCommand.in(container, "ip -6 -o addr show dev eth0 scope link -tentative")
                            .isEmpty());
            String complaint = container.call(() -> {
                Process perl = new ProcessBuilder("perl", "-e", ADVERTISE, String.valueOf(index))
                        .redirectErrorStream(true)
                        .start();
                return new String(perl.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            });
            assertThat(complaint).isEmpty();
        }
        Eventually.isTrue("the second advertisement to arrive", () -> advertisementsSeen() == before + 2L * listeners);
    }

    private long advertisementsSeen() throws LinuxNetException {
        String counters = node().call(() -> Files.readString(Path.of("/proc/thread-self/net/snmp6")));
        return counters.lines()
                .filter(line -> line.startsWith("Icmp6InRouterAdvertisements"))
                .mapToLong(line -> Long.parseLong(line.split("\\s+", -1)[1]))
                .sum();
    }

    /** The node's default routes of IPv6 and its addresses in the advertised network. */
    private List<String> takenFromRouters() throws LinuxNetException {
        List<String> taken = new ArrayList<>();
        node().routes().stream()
                .filter(route -> route.destination().equals(Cidr.parse("::/0")))
                .forEach(route -> taken.add(route.toString()));
        node().addresses().stream()
                .filter(address ->
                        Cidr.parse("fd66::/64").contains(address.address().address()))
                .forEach(address -> taken.add(address.toString()));
        return taken;
    }

    private NetworkNamespace node() {
        return opened.orElseThrow();
    }
}
