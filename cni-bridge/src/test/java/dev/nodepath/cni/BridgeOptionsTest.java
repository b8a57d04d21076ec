package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.link.AddressOptions;
import dev.nodepath.linux.link.BridgeSpec;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.link.PortVlan;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.namespace.VethSpec;
import dev.nodepath.linux.route.Route;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The effect of each option of the configuration in a kernel. */
class BridgeOptionsTest extends FakeNodeTest {
    private static final String SUBNET =
            "\"ipam\":{\"type\":\"host-local\",\"dataDir\":\"DATADIR\"," + "\"subnet\":\"10.1.2.0/24\"}";

    @Test
    void putsThePortIntoItsVlanAndTheGatewayBesideIt() throws Exception {
        CallOutcome outcome = add("\"vlan\":100,\"isGateway\":true," + SUBNET);
        assertThat(outcome.stdout()).contains("\"name\":\"bridge0.100\"");
        try (NetworkNamespace host = node.net.current()) {
            assertThat(host.link("bridge0").orElseThrow().vlanFiltering()).isTrue();
            assertThat(host.vlans(port().index())).containsExactly(PortVlan.access(100));
            Link gateway = host.link("bridge0.100").orElseThrow();
            assertThat(gateway.up()).isTrue();
            assertThat(node.addressesOf(host, "bridge0.100")).containsExactly("10.1.2.1/24");
            assertThat(node.addressesOf(host, "bridge0")).isEmpty();
            Link far = host.link(gateway.peerIndex()).orElseThrow();
            assertThat(far.masterIndex())
                    .isEqualTo(host.link("bridge0").orElseThrow().index());
            assertThat(host.vlans(far.index())).containsExactly(PortVlan.access(100));
        }
        succeeded(node.add(config("\"vlan\":100,\"isGateway\":true," + SUBNET), "second", node.pod("second")));
        assertThat(node.hostLinks()).hasSize(6);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"vlan\":100,\"preserveDefaultVlan\":true | 1 100",
                "\"vlan\":1 | 1",
                "\"vlanTrunk\":[{\"id\":101},{\"minID\":200,\"maxID\":202},{\"id\":201}] | 1 101 200 201 202",
                "\"vlan\":5,\"vlanTrunk\":[{\"id\":7}] | 5 7",
                "\"vlanTrunk\":[] | 1",
            })
    void putsThePortIntoTheVlansOfItsTrunk(String members, String expected) throws Exception {
        add(members);
        try (NetworkNamespace host = node.net.current()) {
            assertThat(host.vlans(port().index()).stream()
                            .map(vlan -> String.valueOf(vlan.first()))
                            .toList())
                    .containsExactly(expected.split(" ", -1));
        }
    }

    @Test
    void setsPortAndBridgeAsAsked() throws Exception {
        add("\"portIsolation\":true,\"promiscMode\":true," + SUBNET);
        assertThat(port().isolated()).isTrue();
        assertThat(port().hairpin()).isFalse();
        assertThat(node.hostLink("bridge0").promiscuous()).isTrue();
        assertThat(node.hostLink("bridge0").hasNetfilter()).isFalse();
    }

    @Test
    void passesBridgedPacketsToIptablesOnlyIfAsked() throws Exception {
        try (NetworkNamespace host = node.net.current()) {
            assertThat(host.createBridge(new BridgeSpec("bridge0", Optional.empty(), Optional.empty(), false)))
                    .isNotNull();
        }
        add("\"isGateway\":true," + SUBNET);
        assertThat(node.hostLink("bridge0").hasNetfilter()).isFalse();
        add("\"isGateway\":true,\"bridgeNetfilter\":true," + SUBNET);
        assertThat(node.hostLink("bridge0").hasNetfilter()).isTrue();
    }

    @Test
    void leavesTheContainersEndDownIfAsked() throws Exception {
        add("\"disableContainerInterface\":true");
        try (NetworkNamespace pod = node.net.openNamed("pod")) {
            assertThat(pod.link("eth0").orElseThrow().up()).isFalse();
        }
        assertThat(port().up()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "\"hairpinMode\":true,\"promiscMode\":true|cannot set hairpin mode and promiscuous mode at the same time",
                "\"vlan\":4095|invalid VLAN ID 4095 (must be between 0 and 4094)",
                "\"vlan\":-1|invalid VLAN ID -1 (must be between 0 and 4094)",
                "\"vlanTrunk\":[{\"minID\":5}]|vlanTrunk[0].maxID: null (expected: both minID and maxID, or neither)",
                "\"vlanTrunk\":[{\"maxID\":5}]|vlanTrunk[0].minID: null (expected: both minID and maxID, or neither)",
                "\"vlanTrunk\":[{\"id\":0}]|vlanTrunk[0].id: 0 (expected: 1 to 4094)",
                "\"vlanTrunk\":[{\"id\":4095}]|vlanTrunk[0].id: 4095 (expected: 1 to 4094)",
                "\"vlanTrunk\":[{\"minID\":9,\"maxID\":5}]|vlanTrunk[0].maxID: 5 (expected: minID or more)",
                "\"vlanTrunk\":[5]|vlanTrunk[0]: 5 (expected: an object)",
                "\"ipMasqBackend\":\"ebtables\"|ipMasqBackend: \\\"ebtables\\\" (expected: nftables or iptables)",
                "\"disableContainerInterface\":true,\"ipam\":{\"type\":\"x\"}|cannot use IPAM when disableContainer",
                "\"ipspoofchk\":true|cannot check source addresses without host-local",
                "\"ipspoofchk\":true,\"ipam\":{\"type\":\"dhcp\"}|cannot check source addresses without host-local",
                "\"ipspoofchk\":true,\"vlanTrunk\":[{\"id\":5}],\"ipam\":{\"type\":\"host-local\"}|cannot check source"
                        + " addresses of a trunk",
                "\"runtimeConfig\":{\"mac\":\"01:00:00:00:00:00\"}|runtimeConfig.mac: \\\"01:00:00:00:00:00\\\"",
                "\"args\":{\"cni\":{\"mac\":\"x\"}}|args.cni.mac: \\\"x\\\" (expected: a MAC address",
            })
    void refusesOptionsThatCannotBe(String members, String message) throws Exception {
        CallOutcome outcome = node.add(config(members), "dummy", netns);
        assertThat(outcome.stdout()).contains("\"code\":7,\"msg\":\"" + message);
        assertThat(node.hostLinks()).containsExactly("lo");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"runtimeConfig\":{\"mac\":\"02:00:00:00:00:00\"}|\"mac\":\"02:00:00:00:07:89\"|02:00:00:00:04:56|02:00:00:00:00:00",
                "\"RuntimeConfig\":{\"MAC\":\"02:00:00:00:00:00\"}|\"x\":1|02:00:00:00:04:56|02:00:00:00:00:00",
                "\"x\":1|\"mac\":\"02:00:00:00:07:89\"|02:00:00:00:04:56|02:00:00:00:07:89",
                "\"x\":1|\"x\":1|02:00:00:00:04:56|02:00:00:00:04:56",
                "\"x\":1|\"x\":1|02-00-00-00-04-5A|02:00:00:00:04:5a",
                "\"runtimeConfig\":{\"mac\":\"0200.0000.0456\"}|\"x\":1|0200.0000.0457|02:00:00:00:04:56",
            })
    void givesTheContainerTheMacThatIsAskedForFirst(String runtime, String args, String argument, String mac)
            throws Exception {
        Map<String, String> environment = TestNode.environment("ADD", "dummy", netns);
        environment.put("CNI_ARGS", "IgnoreUnknown=TRUE;K8S_POD_NAME=x;MAC=" + argument);
        CallOutcome outcome = node.call(config(runtime + ",\"args\":{\"cni\":{" + args + "}}"), environment);
        succeeded(outcome);
        assertThat(outcome.stdout()).contains("{\"name\":\"eth0\",\"mac\":\"" + mac + "\"");
    }

    @Test
    void givesTheAddressesThatAreAskedFor() throws Exception {
        Map<String, String> environment = TestNode.environment("ADD", "dummy", netns);
        environment.put("CNI_ARGS", "IgnoreUnknown=1;IP=10.1.2.9");
        String config = config(
                "\"runtimeConfig\":{\"ips\":[\"fd00::9/64\"],\"ipRanges\":[[{\"subnet\":\"fd00::/64\"}]]}," + SUBNET);
        CallOutcome outcome = node.call(config, environment);
        succeeded(outcome);
        assertThat(outcome.stdout()).contains("\"fd00::9/64\"", "\"10.1.2.9/24\"");
        assertThat(node.reserved()).containsExactlyInAnyOrder("10.1.2.9", "fd00::9");
    }

    @Test
    void readsNameResolutionFromAFileUnlessTheConfigurationSaysIt() throws Exception {
        Path file = Files.writeString(dataDir.resolve("resolv.conf"), """
                # a comment
                nameserver 10.96.0.10
                domain cluster.local
                search a b
                options ndots:5
                """);
        String ipam = SUBNET.replace("}", ",\"resolvConf\":\"" + file + "\"}");
        assertThat(add(ipam).stdout())
                .contains("\"dns\":{\"nameservers\":[\"10.96.0.10\"],\"domain\":\"cluster.local\","
                        + "\"search\":[\"a\",\"b\"],\"options\":[\"ndots:5\"]}");
        CallOutcome other = node.add(config("\"dns\":{\"nameservers\":[]}," + ipam), "other", node.pod("other"));
        assertThat(other.stdout()).doesNotContain("dns");
        Files.delete(file);
    }

    @Test
    void takesTheMtuOfTheLinkThatTheDefaultRouteLeavesThrough() throws Exception {
        try (NetworkNamespace host = node.net.current();
                NetworkNamespace world = node.net.openNamed("pod")) {
            Link uplink = host.createVeth(new VethSpec("uplink", Optional.empty(), "far", world, Optional.of(1420)));
            host.setUp(uplink.index(), true);
            host.addAddress(uplink.index(), Cidr.parse("172.30.0.2/24"));
            host.addRoute(Route.defaultVia(IpAddress.parse("172.30.0.1"), uplink.index()));
        }
        add(SUBNET);
        assertThat(port().mtu()).isEqualTo(1420);
        assertThat(node.hostLink("bridge0").mtu()).isEqualTo(1420);
        succeeded(node.add(config("\"mtu\":1300," + SUBNET), "other", node.pod("other")));
        try (NetworkNamespace pod = node.net.openNamed("other")) {
            assertThat(pod.link("eth0").orElseThrow().mtu()).isEqualTo(1300);
        }
    }

    @Test
    void takesNoGreaterMtuThanAVethMayHave() throws Exception {
        try (NetworkNamespace host = node.net.current()) {
            host.setUp(1, true);
            host.addRoute(new Route(Cidr.parse("0.0.0.0/0"), Optional.empty(), 1));
        }
        add(SUBNET);
        assertThat(port().mtu()).isEqualTo(65535);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void removesTheGatewayOfAnOlderConfigurationWhenNobodyUsesItAnyMore(boolean marks) throws Exception {
        if (!marks) {
            node.net.forgetAddressProtocols();
        }
        String old = config("\"ipMasq\":true,\"isGateway\":true," + SUBNET);
        String young = old.replace("10.1.2.0/24", "10.9.0.0/24");
        succeeded(node.add(old, "old", netns));
        succeeded(node.add(young, "young", node.pod("young")));
        assertThat(bridgeAddresses()).containsExactly("10.1.2.1/24", "10.9.0.1/24");
        assertThat(node.net.nftState()).contains("# 10.1.2.2/24", "# 10.9.0.2/24");
        succeeded(node.del(old, "old", netns));
        succeeded(node.del(young, "young", "/run/netns/young"));
        succeeded(node.add(young, "younger", node.pod("younger")));
        assertThat(bridgeAddresses()).containsExactly("10.9.0.1/24");
        assertThat(node.net.nftState()).contains("# 10.9.0.3/24").doesNotContain("10.1.2.0/24");
        assertThat(node.hostLink("bridge0").alias())
                .isEqualTo("nodepath-bridge" + (marks ? "" : " nodepath-gateway 10.1.2.1/24 10.9.0.1/24"));
        succeeded(node.del(young, "younger", "/run/netns/younger"));
        succeeded(node.add(young.replace("10.9.0.0/24", "10.7.0.0/24"), "youngest", node.pod("youngest")));
        assertThat(bridgeAddresses()).containsExactly("10.7.0.1/24");
        assertThat(node.hostLink("bridge0").alias())
                .isEqualTo("nodepath-bridge" + (marks ? "" : " nodepath-gateway 10.7.0.1/24"));
    }

    @Test
    void hasAGatewayInEachOfSeveralNetworks() throws Exception {
        add("\"isGateway\":true,\"ipam\":{\"type\":\"host-local\",\"dataDir\":\"DATADIR\","
                + "\"ranges\":[[{\"subnet\":\"10.1.2.0/24\"}],[{\"subnet\":\"10.9.0.0/24\"}]]}");
        assertThat(bridgeAddresses()).containsExactly("10.1.2.1/24", "10.9.0.1/24");
    }

    @Test
    void healsTheGatewayAddressOfAnOlderConfigurationAlone() throws Exception {
        succeeded(node.add(config("\"isGateway\":true," + SUBNET), "old", netns));
        succeeded(node.del(config("\"isGateway\":true," + SUBNET), "old", netns));
        String young = config("\"isGateway\":true," + SUBNET.replace("10.1.2.0/24", "10.1.0.0/16"));
        succeeded(node.add(young, "young", netns));
        assertThat(bridgeAddresses()).containsExactly("10.1.0.1/16");
        CallOutcome refused = node.add(config("\"isGateway\":true," + SUBNET), "old", node.pod("other"));
        assertThat(refused.stdout()).contains("\\\"bridge0\\\" already has an IP address different from 10.1.2.1/24");
        assertThat(bridgeAddresses()).containsExactly("10.1.0.1/16");
        assertThat(node.hostLinks()).hasSize(3);
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.1/8, 10.1.2.0/24, 10.1.2.1/24",
        "2001:db8::9/48, 2001:db8::/64, 2001:db8::1/64",
        "2001:db8:7::9/64, 2001:db8::/64, 2001:db8:7::9/64 2001:db8::1/64"
    })
    void forcesItsAddressOnTheBridgeIfAsked(String has, String subnet, String expected) throws Exception {
        try (NetworkNamespace host = node.net.current()) {
            Link bridge = host.createBridge(new BridgeSpec("bridge0", Optional.empty(), Optional.empty(), false));
            host.addAddress(bridge.index(), Cidr.parse(has), AddressOptions.DEFAULT);
        }
        add("\"isGateway\":true,\"forceAddress\":true," + SUBNET.replace("10.1.2.0/24", subnet));
        assertThat(bridgeAddresses()).containsExactly(expected.split(" ", -1));
    }

    @ParameterizedTest
    @CsvSource({"169.254.169.254/32, false", "169.254.169.254/32, true", "10.9.0.1/24, false"})
    void leavesAnothersAddressAloneWhereItsOwnIsThere(String others, boolean force) throws Exception {
        try (NetworkNamespace host = node.net.current()) {
            Link bridge = host.createBridge(new BridgeSpec("bridge0", Optional.empty(), Optional.empty(), false));
            host.addAddress(bridge.index(), Cidr.parse(others), AddressOptions.DEFAULT);
            host.addAddress(bridge.index(), Cidr.parse("10.1.2.1/24"), AddressOptions.DEFAULT);
        }
        add("\"isGateway\":true,\"forceAddress\":" + force + "," + SUBNET);
        assertThat(bridgeAddresses()).containsExactly(others, "10.1.2.1/24");
    }

    @Test
    void dropsFramesThatBearAnothersMac() throws Exception {
        String config = config("\"macspoofchk\":true");
        succeeded(node.add(config, "dummy", netns));
        String mac;
        try (NetworkNamespace pod = node.net.openNamed("pod")) {
            mac = pod.link("eth0").orElseThrow().mac().orElseThrow().toString();
        }
        String source = "\"" + port().name() + "\" . " + mac;
        assertThat(node.net.nftState()).contains("macs " + source, " comment \"dummy-eth0 ", ": goto mac");
        succeeded(node.add(config, "other", node.pod("other")));
        succeeded(node.add(config, "dummy", netns));
        succeeded(node.del(config, "dummy", ""));
        assertThat(node.net.nftState()).contains("\"other-eth0 ").doesNotContain("dummy", source);
        succeeded(node.del(config, "other", "/run/netns/other"));
        succeeded(node.del(config, "other", "/run/netns/other"));
        assertThat(node.net.nftState()).doesNotContain("other", "veth");
    }

    private CallOutcome add(String members) {
        CallOutcome outcome = node.add(config(members), "dummy", netns);
        succeeded(outcome);
        return outcome;
    }

    private String config(String members) {
        return node.config("1.0.0", members);
    }

    private List<String> bridgeAddresses() throws Exception {
        try (NetworkNamespace host = node.net.current()) {
            return node.addressesOf(host, "bridge0");
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
