package dev.nodepath.emulator.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.linux.FakeLinuxNet;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.link.InterfaceAddress;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ClusterNetworkTest {
    private static final Topology ONE_NETWORK =
            topology(node("n1", "172.30.0.11", "10.244.1.0/24"), node("n2", "172.30.0.12", "10.244.2.0/24"));

    private final FakeLinuxNet net = new FakeLinuxNet();

    @Test
    void givesEveryHostAnUplinkThatIsUpAndItsAddress() throws LinuxNetException {
        ClusterNetwork network = ClusterNetwork.build(net, ONE_NETWORK);

        assertThat(net.names()).containsExactly("client", "n1", "n2", "switch");
        Link uplink = network.host("n1").link("eth0").orElseThrow();
        assertThat(uplink.up()).isTrue();
        assertThat(network.host("n1").addresses())
                .extracting(InterfaceAddress::address)
                .contains(Cidr.parse("172.30.0.11/24"));
        assertThat(network.clientAddress()).hasToString("172.30.0.254");
    }

    @Test
    void routesToTheOutsideAndLeavesPodsToTheNodes() throws LinuxNetException {
        ClusterNetwork network = ClusterNetwork.build(net, ONE_NETWORK);

        assertThat(routes(network, "n1")).containsExactly("0.0.0.0/0 via 172.30.0.254");
        assertThat(routes(network, "client"))
                .contains("10.244.1.0/24 via 172.30.0.11", "10.244.2.0/24 via 172.30.0.12");
        assertThat(network.host("n1").sysctl("net/ipv4/ip_forward")).isEqualTo("1");
    }

    @Test
    void aNodeThatWasCutOffHasAnEmptyNamespaceAndThenAllAsBefore() throws Exception {
        ClusterNetwork network = ClusterNetwork.build(net, ONE_NETWORK);
        NetworkNamespace before = network.host("n1");
        Link uplink = before.link("eth0").orElseThrow();
        List<String> ports = ports(network);
        List<String> ended = new ArrayList<>();

        network.cut("n1", () -> ended.addAll(ports(network)));

        assertThat(ended)
                .as("when its processes end, nothing of it is heard any more")
                .hasSize(ports.size() - 1);
        assertThat(network.host("n1")).isNotSameAs(before);
        assertThat(network.host("n1").links()).extracting(Link::name).containsExactly("lo");
        assertThat(routes(network, "n1")).isEmpty();

        network.connectAgain(ONE_NETWORK.nodes().get(0));

        Link again = network.host("n1").link("eth0").orElseThrow();
        assertThat(again.mac()).isEqualTo(uplink.mac());
        assertThat(again.up()).isTrue();
        assertThat(ports(network)).containsExactlyInAnyOrderElementsOf(ports);
        assertThat(routes(network, "n1")).containsExactly("0.0.0.0/0 via 172.30.0.254");
        assertThat(network.host("n1").sysctl("net/ipv4/ip_forward")).isEqualTo("1");
    }

    private static List<String> ports(ClusterNetwork network) {
        try {
            return network.host("switch").links().stream()
                    .map(Link::name)
                    .filter(name -> name.startsWith("port"))
                    .toList();
        } catch (LinuxNetException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void putsARouterBetweenNetworks() throws LinuxNetException {
        ClusterNetwork network = ClusterNetwork.build(
                net,
                topology(
                        node("n1", "172.30.0.11,fd30::11", "10.244.1.0/24,fd44:1::/64"),
                        node("n3", "172.31.0.13,fd31::13", "10.244.3.0/24,fd44:3::/64")));

        assertThat(routes(network, "n1"))
                .containsExactlyInAnyOrder(
                        "0.0.0.0/0 via 172.30.0.254",
                        "::/0 via fd30::fe",
                        "172.31.0.0/24 via 172.30.0.253",
                        "fd31::/64 via fd30::fd");
        assertThat(routes(network, "n3")).containsExactlyInAnyOrder("0.0.0.0/0 via 172.31.0.253", "::/0 via fd31::fd");
        assertThat(routes(network, "switch")).isEmpty();
        assertThat(routes(network, "router"))
                .containsExactlyInAnyOrder("0.0.0.0/0 via 172.30.0.254", "::/0 via fd30::fe");
        assertThat(routes(network, "client"))
                .containsExactlyInAnyOrder(
                        "172.31.0.0/24 via 172.30.0.253",
                        "fd31::/64 via fd30::fd",
                        "10.244.1.0/24 via 172.30.0.11",
                        "fd44:1::/64 via fd30::11");
    }

    @Test
    void leavesNothingWhenItCannotBeBuilt() throws LinuxNetException {
        net.create("n2").close();

        assertThatThrownBy(() -> ClusterNetwork.build(net, ONE_NETWORK)).isInstanceOf(LinuxNetException.class);

        assertThat(net.names()).containsExactly("n2");
    }

    @Test
    void leavesNothingWhenItIsClosed() throws LinuxNetException {
        ClusterNetwork.build(net, ONE_NETWORK).close();

        assertThat(net.names()).isEmpty();
    }

    private static List<String> routes(ClusterNetwork network, String host) throws LinuxNetException {
        return network.host(host).routes().stream()
                .filter(route -> route.gateway().isPresent())
                .map(route -> route.destination() + " via " + route.gateway().get())
                .toList();
    }

    private static Topology topology(NodeInfo... nodes) {
        return new Topology(List.of(nodes), List.of(), List.of());
    }

    private static NodeInfo node(String name, String addresses, String podCidrs) {
        return new NodeInfo(
                name,
                "",
                Stream.of(addresses.split(",", -1)).map(IpAddress::parse).toList(),
                Stream.of(podCidrs.split(",", -1)).map(Cidr::parse).toList());
    }
}
