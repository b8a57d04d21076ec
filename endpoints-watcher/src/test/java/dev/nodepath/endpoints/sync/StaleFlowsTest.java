package dev.nodepath.endpoints.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.Snapshots;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.ConntrackFlow;
import dev.nodepath.linux.conntrack.ConntrackFlow.Tuple;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StaleFlowsTest {
    private static final IpAddress CLIENT = IpAddress.parse("10.244.9.9");
    private static final IpAddress CLIENT6 = IpAddress.parse("fd00:244::99");
    private static final Set<IpAddress> HOST = Set.of(IpAddress.parse("172.30.0.1"), IpAddress.parse("fd00:30::1"));

    private static Snapshots dns(Protocol protocol) {
        return Snapshots.service("kube-system/dns:dns", protocol, "10.96.0.10,fd00:96::10", 53)
                .nodePort(30053)
                .externalIps("203.0.113.7")
                .loadBalancerIps("198.51.100.7")
                .endpoint("10.244.0.2:5353", "n1")
                .endpoint("[fd00:244::2]:5353", "n1")
                .drainingEndpoint("10.244.0.3:5353", "n2")
                .unreadyEndpoint("10.244.0.4:5353", "n2");
    }

    private static ConntrackFlow flow(String to, String answering, int zone) {
        IpAddress destination = address(to);
        IpAddress client = destination.family() == IpFamily.IPV4 ? CLIENT : CLIENT6;
        return new ConntrackFlow(
                17,
                new Tuple(client, destination, 40000, port(to), 0),
                new Tuple(address(answering), client, port(answering), 40000, 0),
                zone,
                1);
    }

    private static IpAddress address(String hostAndPort) {
        return IpAddress.parse(
                hostAndPort.substring(0, hostAndPort.lastIndexOf(':')).replaceAll("[\\[\\]]", ""));
    }

    private static int port(String hostAndPort) {
        return Integer.parseInt(hostAndPort.substring(hostAndPort.lastIndexOf(':') + 1));
    }

    private static boolean stale(ServiceSnapshot before, ServiceSnapshot now, Protocol protocol, ConntrackFlow flow) {
        return StaleFlows.of(
                        before, now, HOST, protocol, flow.original().source().family())
                .isStale(flow);
    }

    @ParameterizedTest
    @CsvSource({
        "to an endpoint,                       10.96.0.10:53,    10.244.0.2:5353, 0, false",
        "to one that is gone,                  10.96.0.10:53,    10.244.0.9:5353, 0, true",
        "to the right pod but another port,    10.96.0.10:53,    10.244.0.2:5354, 0, true",
        "to one that still serves,             10.96.0.10:53,    10.244.0.3:5353, 0, false",
        "to one that does not,                 10.96.0.10:53,    10.244.0.4:5353, 0, true",
        "to one that is gone by external IP,   203.0.113.7:53,   10.244.0.9:5353, 0, true",
        "to one that is gone by balancer IP,   198.51.100.7:53,  10.244.0.9:5353, 0, true",
        "to one that is gone by node port,     172.30.0.1:30053, 10.244.0.9:5353, 0, true",
        "to one that is gone by localhost,     127.0.0.1:30053,  10.244.0.9:5353, 0, true",
        "to an endpoint by node port,          172.30.0.1:30053, 10.244.0.2:5353, 0, false",
        "not translated,                       10.96.0.10:53,    10.96.0.10:53,   0, true",
        "not translated by node port,          172.30.0.1:30053, 172.30.0.1:30053, 0, true",
        "another port of the Service address,  10.96.0.10:54,    10.244.0.9:5353, 0, false",
        "the node port elsewhere,              192.0.2.1:30053,  192.0.2.1:30053, 0, false",
        "straight to a pod,                    10.244.0.9:5353,  10.244.0.9:5353, 0, false",
        "another zone and not translated,      10.96.0.10:53,    10.96.0.10:53,   7, false",
        "another zone and translated,          10.96.0.10:53,    10.244.0.9:5353, 7, true",
        "IPv6 to one that is gone,             [fd00:96::10]:53, [fd00:244::9]:5353, 0, true",
        "IPv6 to an endpoint,                  [fd00:96::10]:53, [fd00:244::2]:5353, 0, false",
        "IPv6 by node port,                    [fd00:30::1]:30053, [fd00:244::9]:5353, 0, true",
    })
    void udpFlow(String what, String to, String answering, int zone, boolean stale) {
        ServiceSnapshot now = dns(Protocol.UDP).build();
        assertThat(stale(now, now, Protocol.UDP, flow(to, answering, zone)))
                .as(what)
                .isEqualTo(stale);
    }

    @ParameterizedTest
    @CsvSource({
        "10.96.0.10:53, 10.244.0.2:5353, true",
        "172.30.0.1:30053, 10.244.0.2:5353, true",
        "10.96.0.10:53, 10.96.0.10:53, false",
        "10.96.0.10:53, 192.0.2.77:5353, false",
    })
    void flowsOfAServiceThatIsGone(String to, String answering, boolean stale) {
        ServiceSnapshot before = dns(Protocol.UDP).build();
        assertThat(stale(before, ServiceSnapshot.EMPTY, Protocol.UDP, flow(to, answering, 0)))
                .isEqualTo(stale);
    }

    @Test
    void aServiceWithoutEndpointsKeepsNoFlow() {
        ServiceSnapshot before = dns(Protocol.UDP).build();
        ServiceSnapshot now = Snapshots.service("kube-system/dns:dns", Protocol.UDP, "10.96.0.10", 53)
                .build();
        assertThat(stale(before, now, Protocol.UDP, flow("10.96.0.10:53", "10.244.0.2:5353", 0)))
                .isTrue();
        assertThat(stale(before, now, Protocol.UDP, flow("203.0.113.7:53", "10.244.0.2:5353", 0)))
                .as("an address that it has no more")
                .isTrue();
    }

    @Test
    void aServiceThatTakesOverAnAddressDecidesAboutItsFlows() {
        ServiceSnapshot before = dns(Protocol.UDP).build();
        ServiceSnapshot now = Snapshots.service("kube-system/other", Protocol.UDP, "10.96.0.10", 53)
                .endpoint("10.244.0.2:5353", "n1")
                .build();
        assertThat(stale(before, now, Protocol.UDP, flow("10.96.0.10:53", "10.244.0.2:5353", 0)))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "10.96.0.10:53, 10.244.0.9:5353, true",
        "10.96.0.10:53, 10.244.0.4:5353, false",
        "10.96.0.10:53, 10.244.0.3:5353, false",
        "10.96.0.10:53, 10.96.0.10:53, false",
    })
    void tcpIsResetOnlyFromEndpointsThatHaveGone(String to, String answering, boolean stale) {
        ServiceSnapshot now = dns(Protocol.TCP).build();
        assertThat(stale(now, now, Protocol.TCP, flow(to, answering, 0))).isEqualTo(stale);
    }

    @ParameterizedTest
    @CsvSource({
        "an endpoint that has gone with it, 10.96.0.10:53,    10.244.0.2:5353, true",
        "by node port,                      172.30.0.1:30053, 10.244.0.2:5353, true",
        "one that drained,                  10.96.0.10:53,    10.244.0.3:5353, true",
        "not translated,                    10.96.0.10:53,    10.96.0.10:53,   false",
        "never one of its endpoints,        10.96.0.10:53,    192.0.2.77:5353, false",
    })
    void tcpIsResetFromEndpointsThatWentWithTheirService(String what, String to, String answering, boolean stale) {
        ServiceSnapshot before = dns(Protocol.TCP).build();
        assertThat(stale(before, ServiceSnapshot.EMPTY, Protocol.TCP, flow(to, answering, 0)))
                .as(what)
                .isEqualTo(stale);
    }

    @Test
    void tcpIsNotResetFromAnEndpointThatAnotherServiceHas() {
        ServiceSnapshot before = dns(Protocol.TCP).build();
        ServiceSnapshot now = Snapshots.service("kube-system/other", Protocol.TCP, "10.96.0.11", 53)
                .unreadyEndpoint("10.244.0.2:5353", "n1")
                .build();
        assertThat(stale(before, now, Protocol.TCP, flow("10.96.0.10:53", "10.244.0.2:5353", 0)))
                .isFalse();
        assertThat(stale(before, now, Protocol.TCP, flow("10.96.0.10:53", "10.244.0.3:5353", 0)))
                .isTrue();
    }

    @Test
    void protocolsDoNotMix() {
        ServiceSnapshot tcp = dns(Protocol.TCP).build();
        StaleFlows flows = StaleFlows.of(tcp, tcp, HOST, Protocol.UDP, IpFamily.IPV4);
        assertThat(flows.isNone()).isTrue();
        assertThat(flows.isStale(flow("10.96.0.10:53", "10.244.0.9:5353", 0))).isFalse();
    }
}
