package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.bridge.LinkRemoval;
import dev.nodepath.cni.result.CallOutcome;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.namespace.VethSpec;
import dev.nodepath.linux.route.Route;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whose packets bear the node's address, on the real kernel, while configurations change; what is left after a DEL with an edited
 * one; a bridge that goes with its last container.
 */
@Tag("netns")
class MasqueradeKernelTest {
    private static final KernelLinuxNet KERNEL = new KernelLinuxNet();
    private static final String NODE = "np-node";
    private static final String WORLD = "np-world";
    private static final String NODE_IPV4 = "172.30.0.2";
    private static final String NODE_IPV6 = "fd30:0:0:0:0:0:0:2";

    @TempDir
    Path dataDir;

    private final List<String> namespaces = new ArrayList<>();
    private TestNode paths = new TestNode(Path.of(""));
    private Invocation invocation = paths.invocation;

    @BeforeEach
    void makeNode() throws Exception {
        paths = new TestNode(dataDir);
        invocation = NodeNet.invocation(KERNEL, NodeNet.of(KERNEL, NODE), LinkRemoval.immediate(), dataDir);
        make(NODE);
        make(WORLD);
        try (NetworkNamespace node = KERNEL.openNamed(NODE);
                NetworkNamespace world = KERNEL.openNamed(WORLD)) {
            Link uplink = node.createVeth(new VethSpec("uplink", Optional.empty(), "far", world, Optional.empty()));
            for (String network : List.of("172.30.0.%d/24", "fd30::%d/64")) {
                node.addAddress(uplink.index(), Cidr.parse(String.format(network, 2)));
                world.addAddress(uplink.peerIndex(), Cidr.parse(String.format(network, 1)));
            }
            // A link looks for its neighbours only when its own fe80:: address has passed the search for duplicates.
            node.setSysctl("net/ipv6/conf/uplink/accept_dad", "0");
            world.setSysctl("net/ipv6/conf/far/accept_dad", "0");
            node.setUp(uplink.index(), true);
            world.setUp(uplink.peerIndex(), true);
            // The kernel may take a second to tell that both ends are up; until then the link drops packets.
            Eventually.isTrue(
                    "the uplink runs",
                    () -> node.link(uplink.index()).orElseThrow().running()
                            && world.link(uplink.peerIndex()).orElseThrow().running());
            // The world answers containers that come with their own address.
            world.addRoute(
                    new Route(Cidr.parse("10.1.2.0/24"), Optional.of(IpAddress.parse(NODE_IPV4)), uplink.peerIndex()));
            world.addRoute(
                    new Route(Cidr.parse("fd00::/64"), Optional.of(IpAddress.parse(NODE_IPV6)), uplink.peerIndex()));
        }
    }

    @AfterEach
    void removeNamespaces() throws Exception {
        for (String namespace : namespaces) {
            KERNEL.delete(namespace);
        }
    }

    @Test
    void leavesThoseTheirAddressWhoseNetworkSaysSo() throws Exception {
        String on = config("\"ipMasq\":true,");
        String off = config("\"ipMasq\":false,");
        String other = off.replace(TestNode.NETWORK, "another")
                .replace("{\"subnet\":\"10.1.2.0/24\"}", "{\"subnet\":\"10.1.2.0/24\",\"rangeStart\":\"10.1.2.100\"}")
                .replace("{\"subnet\":\"fd00::/64\"}", "{\"subnet\":\"fd00::/64\",\"rangeStart\":\"fd00::100\"}");
        succeeded(call("ADD", "old", on));
        succeeded(call("ADD", "other", other));
        assertThat(sourceOf("old")).isEqualTo(NODE_IPV4 + " " + NODE_IPV6);
        assertThat(sourceOf("other")).isEqualTo("10.1.2.100 fd00:0:0:0:0:0:0:100");
        // The setting goes: those that come have their own address, those that are there stay as they are.
        succeeded(call("ADD", "new", off));
        assertThat(sourceOf("new")).isEqualTo("10.1.2.3 fd00:0:0:0:0:0:0:3");
        assertThat(sourceOf("old")).isEqualTo(NODE_IPV4 + " " + NODE_IPV6);
        succeeded(call("ADD", "old", off));
        assertThat(sourceOf("old")).isEqualTo("10.1.2.2 fd00:0:0:0:0:0:0:2");
        succeeded(call("DEL", "old", off));
        assertThat(rules()).doesNotContain("masquerade");
    }

    @Test
    void masqueradesOneFamilyAlone() throws Exception {
        succeeded(call("ADD", "four", config("\"ipMasq\":true,\"ip6Masq\":false,")));
        assertThat(sourceOf("four")).isEqualTo(NODE_IPV4 + " fd00:0:0:0:0:0:0:2");
        succeeded(call("ADD", "six", config("\"ip6Masq\":true,")));
        assertThat(sourceOf("six")).isEqualTo("10.1.2.3 " + NODE_IPV6);
    }

    @Test
    void masqueradesWithinTheSubnetIfAsked() throws Exception {
        succeeded(call("ADD", "server", config("")));
        succeeded(call("ADD", "plain", config("\"ipMasq\":true,")));
        succeeded(call("ADD", "within", config("\"ipMasq\":true,\"ipMasqWithinSubnet\":true,")));
        try (NetworkNamespace server = KERNEL.openNamed("server");
                NetworkNamespace plain = KERNEL.openNamed("plain");
                NetworkNamespace within = KERNEL.openNamed("within")) {
            assertThat(TcpProbe.sourceSeen(server, "10.1.2.2", plain)).isEqualTo("10.1.2.3");
            assertThat(TcpProbe.sourceSeen(server, "10.1.2.2", within)).isEqualTo("10.1.2.1");
        }
    }

    @Test
    void leavesNoRuleOfSixtyContainersWithAddressesOfTheirOwn() throws Exception {
        make("pod");
        for (int i = 1; i <= 60; i++) {
            String config = paths.config(
                    "1.0.0",
                    "\"ipMasq\":true,\"ipam\":{\"type\":\"static\",\"addresses\":[{\"address\":\"10.9.0." + i
                            + "/32\"}]}");
            succeeded(call("ADD", "c" + i, "pod", config));
            assertThat(rules()).contains("ip saddr 10.9.0." + i + " ");
            succeeded(call("DEL", "c" + i, "pod", config));
        }
        assertThat(rules()).doesNotContain("masquerade");
    }

    static Stream<EditedConfigTest.Edit> edits() {
        return EditedConfigTest.edits();
    }

    @ParameterizedTest
    @MethodSource("edits")
    void takesAwayWhatWasAddedBeforeAnEdit(EditedConfigTest.Edit edit) throws Exception {
        String before = EditedConfigTest.before(paths);
        succeeded(call("ADD", "dummy", before));
        succeeded(call("DEL", "dummy", edit.of(before)));
        try (NetworkNamespace node = KERNEL.openNamed(NODE);
                NetworkNamespace pod = KERNEL.openNamed("dummy")) {
            assertThat(node.links()).extracting(Link::name).containsExactlyInAnyOrder("lo", "uplink", "bridge0");
            assertThat(pod.link("eth0")).isEmpty();
        }
        assertThat(paths.reserved()).isEmpty();
        assertThat(rules()).doesNotContain("dummy", "masquerade");
    }

    @Test
    void takesTheBridgeAwayWithItsLastContainerIfAsked() throws Exception {
        String config = config("\"prune\":true,");
        for (int round = 0; round < 3; round++) {
            succeeded(call("ADD", "a", config));
            succeeded(call("ADD", "b", config));
            succeeded(call("DEL", "a", config));
            try (NetworkNamespace node = KERNEL.openNamed(NODE)) {
                assertThat(node.link("bridge0")).isPresent();
                succeeded(call("DEL", "b", config));
                assertThat(node.links()).extracting(Link::name).containsExactlyInAnyOrder("lo", "uplink");
            }
        }
    }

    /** The one that comes while the last one goes finds a bridge or makes it. */
    @Test
    void takesNoBridgeFromAContainerThatComesMeanwhile() throws Exception {
        String config = config("\"prune\":true,");
        make("a");
        make("b");
        succeeded(call("ADD", "a", config));
        for (int round = 0; round < 30; round++) {
            String goes = round % 2 == 0 ? "a" : "b";
            String comes = round % 2 == 0 ? "b" : "a";
            List<AssertionError> problems = new ArrayList<>();
            Thread going = new Thread(() -> {
                try {
                    succeeded(call("DEL", goes, config));
                } catch (Exception | AssertionError e) {
                    problems.add(new AssertionError(goes, e));
                }
            });
            going.start();
            succeeded(call("ADD", comes, config));
            going.join();
            assertThat(problems).isEmpty();
            try (NetworkNamespace node = KERNEL.openNamed(NODE)) {
                int bridge = node.link("bridge0").orElseThrow().index();
                assertThat(node.links().stream().filter(link -> link.masterIndex() == bridge))
                        .as("round " + round)
                        .hasSize(1);
                assertThat(node.addresses(bridge)).anyMatch(has -> has.address().equals(Cidr.parse("10.1.2.1/24")));
            }
        }
    }

    /** What the world sees, in both families. */
    private static String sourceOf(String container) throws Exception {
        try (NetworkNamespace world = KERNEL.openNamed(WORLD);
                NetworkNamespace client = KERNEL.openNamed(container)) {
            return TcpProbe.sourceSeen(world, "172.30.0.1", client) + " "
                    + TcpProbe.sourceSeen(world, "fd30::1", client);
        }
    }

    private static String rules() throws Exception {
        try (NetworkNamespace node = KERNEL.openNamed(NODE)) {
            return node.call(() -> {
                Process nft = new ProcessBuilder("nft", "list", "ruleset").start();
                return new String(nft.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            });
        }
    }

    private CallOutcome call(String command, String container, String config) throws Exception {
        return call(command, container, container, config);
    }

    private CallOutcome call(String command, String container, String namespace, String config) throws Exception {
        make(namespace);
        Map<String, String> environment =
                TestNode.environment(command, container, KERNEL.path(namespace).toString());
        environment.put("CNI_PATH", KernelNode.DEBIAN.toString());
        return invocation.run(environment, new ByteArrayInputStream(config.getBytes(StandardCharsets.UTF_8)));
    }

    private void make(String namespace) throws Exception {
        if (!namespaces.contains(namespace)) {
            KERNEL.create(namespace).close();
            namespaces.add(namespace);
        }
    }

    private String config(String options) {
        return paths.gatewayConfig("1.1.0", "10.1.2.0/24", "fd00::/64")
                .replace("\"isDefaultGateway\"", options + "\"isDefaultGateway\"");
    }

    private static void succeeded(CallOutcome outcome) {
        assertThat(outcome.exitCode()).as(outcome.stdout()).isZero();
    }
}
