package dev.nodepath.proxy.iptables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.Snapshots;
import dev.nodepath.linux.address.IpAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChainNamesTest {
    @ParameterizedTest
    @CsvSource({
        "ns1/svc1:p80, TCP, XPGD46QRK7WJZT7O",
        "ns5/svc5:p80, TCP, NUKIZ6OKUXPJNT4C",
        "ns2/svc2:p8080, TCP, 2VJB64SDSIJUP5T6",
        "default/one, TCP, GC7YPRXAEGOKCMA3",
        "kube-system/dns:dns, UDP, 2KKYJRIGYGQNRODB",
        "kube-system/dns:sctp, SCTP, K2IQJ2JMFW3ZX4ED",
    })
    void namesTheChainsOfAServicePortAsKubeProxyDoes(String name, Protocol protocol, String hash) {
        ChainNames chains = ChainNames.of(Snapshots.portName(name, protocol));
        assertThat(chains.cluster()).isEqualTo("KUBE-SVC-" + hash);
        assertThat(chains.local()).isEqualTo("KUBE-SVL-" + hash);
        assertThat(chains.firewall()).isEqualTo("KUBE-FW-" + hash);
        assertThat(chains.external()).isEqualTo("KUBE-EXT-" + hash);
    }

    @ParameterizedTest
    @CsvSource({
        "ns1/svc1:p80, 10.180.0.1, 80, SXIVWICOYRO3J4NJ",
        "ns3/svc3:p80, 10.0.3.1, 80, BSWRHOQ77KEXZLNL",
        "default/dual:http, fd00:10:244::24, 8080, X2BN77FXCLCIMLSK",
    })
    void namesTheChainOfAnEndpointAsKubeProxyDoes(String name, String ip, int port, String hash) {
        ChainNames chains = ChainNames.of(Snapshots.portName(name, Protocol.TCP));
        assertThat(chains.endpoint(Endpoint.ready(IpAddress.parse(ip), port, "n1")))
                .isEqualTo("KUBE-SEP-" + hash);
    }

    @Test
    void ownsWhatItNamesButNotTheChainSharedWithTheKubelet() {
        ChainNames chains = ChainNames.of(Snapshots.portName("ns1/svc1:p80", Protocol.TCP));
        assertThat(Chains.OWNED.contains(chains.cluster())).isTrue();
        assertThat(Chains.OWNED.contains(chains.external())).isTrue();
        assertThat(Chains.OWNED.contains(Chains.SERVICES)).isTrue();
        assertThat(Chains.OWNED.contains(Chains.FIREWALL)).isFalse();
        assertThat(Chains.OWNED.contains("KUBE-NODEPORT-CONTAINER")).isFalse();
    }
}
