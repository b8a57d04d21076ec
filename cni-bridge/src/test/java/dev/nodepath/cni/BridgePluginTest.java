package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.MacAddress;
import dev.nodepath.linux.link.BridgeSpec;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.namespace.VethSpec;
import dev.nodepath.linux.route.Route;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The objects that an ADD makes in a kernel, and a DEL removes. */
class BridgePluginTest extends FakeNodeTest {

    @ParameterizedTest
    @CsvSource({
        "1.0.0, 10.1.2.0/24, 10.1.2.1/24, 10.1.2.2/24, 0.0.0.0/0",
        "0.4.0, 10.1.2.0/24, 10.1.2.1/24, 10.1.2.2/24, 0.0.0.0/0",
        "0.2.0, 10.1.2.0/24, 10.1.2.1/24, 10.1.2.2/24, 0.0.0.0/0",
        "1.1.0, 2001:db8::/64, 2001:db8::1/64, 2001:db8::2/64, ::/0",
    })
    void wiresAContainerToItsGateway(String version, String subnet, String gateway, String address, String anywhere)
            throws Exception {
        succeeded(node.add(node.gatewayConfig(version, subnet), "dummy", netns));

        Link bridge = node.hostLink("bridge0");
        Link port = hostPort();
        assertThat(bridge.up()).isTrue();
        assertThat(bridge.mac()).isNotEqualTo(port.mac());
        assertThat(port.up()).isTrue();
        assertThat(port.running()).isTrue();
        assertThat(port.hairpin()).isFalse();
        assertThat(port.masterIndex()).isEqualTo(bridge.index());
        try (NetworkNamespace host = node.net.current();
                NetworkNamespace pod = node.net.openNamed("pod")) {
            assertThat(host.links()).hasSize(3);
            assertThat(node.addressesOf(host, "bridge0")).containsExactly(gateway);
            Link eth0 = pod.link("eth0").orElseThrow();
            assertThat(eth0.up()).isTrue();
            assertThat(pod.sysctl("net/ipv6/conf/eth0/accept_dad")).isEqualTo("0");
            assertThat(pod.sysctl("net/ipv6/conf/eth0/ndisc_notify")).isEqualTo(anywhere.equals("::/0") ? "1" : "0");
            assertThat(eth0.peerIndex()).isEqualTo(port.index());
            assertThat(node.addressesOf(pod, "eth0")).containsExactly(address);
            IpAddress nextHop = Cidr.parse(gateway).address();
            assertThat(pod.routes()).contains(new Route(Cidr.parse(anywhere), Optional.of(nextHop), eth0.index()));
            boolean ipv4 = anywhere.equals("0.0.0.0/0");
            assertThat(host.sysctl("net/ipv4/ip_forward")).isEqualTo(ipv4 ? "1" : "0");
            assertThat(host.sysctl("net/ipv6/conf/all/forwarding")).isEqualTo(ipv4 ? "0" : "1");
        }
    }

    @Test
    void tellsTheInterfacesInTheOrderThatRuntimesExpect() throws Exception {
        CallOutcome outcome = node.add(node.gatewayConfig("1.0.0", "10.1.2.0/24"), "dummy", netns);
        Link port = hostPort();
        Link eth0 = podLink("eth0");
        assertThat(outcome.stdout())
                .isEqualTo("{\"cniVersion\":\"1.0.0\",\"interfaces\":["
                        + "{\"name\":\"bridge0\",\"mac\":\"" + mac(node.hostLink("bridge0")) + "\"},"
                        + "{\"name\":\"" + port.name() + "\",\"mac\":\"" + mac(port) + "\"},"
                        + "{\"name\":\"eth0\",\"mac\":\"" + mac(eth0) + "\",\"sandbox\":\"" + netns + "\"}],"
                        + "\"ips\":[{\"interface\":2,\"address\":\"10.1.2.2/24\",\"gateway\":\"10.1.2.1\"}],"
                        + "\"routes\":[{\"dst\":\"0.0.0.0/0\",\"gw\":\"10.1.2.1\"}]}\n");
        assertThat(port.name()).matches("veth[0-9a-f]{8}");
    }

    @Test
    void wiresBothFamiliesAndSeveralSubnets() throws Exception {
        succeeded(node.add(node.gatewayConfig("1.0.0", "10.1.2.0/24", "fd00::/64", "2001:db8::/64"), "dummy", netns));
        try (NetworkNamespace host = node.net.current();
                NetworkNamespace pod = node.net.openNamed("pod")) {
            assertThat(node.addressesOf(host, "bridge0"))
                    .containsExactly("10.1.2.1/24", "fd00::1/64", "2001:db8::1/64");
            assertThat(node.addressesOf(pod, "eth0")).containsExactly("10.1.2.2/24", "fd00::2/64", "2001:db8::2/64");
            assertThat(pod.routes().stream()
                            .filter(route -> route.destination().prefixLength() == 0)
                            .map(route -> route.gateway().orElseThrow().toString()))
                    .containsExactly("10.1.2.1", "fd00::1");
        }
    }

    @Test
    void addsConfiguredRoutesWithTheContainersGatewayWhereTheyNameNone() throws Exception {
        succeeded(node.add(routedConfig(), "dummy", netns));
        int index = podLink("eth0").index();
        try (NetworkNamespace pod = node.net.openNamed("pod")) {
            assertThat(pod.routes())
                    .contains(
                            new Route(Cidr.parse("0.0.0.0/0"), Optional.of(IpAddress.parse("10.1.2.1")), index),
                            new Route(Cidr.parse("172.16.0.0/12"), Optional.of(IpAddress.parse("10.1.2.9")), index));
        }
        assertThat(hostAddresses("bridge0")).isEmpty();
    }

    @Test
    void acceptsADefaultRouteThatIsConfiguredAndImplied() throws Exception {
        String config = node.config(
                "1.0.0",
                "\"isDefaultGateway\":true,\"ipam\":{\"type\":\"host-local\",\"dataDir\":\"DATADIR\","
                        + "\"subnet\":\"10.1.2.0/24\",\"routes\":[{\"dst\":\"0.0.0.0/0\"}]}");
        succeeded(node.add(config, "dummy", netns));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\"ipam\":{}", "\"ipam\":{\"type\":\"\"}", "\"ipam\":null,\"isGateway\":true"})
    void wiresLinksAloneWithoutAnAddressSection(String members) throws Exception {
        CallOutcome outcome = node.add(node.config("0.3.1", members), "dummy", netns);
        succeeded(outcome);
        assertThat(outcome.stdout()).doesNotContain("ips");
        assertThat(hostPort().masterIndex()).isEqualTo(node.hostLink("bridge0").index());
        assertThat(podLink("eth0").up()).isTrue();
        assertThat(hostAddresses("bridge0")).isEmpty();
        succeeded(node.del(node.config("0.3.1", members), "dummy", netns));
        assertThat(node.hostLinks()).containsExactly("lo", "bridge0");
    }

    @Test
    void setsMtuAndHairpinAsAsked() throws Exception {
        succeeded(node.add(node.config("1.0.0", "\"mtu\":1400,\"hairpinMode\":true"), "dummy", netns));
        assertThat(node.hostLink("bridge0").mtu()).isEqualTo(1400);
        assertThat(hostPort().mtu()).isEqualTo(1400);
        assertThat(hostPort().hairpin()).isTrue();
        assertThat(podLink("eth0").mtu()).isEqualTo(1400);
    }

    @Test
    void readsKeysWhateverTheirCase() throws Exception {
        String config = node.gatewayConfig("1.0.0", "10.1.2.0/24")
                .replace("isDefaultGateway", "ISDEFAULTGATEWAY")
                .replace("ranges", "Ranges")
                .replace("subnet", "SubNet")
                .replace("dataDir", "datadir");
        succeeded(node.add(config, "dummy", netns));
        assertThat(hostAddresses("bridge0")).containsExactly("10.1.2.1/24");
    }

    @Test
    void leavesTheMacOfTheBridgeAlone() throws Exception {
        String config = node.gatewayConfig("1.0.0", "10.1.2.0/24");
        succeeded(node.add(config, "c0", netns));
        Optional<MacAddress> before = node.hostLink("bridge0").mac();
        for (int i = 1; i <= 20; i++) {
            succeeded(node.add(config, "c" + i, node.pod("pod" + i)));
        }
        for (int i = 0; i <= 20; i += 2) {
            succeeded(node.del(config, "c" + i, i == 0 ? netns : "/run/netns/pod" + i));
        }
        assertThat(node.hostLink("bridge0").mac()).isEqualTo(before);
        assertThat(node.hostLinks()).hasSize(2 + 10);
    }

    @Test
    void usesABridgeThatIsThere() throws Exception {
        int index;
        try (NetworkNamespace host = node.net.current()) {
            index = host.createBridge(new BridgeSpec("bridge0", Optional.empty(), Optional.empty(), false))
                    .index();
        }
        succeeded(node.add(node.gatewayConfig("1.0.0", "10.1.2.0/24"), "dummy", netns));
        assertThat(node.hostLink("bridge0").index()).isEqualTo(index);
        assertThat(node.hostLink("bridge0").up()).isTrue();
    }

    @Test
    void refusesALinkOfTheBridgesNameThatIsNone() throws Exception {
        try (NetworkNamespace host = node.net.current();
                NetworkNamespace pod = node.net.openNamed("pod")) {
            assertThat(host.createVeth(new VethSpec("bridge0", Optional.empty(), "far", pod, Optional.empty())))
                    .isNotNull();
        }
        String before = node.state("pod");
        assertError(
                node.add(node.gatewayConfig("1.0.0", "10.1.2.0/24"), "dummy", netns),
                7,
                "bridge: \\\"bridge0\\\" already exists but is not a bridge");
        assertThat(node.state("pod")).isEqualTo(before);
        assertThat(node.reserved()).isEmpty();
    }

    @Test
    void refusesAnInterfaceThatTheContainerHas() throws Exception {
        String config = node.gatewayConfig("1.0.0", "10.1.2.0/24");
        succeeded(node.add(config, "dummy", netns));
        String before = node.state("pod");
        assertError(node.add(config, "other", netns), 999, "container veth name (\\\"eth0\\\") already exists");
        assertThat(node.state("pod")).isEqualTo(before);
        assertThat(node.reserved()).containsExactly("10.1.2.2");
    }

    @ParameterizedTest
    @CsvSource({"10.0.0.1/8, 10.1.2.0/24", "192.168.1.1/24, 10.1.2.0/24", "2001:db8::9/48, 2001:db8::/64"})
    void refusesABridgeWithAnotherAddress(String has, String subnet) throws Exception {
        try (NetworkNamespace host = node.net.current()) {
            Link bridge = host.createBridge(new BridgeSpec("bridge0", Optional.empty(), Optional.empty(), false));
            host.addAddress(bridge.index(), Cidr.parse(has));
        }
        assertError(
                node.add(node.gatewayConfig("1.0.0", subnet), "dummy", netns),
                999,
                "\\\"bridge0\\\" already has an IP address different from ");
        assertThat(hostAddresses("bridge0")).containsExactly(has);
        assertThat(node.reserved()).isEmpty();
    }

    @Test
    void takesAnotherNameWhenTheNodeHasTheFirst() throws Exception {
        node.net.failNext("createVeth", Errno.EEXIST);
        succeeded(node.add(node.config("1.0.0", ""), "dummy", netns));
    }

    @Test
    void deletesWhatItAddedAndOnlyOnce() throws Exception {
        String config = node.gatewayConfig("1.0.0", "10.1.2.0/24");
        String before = node.state("pod");
        succeeded(node.add(config, "dummy", netns));
        for (int i = 0; i < 3; i++) {
            assertThat(node.del(config, "dummy", netns)).isEqualTo(new CallOutcome(0, "", ""));
            assertThat(node.state("pod")).isEqualTo(before);
            assertThat(node.hostLinks()).containsExactly("lo", "bridge0");
            assertThat(node.reserved()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/run/netns/missing", "/run/netns/plain", "\0"})
    void freesTheAddressWhateverBecameOfTheNamespace(String gone) throws Exception {
        node.net.addPlainFile(Path.of("/run/netns/plain"));
        String config = node.gatewayConfig("1.0.0", "10.1.2.0/24");
        succeeded(node.add(config, "dummy", netns));
        node.net.delete("pod");
        assertThat(node.del(config, "dummy", gone)).isEqualTo(new CallOutcome(0, "", ""));
        assertThat(node.reserved()).isEmpty();
    }

    @Test
    void deletesWithoutAnythingToDelete() throws Exception {
        assertThat(node.del(node.gatewayConfig("1.0.0", "10.1.2.0/24"), "never-seen", netns))
                .isEqualTo(new CallOutcome(0, "", ""));
    }

    @Test
    void keepsTheAddressOfALinkThatCannotBeDeleted() throws Exception {
        String config = node.gatewayConfig("1.0.0", "10.1.2.0/24");
        succeeded(node.add(config, "dummy", netns));
        node.net.failNext("deleteLink", Errno.EPERM);
        assertError(node.del(config, "dummy", netns), 999, "deleteLink ");
        assertThat(node.reserved()).containsExactly("10.1.2.2");
        succeeded(node.del(config, "dummy", netns));
        assertThat(node.reserved()).isEmpty();
    }

    private String routedConfig() {
        return node.config(
                "1.0.0",
                "\"ipam\":{\"type\":\"host-local\",\"dataDir\":\"DATADIR\",\"subnet\":\"10.1.2.0/24\",\"routes\":["
                        + "{\"dst\":\"0.0.0.0/0\"},{\"dst\":\"172.16.0.0/12\",\"gw\":\"10.1.2.9\"}]}");
    }

    private List<String> hostAddresses(String link) throws LinuxNetException {
        try (NetworkNamespace host = node.net.current()) {
            return node.addressesOf(host, link);
        }
    }

    private Link hostPort() throws LinuxNetException {
        try (NetworkNamespace host = node.net.current()) {
            return host.links().stream()
                    .filter(link -> link.kind().equals("veth"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private Link podLink(String name) throws LinuxNetException {
        try (NetworkNamespace pod = node.net.openNamed("pod")) {
            return pod.link(name).orElseThrow();
        }
    }

    private static String mac(Link link) {
        return link.mac().orElseThrow().toString();
    }

    private static void assertError(CallOutcome outcome, int code, String message) {
        assertThat(outcome.stdout()).contains("\"code\":" + code + ",\"msg\":\"" + message);
        assertThat(outcome.exitCode()).isEqualTo(1);
    }
}
