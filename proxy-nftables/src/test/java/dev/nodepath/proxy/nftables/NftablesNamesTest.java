package dev.nodepath.proxy.nftables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.Snapshots;
import dev.nodepath.linux.address.IpAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NftablesNamesTest {
    /** The names that kube-proxy's own tests expect. */
    @ParameterizedTest
    @CsvSource({
        "ns1/svc1:p80, service-ULMVA6XW-ns1/svc1/tcp/p80",
        "ns2/svc2:p80, service-42NFTM6N-ns2/svc2/tcp/p80",
        "ns3/svc3:p80, service-4AT6LBPK-ns3/svc3/tcp/p80",
        "ns4/svc4:p80, service-LAUZTJTB-ns4/svc4/tcp/p80",
        "ns5/svc5:p80, service-HVFWP5L3-ns5/svc5/tcp/p80",
        "ns2/svc2:p8080, service-MHHHYRWA-ns2/svc2/tcp/p8080"
    })
    void namesChainsAsKubeProxy(String port, String expected) {
        assertThat(new NftablesNames(Snapshots.portName(port)).cluster()).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "ns5/svc5:p80, 10.180.0.3, endpoint-GTK6MW7G-ns5/svc5/tcp/p80__10.180.0.3/80",
        "ns1/svc1:p80, 10.180.0.1, endpoint-5OJB2KTY-ns1/svc1/tcp/p80__10.180.0.1/80"
    })
    void namesEndpointsAsKubeProxy(String port, String address, String expected) {
        Endpoint endpoint = Endpoint.ready(IpAddress.parse(address), 80, "n1");
        assertThat(new NftablesNames(Snapshots.portName(port)).endpoint(endpoint))
                .isEqualTo(expected);
    }

    @Test
    void keepsSlashBeforeAnEmptyPortName() {
        assertThat(new NftablesNames(Snapshots.portName("ns/svc")).cluster())
                .startsWith("service-")
                .endsWith("-ns/svc/tcp/");
    }

    @Test
    void writesColonsOfIpv6AsDots() {
        Endpoint endpoint = Endpoint.ready(IpAddress.parse("fd00::1"), 80, "n1");
        assertThat(new NftablesNames(Snapshots.portName("ns/svc:p")).affinity(endpoint))
                .startsWith("affinity-")
                .endsWith("-ns/svc/tcp/p__fd00..1/80");
    }

    @Test
    void cutNamesDifferByTheirHash() {
        String service = "n".repeat(130) + "/" + "s".repeat(110) + ":p";
        String one = new NftablesNames(Snapshots.portName(service + 1)).cluster();
        String other = new NftablesNames(Snapshots.portName(service + 2)).cluster();
        assertThat(one).hasSize("service-".length() + 240).endsWith("...").isNotEqualTo(other);
    }
}
