package dev.nodepath.proxy.userspace.portals;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.Protocol;
import dev.nodepath.proxy.userspace.portals.RedirectedPorts.Port;
import org.junit.jupiter.api.Test;

class RedirectedPortsTest {
    @Test
    void findsWhereRulesLead() {
        RedirectedPorts redirected = RedirectedPorts.of("""
                *nat
                :KUBE-PORTALS-HOST - [0:0]
                -A KUBE-PORTALS-CONTAINER -d 10.96.0.10/32 -p tcp -m comment --comment "ns/web:http" -m tcp --dport 80 -j REDIRECT --to-ports 40001
                -A KUBE-PORTALS-HOST -d 10.96.0.10/32 -p tcp -m tcp --dport 80 -j DNAT --to-destination 172.18.0.2:40001
                -A KUBE-NODEPORT-HOST -p udp -m udp --dport 30053 -j DNAT --to-destination [fd00::2]:40002
                -A KUBE-NODEPORT-CONTAINER -p udp -m udp --dport 30053 -j REDIRECT --to-ports 40003
                -A KUBE-SEP-AAAA -p tcp -m tcp -j DNAT --to-destination 10.244.0.2:8080
                -A PREROUTING -j KUBE-PORTALS-CONTAINER
                COMMIT
                """, port -> port.number() == 40_003);
        assertThat(redirected.others())
                .containsExactlyInAnyOrder(new Port(Protocol.TCP, 40_001), new Port(Protocol.UDP, 40_002));
        assertThat(redirected.own()).containsExactly(new Port(Protocol.UDP, 40_003));
        assertThat(redirected.othersUdp()).containsExactly(40_002);
    }
}
