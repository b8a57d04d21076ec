package dev.nodepath.emulator.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.linux.Cidr;
import dev.nodepath.linux.FakeLinuxNet;
import dev.nodepath.linux.InterfaceAddress;
import dev.nodepath.linux.IpAddress;
import dev.nodepath.linux.Link;
import dev.nodepath.linux.LinuxNetException;
import java.util.List;
import org.junit.jupiter.api.Test;

class FabricTest {
    private static final List<NodeInfo> NODES =
            List.of(node("n1", "172.30.0.11", "10.244.1.0/24"), node("n2", "172.30.0.12", "10.244.2.0/24"));

    private final FakeLinuxNet net = new FakeLinuxNet();

    @Test
    void givesEveryHostAnUplinkThatIsUpAndItsAddress() throws LinuxNetException {
        Fabric fabric = Fabric.build(net, NODES);

        assertThat(net.names()).containsExactly("client", "n1", "n2", "switch");
        Link uplink = fabric.host("n1").link("eth0").orElseThrow();
        assertThat(uplink.up()).isTrue();
        assertThat(fabric.host("n1").addresses())
                .extracting(InterfaceAddress::address)
                .contains(Cidr.parse("172.30.0.11/24"));
        assertThat(fabric.clientAddress()).hasToString("172.30.0.254");
    }

    @Test
    void routesToThePodsOfEveryOtherNodeAndToTheOutside() throws LinuxNetException {
        Fabric fabric = Fabric.build(net, NODES);

        assertThat(routes(fabric, "n1"))
                .contains("10.244.2.0/24 via 172.30.0.12", "0.0.0.0/0 via 172.30.0.254")
                .doesNotContain("10.244.1.0/24 via 172.30.0.11");
        assertThat(routes(fabric, "client")).contains("10.244.1.0/24 via 172.30.0.11", "10.244.2.0/24 via 172.30.0.12");
        assertThat(fabric.host("n1").sysctl("net/ipv4/ip_forward")).isEqualTo("1");
    }

    @Test
    void leavesNothingWhenItCannotBeBuilt() throws LinuxNetException {
        net.create("n2").close();

        assertThatThrownBy(() -> Fabric.build(net, NODES)).isInstanceOf(LinuxNetException.class);

        assertThat(net.names()).containsExactly("n2");
    }

    @Test
    void leavesNothingWhenItIsClosed() throws LinuxNetException {
        Fabric.build(net, NODES).close();

        assertThat(net.names()).isEmpty();
    }

    private static List<String> routes(Fabric fabric, String host) throws LinuxNetException {
        return fabric.host(host).routes().stream()
                .filter(route -> route.gateway().isPresent())
                .map(route -> route.destination() + " via " + route.gateway().get())
                .toList();
    }

    private static NodeInfo node(String name, String address, String podCidr) {
        return new NodeInfo(name, "", List.of(IpAddress.parse(address)), List.of(Cidr.parse(podCidr)));
    }
}
