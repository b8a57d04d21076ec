package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.ipam.HostLocalIpam;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.link.AddressOptions;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutdatedGatewaysTest {
    private static final List<Cidr> NOW = List.of(Cidr.parse("10.7.0.0/24"), Cidr.parse("fd07::/64"));

    @TempDir
    private Path dataDir;

    private TestNode node = new TestNode(Path.of(""));

    @BeforeEach
    void createNode() {
        node = new TestNode(dataDir);
    }

    private List<Cidr> remove() throws Exception {
        HostLocalIpam ipam = new HostLocalIpam(node.locks, HostLocalIpam.LOCK_WAIT_MAX);
        return new OutdatedGateways(node.net, ipam, dataDir, TestNode.NETWORK, "bridge0").remove(NOW);
    }

    private List<String> gateways() throws Exception {
        try (NetworkNamespace host = node.net.current()) {
            return node.addressesOf(host, "bridge0");
        }
    }

    @Test
    void gatewaysOfAnEarlierNetworkGoWithItsLastContainer() throws Exception {
        assertThat(remove()).as("no bridge").isEmpty();
        String before = node.gatewayConfig("1.0.0", "10.1.2.0/24", "fd01::/64");
        String now = node.gatewayConfig("1.0.0", "10.7.0.0/24", "fd07::/64");
        String old = node.pod("old");
        assertThat(node.add(before, "old", old).exitCode()).isZero();
        assertThat(node.add(now, "new", node.pod("new")).exitCode()).isZero();
        assertThat(remove()).as("an address in use").isEmpty();
        assertThat(gateways()).contains("10.1.2.1/24", "fd01::1/64", "10.7.0.1/24", "fd07::1/64");

        assertThat(node.del(before, "old", old).exitCode()).isZero();
        assertThat(remove()).containsExactlyInAnyOrder(Cidr.parse("10.1.2.1/24"), Cidr.parse("fd01::1/64"));
        assertThat(gateways()).contains("10.7.0.1/24", "fd07::1/64").doesNotContain("10.1.2.1/24", "fd01::1/64");
        assertThat(remove()).isEmpty();
    }

    @Test
    void whatAPersonAddedStays() throws Exception {
        assertThat(node.add(node.gatewayConfig("1.0.0", "10.7.0.0/24"), "c", node.pod("c"))
                        .exitCode())
                .isZero();
        try (NetworkNamespace host = node.net.current()) {
            host.addAddress(
                    host.link("bridge0").orElseThrow().index(), Cidr.parse("192.0.2.1/24"), AddressOptions.DEFAULT);
        }
        assertThat(remove()).isEmpty();
        assertThat(gateways()).contains("192.0.2.1/24", "10.7.0.1/24");
    }
}
