package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.route.Route;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
 * Masquerading on the real kernel while configurations change; the remains of a DEL with an edited configuration; a
 * bridge that is removed with its last container.
 */
@Tag("netns")
class MasqueradeKernelTest {
    private static final KernelLinuxNet KERNEL = new KernelLinuxNet();

    @TempDir
    Path dataDir;

    private TestNode paths = new TestNode(Path.of(""));
    private NodeOfWorld node = new NodeOfWorld(Path.of(""));

    @BeforeEach
    void makeNode() throws Exception {
        paths = new TestNode(dataDir);
        node = new NodeOfWorld(dataDir);
        int worldEnd = node.make();
        // The world answers containers that come with their own address.
        try (NetworkNamespace world = KERNEL.openNamed(NodeOfWorld.WORLD)) {
            world.addRoute(new Route(
                    Cidr.parse("10.1.2.0/24"), Optional.of(IpAddress.parse(NodeOfWorld.NODE_IPV4)), worldEnd));
            world.addRoute(
                    new Route(Cidr.parse("fd00::/64"), Optional.of(IpAddress.parse(NodeOfWorld.NODE_IPV6)), worldEnd));
        }
    }

    @AfterEach
    void removeNode() throws Exception {
        node.close();
    }

    @Test
    void leavesThoseTheirAddressWhoseNetworkSaysSo() throws Exception {
        String on = config("\"ipMasq\":true,");
        String off = config("\"ipMasq\":false,");
        String other = off.replace(TestNode.NETWORK, "another")
                .replace("{\"subnet\":\"10.1.2.0/24\"}", "{\"subnet\":\"10.1.2.0/24\",\"rangeStart\":\"10.1.2.100\"}")
                .replace("{\"subnet\":\"fd00::/64\"}", "{\"subnet\":\"fd00::/64\",\"rangeStart\":\"fd00::100\"}");
        succeeded(node.call("ADD", "old", on));
        succeeded(node.call("ADD", "other", other));
        assertThat(sourceOf("old")).isEqualTo(NodeOfWorld.NODE_IPV4 + " " + NodeOfWorld.NODE_IPV6);
        assertThat(sourceOf("other")).isEqualTo("10.1.2.100 fd00:0:0:0:0:0:0:100");
        // The setting is removed: new containers send with their own address, present ones stay as they are.
        succeeded(node.call("ADD", "new", off));
        assertThat(sourceOf("new")).isEqualTo("10.1.2.3 fd00:0:0:0:0:0:0:3");
        assertThat(sourceOf("old")).isEqualTo(NodeOfWorld.NODE_IPV4 + " " + NodeOfWorld.NODE_IPV6);
        succeeded(node.call("ADD", "old", off));
        assertThat(sourceOf("old")).isEqualTo("10.1.2.2 fd00:0:0:0:0:0:0:2");
        succeeded(node.call("DEL", "old", off));
        assertThat(node.rules()).doesNotContain("masquerade");
    }

    @Test
    void masqueradesOneFamilyAlone() throws Exception {
        succeeded(node.call("ADD", "four", config("\"ipMasq\":true,\"ip6Masq\":false,")));
        assertThat(sourceOf("four")).isEqualTo(NodeOfWorld.NODE_IPV4 + " fd00:0:0:0:0:0:0:2");
        succeeded(node.call("ADD", "six", config("\"ip6Masq\":true,")));
        assertThat(sourceOf("six")).isEqualTo("10.1.2.3 " + NodeOfWorld.NODE_IPV6);
    }

    @Test
    void masqueradesWithinTheSubnetIfAsked() throws Exception {
        succeeded(node.call("ADD", "server", config("")));
        succeeded(node.call("ADD", "plain", config("\"ipMasq\":true,")));
        succeeded(node.call("ADD", "within", config("\"ipMasq\":true,\"ipMasqWithinSubnet\":true,")));
        try (NetworkNamespace server = KERNEL.openNamed("server");
                NetworkNamespace plain = KERNEL.openNamed("plain");
                NetworkNamespace within = KERNEL.openNamed("within")) {
            assertThat(TcpProbe.sourceSeen(server, "10.1.2.2", plain)).isEqualTo("10.1.2.3");
            assertThat(TcpProbe.sourceSeen(server, "10.1.2.2", within)).isEqualTo("10.1.2.1");
        }
    }

    @Test
    void leavesNoRuleOfSixtyContainersWithAddressesOfTheirOwn() throws Exception {
        node.make("pod");
        for (int i = 1; i <= 60; i++) {
            String config = paths.config(
                    "1.0.0",
                    "\"ipMasq\":true,\"ipam\":{\"type\":\"static\",\"addresses\":[{\"address\":\"10.9.0." + i
                            + "/32\"}]}");
            succeeded(node.call("ADD", "c" + i, "pod", config));
            assertThat(node.rules()).contains("ip saddr 10.9.0." + i + " ");
            succeeded(node.call("DEL", "c" + i, "pod", config));
        }
        assertThat(node.rules()).doesNotContain("masquerade");
    }

    static Stream<EditedConfigTest.Edit> edits() {
        return EditedConfigTest.edits();
    }

    @ParameterizedTest
    @MethodSource("edits")
    void takesAwayWhatWasAddedBeforeAnEdit(EditedConfigTest.Edit edit) throws Exception {
        String before = EditedConfigTest.before(paths);
        succeeded(node.call("ADD", "dummy", before));
        succeeded(node.call("DEL", "dummy", edit.of(before)));
        try (NetworkNamespace host = KERNEL.openNamed(NodeOfWorld.NODE);
                NetworkNamespace pod = KERNEL.openNamed("dummy")) {
            assertThat(host.links()).extracting(Link::name).containsExactlyInAnyOrder("lo", "uplink", "bridge0");
            assertThat(pod.link("eth0")).isEmpty();
        }
        assertThat(paths.reserved()).isEmpty();
        assertThat(node.rules()).doesNotContain("dummy", "masquerade");
    }

    @Test
    void takesTheBridgeAwayWithItsLastContainerIfAsked() throws Exception {
        String config = config("\"prune\":true,");
        for (int round = 0; round < 3; round++) {
            succeeded(node.call("ADD", "a", config));
            succeeded(node.call("ADD", "b", config));
            succeeded(node.call("DEL", "a", config));
            try (NetworkNamespace host = KERNEL.openNamed(NodeOfWorld.NODE)) {
                assertThat(host.link("bridge0")).isPresent();
                succeeded(node.call("DEL", "b", config));
                assertThat(host.links()).extracting(Link::name).containsExactlyInAnyOrder("lo", "uplink");
            }
        }
    }

    /** A container that comes while the last one goes finds a bridge or makes one. */
    @Test
    void takesNoBridgeFromAContainerThatComesMeanwhile() throws Exception {
        String config = config("\"prune\":true,");
        node.make("a");
        node.make("b");
        succeeded(node.call("ADD", "a", config));
        for (int round = 0; round < 30; round++) {
            String goes = round % 2 == 0 ? "a" : "b";
            String comes = round % 2 == 0 ? "b" : "a";
            List<AssertionError> problems = new ArrayList<>();
            Thread going = new Thread(() -> {
                try {
                    succeeded(node.call("DEL", goes, config));
                } catch (Exception | AssertionError e) {
                    problems.add(new AssertionError(goes, e));
                }
            });
            going.start();
            succeeded(node.call("ADD", comes, config));
            going.join();
            assertThat(problems).isEmpty();
            try (NetworkNamespace host = KERNEL.openNamed(NodeOfWorld.NODE)) {
                int bridge = host.link("bridge0").orElseThrow().index();
                assertThat(host.links().stream().filter(link -> link.masterIndex() == bridge))
                        .as("round " + round)
                        .hasSize(1);
                assertThat(host.addresses(bridge)).anyMatch(has -> has.address().equals(Cidr.parse("10.1.2.1/24")));
            }
        }
    }

    /** The source that the world sees, in both families. */
    private static String sourceOf(String container) throws Exception {
        try (NetworkNamespace world = KERNEL.openNamed(NodeOfWorld.WORLD);
                NetworkNamespace client = KERNEL.openNamed(container)) {
            return TcpProbe.sourceSeen(world, "172.30.0.1", client) + " "
                    + TcpProbe.sourceSeen(world, "fd30::1", client);
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
