package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.linux.link.BridgeSpec;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.link.PortVlan;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.namespace.VethSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The VLANs of a container's port, and of which bridges. "1*" is the VLAN of untagged frames, "1-" also goes out
 * without a tag, "1" with one.
 */
class VlanTest extends FakeNodeTest {
    private static final String GATEWAY = "\"vlan\":100,\"isGateway\":true,\"ipam\":{\"type\":\"host-local\","
            + "\"dataDir\":\"DATADIR\",\"subnet\":\"10.1.2.0/24\"}";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"vlanTrunk\":[{\"id\":1},{\"id\":101}] | 1* 101",
                "\"vlanTrunk\":[{\"minID\":1,\"maxID\":3}] | 1* 2 3",
                "\"vlan\":1,\"vlanTrunk\":[{\"minID\":1,\"maxID\":2}] | 1* 2",
                "\"vlan\":5,\"vlanTrunk\":[{\"minID\":4,\"maxID\":6}] | 4 5* 6",
                "\"vlan\":5,\"vlanTrunk\":[{\"id\":1}] | 1 5*",
                "\"vlan\":5,\"preserveDefaultVlan\":true | 1- 5*",
                "\"vlan\":5,\"preserveDefaultVlan\":true,\"vlanTrunk\":[{\"id\":1}] | 1 5*",
            })
    void aTrunkLeavesThePortTheVlanOfItsUntaggedFrames(String members, String expected) throws Exception {
        String added = add(members);
        assertThat(vlans()).isEqualTo(expected);
        assertThat(check(members, added)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"vlan\":100 | \"vlan\":200 | 200* | vlan 200 of veth",
                "\"vlan\":100 | \"vlanTrunk\":[{\"id\":100}] | 1* 100 | vlan 1 of veth",
                "\"vlanTrunk\":[{\"id\":100}] | \"vlan\":100 | 100* | vlan 100 of veth",
                "\"vlanTrunk\":[{\"minID\":100,\"maxID\":103}] | \"vlanTrunk\":[{\"id\":102},{\"id\":104}] | 1* 102 104 | vlan 104 of veth",
                "\"vlan\":100,\"preserveDefaultVlan\":true | \"vlan\":200 | 200* | vlan 200 of veth",
                "\"mtu\":1400 | \"vlan\":200 | 200* | vlan_filtering of bridge0: 0",
            })
    void anAddWithOtherVlansMovesThePort(String before, String after, String expected, String told) throws Exception {
        String added = add(before);
        assertThat(check(after, added)).contains("\"msg\":\"" + told);
        assertThat(add(after)).isEqualTo(added);
        assertThat(vlans()).isEqualTo(expected);
        assertThat(check(after, added)).isEmpty();
        assertThat(node.hostLinks()).hasSize(3);
    }

    @Test
    void anAddWithoutVlansLetsThePortBeWhatTheBridgeMakesOfNewOnes() throws Exception {
        add("\"vlan\":100,\"hairpinMode\":true");
        add("\"hairpinMode\":true");
        assertThat(vlans()).isEqualTo("1*");
        assertThat(port().hairpin()).isTrue();
        assertThat(port().masterIndex()).isEqualTo(node.hostLink("bridge0").index());
    }

    @Test
    void theGatewayMayBeAVlanLinkThatIsThere() throws Exception {
        try (NetworkNamespace host = node.net.current()) {
            Link bridge = host.createBridge(bridge(true));
            node.net.addVlanLink("bridge0.100", "bridge0");
            int link = host.link("bridge0.100").orElseThrow().index();
            host.setUp(link, true);
            String added = add(GATEWAY);
            assertThat(added).contains("\"name\":\"bridge0.100\"");
            assertThat(node.addressesOf(host, "bridge0.100")).containsExactly("10.1.2.1/24");
            assertThat(host.vlans(bridge.index())).containsExactly(PortVlan.access(1), PortVlan.tagged(100));
            assertThat(host.links()).hasSize(4);
            String setting = "net/ipv6/conf/bridge0.100/accept_ra";
            assertThat(host.sysctl(setting)).isEqualTo("0");
            host.setSysctl(setting, "1");
            assertThat(check(GATEWAY, added)).contains(setting + ": 1 (expected: 0)");
            assertThat(add(GATEWAY)).isEqualTo(added);
            assertThat(check(GATEWAY, added)).isEmpty();
        }
    }

    @Test
    void aVlanLinkOnAnotherLinkIsNoGateway() throws Exception {
        try (NetworkNamespace host = node.net.current();
                NetworkNamespace pod = node.net.openNamed("pod")) {
            host.createVeth(new VethSpec("uplink", Optional.empty(), "far", pod, Optional.empty()));
            node.net.addVlanLink("bridge0.100", "uplink");
            assertThat(node.add(config(GATEWAY), "dummy", netns).stdout())
                    .contains("\"code\":7,\"msg\":\"vlan: \\\"bridge0.100\\\" already exists but is neither a VLAN link"
                            + " on bridge0 nor an end of a veth pair");
            assertThat(host.links()).extracting(Link::name).containsExactly("lo", "uplink", "bridge0.100", "bridge0");
        }
    }

    /** Added again, the VLAN of the bridge's own untagged frames would lose them. */
    @Test
    void theGatewayInVlan1LeavesTheBridgeItsUntaggedFrames() throws Exception {
        try (NetworkNamespace host = node.net.current()) {
            Link bridge = host.createBridge(bridge(true));
            node.net.addVlanLink("bridge0.1", "bridge0");
            add(GATEWAY.replace("\"vlan\":100", "\"vlan\":1"));
            assertThat(host.vlans(bridge.index())).containsExactly(PortVlan.access(1));
        }
    }

    @Test
    void aLinkWithTheNumberOfAnEndInAContainerIsNotTakenForTheGatewaysOtherEnd() throws Exception {
        try (NetworkNamespace host = node.net.current();
                NetworkNamespace pod = node.net.create("other")) {
            Link uplink = host.createVeth(new VethSpec("uplink", Optional.empty(), "far", pod, Optional.empty()));
            try (NetworkNamespace third = node.net.create("third")) {
                host.createVeth(new VethSpec("bridge0.100", Optional.empty(), "far", third, Optional.empty()));
                assertThat(third.link("far").orElseThrow().index()).isEqualTo(uplink.index());
            }
            assertThat(node.add(config(GATEWAY), "dummy", netns).stdout())
                    .contains("\"bridge0.100\\\" already exists but is neither");
            assertThat(host.link(uplink.index()).orElseThrow().masterIndex()).isZero();
        }
    }

    @Test
    void checkNamesABridgeThatHasStoppedKeepingVlansApart() throws Exception {
        String added = add("\"vlan\":100");
        try (NetworkNamespace host = node.net.current()) {
            host.setVlanFiltering(node.hostLink("bridge0").index(), false);
            assertThat(check("\"vlan\":100", added))
                    .contains("vlan_filtering of bridge0: 0 (expected: 1, as vlan or vlanTrunk is given)");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"nothing", "a port", "a VLAN link", "a port beside ours"})
    void aBridgeOfOthersIsNotMadeToFilter(String whatIsOnIt) throws Exception {
        try (NetworkNamespace host = node.net.current();
                NetworkNamespace pod = node.net.openNamed("pod")) {
            Link bridge = host.createBridge(bridge(false));
            if (whatIsOnIt.startsWith("a port")) {
                Link uplink = host.createVeth(new VethSpec("uplink", Optional.empty(), "far", pod, Optional.empty()));
                host.setMaster(uplink.index(), bridge.index());
            }
            if (whatIsOnIt.equals("a VLAN link")) {
                node.net.addVlanLink("bridge0.7", "bridge0");
            }
            if (whatIsOnIt.endsWith("ours")) {
                succeeded(node.add(config(""), "other", node.pod("other")));
            }
            List<String> before = node.hostLinks();
            CallOutcome refused = node.add(config("\"vlan\":100"), "dummy", netns);
            assertThat(refused.stdout())
                    .contains("\"code\":7,\"msg\":\"vlan, vlanTrunk: bridge \\\"bridge0\\\" does not separate"
                            + " VLANs, and other programs may use it (expected: vlan_filtering 1");
            assertThat(node.hostLink("bridge0").vlanFiltering()).isFalse();
            assertThat(node.hostLinks()).isEqualTo(before);
            host.setVlanFiltering(bridge.index(), true);
            add("\"vlan\":100");
            assertThat(vlans()).isEqualTo("100*");
        }
    }

    @Test
    void aBridgeWithContainersOfOursAloneIsMadeToFilter() throws Exception {
        succeeded(node.add(config(""), "other", node.pod("other")));
        assertThat(node.hostLink("bridge0").vlanFiltering()).isFalse();
        add("\"vlan\":100");
        assertThat(node.hostLink("bridge0").vlanFiltering()).isTrue();
    }

    /** A name this long is only a hash in the alias of the container's link. */
    @ParameterizedTest
    @ValueSource(ints = {0, 5, 250})
    void aBridgeThatAnAddOfOursMadeIsMadeToFilter(int nameLength) throws Exception {
        String name = "n".repeat(nameLength);
        succeeded(node.add(config(""), name.isEmpty() ? "gone" : name, node.pod("other")));
        if (name.isEmpty()) {
            succeeded(node.del(config(""), "gone", ""));
        }
        add("\"vlan\":100");
        assertThat(node.hostLink("bridge0").vlanFiltering()).isTrue();
    }

    private static BridgeSpec bridge(boolean vlanFiltering) {
        return new BridgeSpec("bridge0", Optional.empty(), Optional.empty(), false, vlanFiltering);
    }

    private String add(String members) {
        return succeeded(node.add(config(members), "dummy", netns)).stdout();
    }

    private String check(String members, String result) {
        Map<String, String> environment = TestNode.environment("CHECK", "dummy", netns);
        return node.call(config(members + ",\"prevResult\":" + result), environment)
                .stdout();
    }

    private String config(String members) {
        return node.config("1.0.0", members);
    }

    private String vlans() throws Exception {
        try (NetworkNamespace host = node.net.current()) {
            return host.vlans(port().index()).stream()
                    .map(vlan -> vlan.first() + (vlan.pvid() ? "*" : vlan.untagged() ? "-" : ""))
                    .collect(Collectors.joining(" "));
        }
    }

    /** The node's end of the container {@code dummy}. */
    private Link port() throws Exception {
        try (NetworkNamespace host = node.net.current();
                NetworkNamespace pod = node.net.openNamed("pod")) {
            return host.link(pod.link("eth0").orElseThrow().peerIndex()).orElseThrow();
        }
    }
}
