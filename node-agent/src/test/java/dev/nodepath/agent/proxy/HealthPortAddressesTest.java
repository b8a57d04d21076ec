package dev.nodepath.agent.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.NodePortAddresses;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.FakeLinuxNet;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.link.BridgeSpec;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HealthPortAddressesTest {
    private static final List<IpFamily> BOTH = List.of(IpFamily.IPV4, IpFamily.IPV6);

    private final NetworkNamespace namespace = new FakeLinuxNet().current();

    HealthPortAddressesTest() throws LinuxNetException {
        Link link = namespace.createBridge(new BridgeSpec("br0", Optional.empty(), Optional.empty(), false));
        for (String address : List.of("172.30.0.7/16", "172.31.0.7/16", "fd00:30::7/64", "fe80::7/64")) {
            namespace.addAddress(link.index(), Cidr.parse(address));
        }
    }

    private List<String> addresses(List<IpFamily> families, String... networks) throws LinuxNetException {
        NodePortAddresses nodePorts = NodePortAddresses.parse(List.of(networks));
        return new HealthPortAddresses(namespace, nodePorts, families, "n1")
                .of(ServiceSnapshot.EMPTY).stream().map(IpAddress::toString).toList();
    }

    @Test
    void aFamilyThatIsNotRestrictedIsOneWildcard() throws LinuxNetException {
        assertThat(addresses(BOTH)).containsExactly("0.0.0.0");
        assertThat(addresses(BOTH, "172.30.0.0/16")).containsExactly("0.0.0.0");
    }

    @Test
    void aFamilyThatIsNotServedDoesNotCount() throws LinuxNetException {
        assertThat(addresses(List.of(IpFamily.IPV4), "172.30.0.0/16")).containsExactly("172.30.0.7");
    }

    @Test
    void linkLocalAddressesAreLeftOut() throws LinuxNetException {
        assertThat(addresses(BOTH, "172.30.0.0/16", "fd00::/8", "fe80::/10"))
                .containsExactly("172.30.0.7", "fd00:30::7");
    }

    @Test
    void noAddressIsNotEveryAddress() throws LinuxNetException {
        assertThat(addresses(BOTH, "192.0.2.0/24", "2001:db8::/32")).isEmpty();
    }
}
