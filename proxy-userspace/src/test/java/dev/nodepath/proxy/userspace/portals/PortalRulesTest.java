package dev.nodepath.proxy.userspace.portals;

import static dev.nodepath.proxy.userspace.ServiceSnapshots.endpoint;
import static dev.nodepath.proxy.userspace.ServiceSnapshots.ips;
import static dev.nodepath.proxy.userspace.ServiceSnapshots.name;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.RestoreText;
import dev.nodepath.linux.iptables.RuleSet;
import dev.nodepath.proxy.userspace.ServiceSnapshots;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PortalRulesTest {
    private static final ProxyAddress PROXY =
            new ProxyAddress(Optional.empty(), Optional.of(IpAddress.parse("172.18.0.2")));

    private static final ServicePort WEB =
            new ServicePort(name("web"), ips("10.96.0.10"), 80, 30080, ips("192.0.2.1"), ips("192.0.2.2"));

    @Test
    void hooksStandEvenWithoutServices() {
        assertThat(text(ServiceSnapshot.EMPTY, PROXY)).isEqualTo("""
                *filter
                :KUBE-NODEPORT-NON-LOCAL - [0:0]
                :KUBE-PORTALS-REJECT - [0:0]
                -I INPUT 1 -m comment --comment "Ensure that non-local NodePort traffic can flow" -j KUBE-NODEPORT-NON-LOCAL
                -I INPUT 2 -m conntrack --ctstate NEW -m comment --comment "refuse Services without endpoints" -j KUBE-PORTALS-REJECT
                -I FORWARD 1 -m conntrack --ctstate NEW -m comment --comment "refuse Services without endpoints" -j KUBE-PORTALS-REJECT
                -I OUTPUT 1 -m conntrack --ctstate NEW -m comment --comment "refuse Services without endpoints" -j KUBE-PORTALS-REJECT
                COMMIT
                *nat
                :KUBE-NODEPORT-CONTAINER - [0:0]
                :KUBE-NODEPORT-HOST - [0:0]
                :KUBE-PORTALS-CONTAINER - [0:0]
                :KUBE-PORTALS-HOST - [0:0]
                -I PREROUTING 1 -m comment --comment "handle ClusterIPs; NOTE: this must be before the NodePort rules" -j KUBE-PORTALS-CONTAINER
                -A PREROUTING -m addrtype --dst-type LOCAL -m comment --comment "handle service NodePorts; NOTE: this must be the last rule in the chain" -j KUBE-NODEPORT-CONTAINER
                -I OUTPUT 1 -m comment --comment "handle ClusterIPs; NOTE: this must be before the NodePort rules" -j KUBE-PORTALS-HOST
                -A OUTPUT -m addrtype --dst-type LOCAL -m comment --comment "handle service NodePorts; NOTE: this must be the last rule in the chain" -j KUBE-NODEPORT-HOST
                COMMIT
                """);
    }

    @Test
    void leadsEveryAddressToTheRelay() {
        ServiceSnapshot snapshot =
                new ServiceSnapshots().add(WEB, endpoint("10.244.0.5:8080")).build();
        assertThat(rules(snapshot, PROXY)).isEqualTo("""
                -A KUBE-NODEPORT-NON-LOCAL -m comment --comment "service NodePorts" -p tcp -m tcp --dport 40000 -m conntrack --ctstate NEW -j ACCEPT
                -A KUBE-NODEPORT-CONTAINER -m comment --comment "ns/web:http" -p tcp -m tcp --dport 30080 -j REDIRECT --to-ports 40000
                -A KUBE-NODEPORT-HOST -m comment --comment "ns/web:http" -p tcp -m tcp --dport 30080 -j DNAT --to-destination 172.18.0.2:40000
                -A KUBE-PORTALS-CONTAINER -m comment --comment "ns/web:http" -p tcp -m tcp -d 10.96.0.10 --dport 80 -j REDIRECT --to-ports 40000
                -A KUBE-PORTALS-CONTAINER -m comment --comment "ns/web:http" -p tcp -m tcp -d 192.0.2.1 --dport 80 -j REDIRECT --to-ports 40000
                -A KUBE-PORTALS-CONTAINER -m comment --comment "ns/web:http" -p tcp -m tcp -d 192.0.2.2 --dport 80 -j REDIRECT --to-ports 40000
                -A KUBE-PORTALS-HOST -m comment --comment "ns/web:http" -p tcp -m tcp -d 10.96.0.10 --dport 80 -j DNAT --to-destination 172.18.0.2:40000
                -A KUBE-PORTALS-HOST -m comment --comment "ns/web:http" -p tcp -m tcp -d 192.0.2.1 --dport 80 -j DNAT --to-destination 172.18.0.2:40000
                -A KUBE-PORTALS-HOST -m comment --comment "ns/web:http" -p tcp -m tcp -d 192.0.2.2 --dport 80 -j DNAT --to-destination 172.18.0.2:40000
                """);
    }

    @Test
    void leadsEveryWayOfAUdpServiceToItsOwnPort() {
        ServicePortName dns = new ServicePortName(new NamespacedName("ns", "dns"), "dns", Protocol.UDP);
        ServiceSnapshot snapshot = new ServiceSnapshots()
                .add(
                        new ServicePort(dns, ips("10.96.0.53"), 53, 30053, List.of(), ips("192.0.2.2")),
                        endpoint("10.244.0.5:53"))
                .build();
        assertThat(rules(snapshot, PROXY)).isEqualTo("""
                -A KUBE-NODEPORT-NON-LOCAL -m comment --comment "service NodePorts" -p udp -m udp --dport 50001 -m conntrack --ctstate NEW -j ACCEPT
                -A KUBE-NODEPORT-CONTAINER -m comment --comment "ns/dns:dns" -p udp -m udp --dport 30053 -j REDIRECT --to-ports 50001
                -A KUBE-NODEPORT-HOST -m comment --comment "ns/dns:dns" -p udp -m udp --dport 30053 -j DNAT --to-destination 172.18.0.2:50001
                -A KUBE-PORTALS-CONTAINER -m comment --comment "ns/dns:dns" -p udp -m udp -d 10.96.0.53 --dport 53 -j REDIRECT --to-ports 50000
                -A KUBE-PORTALS-CONTAINER -m comment --comment "ns/dns:dns" -p udp -m udp -d 192.0.2.2 --dport 53 -j REDIRECT --to-ports 50002
                -A KUBE-PORTALS-HOST -m comment --comment "ns/dns:dns" -p udp -m udp -d 10.96.0.53 --dport 53 -j DNAT --to-destination 172.18.0.2:50000
                -A KUBE-PORTALS-HOST -m comment --comment "ns/dns:dns" -p udp -m udp -d 192.0.2.2 --dport 53 -j DNAT --to-destination 172.18.0.2:50002
                """);
    }

    @Test
    void refusesServicesWithoutEndpoints() {
        assertThat(rules(new ServiceSnapshots().add(WEB).build(), PROXY)).isEqualTo("""
                -A KUBE-PORTALS-REJECT -m comment --comment "ns/web:http has no endpoints" -p tcp -m tcp -d 10.96.0.10 --dport 80 -j REJECT
                -A KUBE-PORTALS-REJECT -m comment --comment "ns/web:http has no endpoints" -p tcp -m tcp -d 192.0.2.1 --dport 80 -j REJECT
                -A KUBE-PORTALS-REJECT -m comment --comment "ns/web:http has no endpoints" -m conntrack ! --ctstate DNAT -m addrtype --dst-type LOCAL -p tcp -m tcp --dport 30080 -j REJECT
                -A KUBE-PORTALS-REJECT -m comment --comment "ns/web:http has no endpoints" -p tcp -m tcp -d 192.0.2.2 --dport 80 -j REJECT
                """);
    }

    @Test
    void doesNotChangeWhenAnEndpointDoes() {
        ServiceSnapshot before =
                new ServiceSnapshots().add(WEB, endpoint("10.244.0.5:8080")).build();
        ServiceSnapshot after = new ServiceSnapshots()
                .add(WEB, endpoint("10.244.0.6:8080"), endpoint("10.244.1.7:8080"))
                .build();
        assertThat(ruleSet(after, PROXY)).isEqualTo(ruleSet(before, PROXY));
    }

    @Test
    void redirectsTheHostTooWhileTheNodeIsUnknown() {
        ProxyAddress unknown = new ProxyAddress(Optional.empty(), Optional.empty());
        ServiceSnapshot snapshot = new ServiceSnapshots()
                .service("web", "10.96.0.10", 80, endpoint("10.244.0.5:8080"))
                .build();
        assertThat(rules(snapshot, unknown)).isEqualTo("""
                -A KUBE-PORTALS-CONTAINER -m comment --comment "ns/web:http" -p tcp -m tcp -d 10.96.0.10 --dport 80 -j REDIRECT --to-ports 40000
                -A KUBE-PORTALS-HOST -m comment --comment "ns/web:http" -p tcp -m tcp -d 10.96.0.10 --dport 80 -j REDIRECT --to-ports 40000
                """);
    }

    @Test
    void translatesToTheBoundAddressIfThereIsOnlyOne() {
        Optional<IpAddress> bound = Optional.of(IpAddress.parse("172.18.0.9"));
        ProxyAddress proxy = new ProxyAddress(bound, PROXY.node());
        ServiceSnapshot snapshot = new ServiceSnapshots()
                .service("web", "10.96.0.10", 80, endpoint("10.244.0.5:8080"))
                .build();
        assertThat(rules(snapshot, proxy)).isEqualTo("""
                -A KUBE-PORTALS-CONTAINER -m comment --comment "ns/web:http" -p tcp -m tcp -d 10.96.0.10 --dport 80 -j DNAT --to-destination 172.18.0.9:40000
                -A KUBE-PORTALS-HOST -m comment --comment "ns/web:http" -p tcp -m tcp -d 10.96.0.10 --dport 80 -j DNAT --to-destination 172.18.0.9:40000
                """);
    }

    @Test
    void ownsExactlyTheChainsThatItWrites() {
        RuleSet rules = ruleSet(ServiceSnapshot.EMPTY, PROXY);
        assertThat(rules.frame().values().stream().flatMap(chains -> chains.keySet().stream()))
                .containsExactlyInAnyOrderElementsOf(PortalRules.CHAINS);
    }

    @Test
    void servesAndRefusesNodePortsInTheirNetworksAlone() {
        List<Cidr> networks = List.of(Cidr.parse("172.18.0.0/16"), Cidr.parse("192.168.0.0/24"));
        ServiceSnapshot snapshot = new ServiceSnapshots().add(WEB).build();
        String text = RestoreText.complete(ruleSet(snapshot, PROXY, networks));
        assertThat(text.lines().filter(line -> line.contains("--dst-type LOCAL")))
                .containsExactly("""
                -A KUBE-PORTALS-REJECT -m comment --comment "ns/web:http has no endpoints" -m conntrack ! --ctstate DNAT -m addrtype --dst-type LOCAL -d 172.18.0.0/16 -p tcp -m tcp --dport 30080 -j REJECT
                -A KUBE-PORTALS-REJECT -m comment --comment "ns/web:http has no endpoints" -m conntrack ! --ctstate DNAT -m addrtype --dst-type LOCAL -d 192.168.0.0/24 -p tcp -m tcp --dport 30080 -j REJECT
                -A PREROUTING -m addrtype --dst-type LOCAL -d 172.18.0.0/16 -m comment --comment "handle service NodePorts; NOTE: this must be the last rule in the chain" -j KUBE-NODEPORT-CONTAINER
                -A PREROUTING -m addrtype --dst-type LOCAL -d 192.168.0.0/24 -m comment --comment "handle service NodePorts; NOTE: this must be the last rule in the chain" -j KUBE-NODEPORT-CONTAINER
                -A OUTPUT -m addrtype --dst-type LOCAL -d 172.18.0.0/16 -m comment --comment "handle service NodePorts; NOTE: this must be the last rule in the chain" -j KUBE-NODEPORT-HOST
                -A OUTPUT -m addrtype --dst-type LOCAL -d 192.168.0.0/24 -m comment --comment "handle service NodePorts; NOTE: this must be the last rule in the chain" -j KUBE-NODEPORT-HOST
                """.lines().toArray(String[]::new));
    }

    private static String text(ServiceSnapshot snapshot, ProxyAddress proxy) {
        return RestoreText.complete(ruleSet(snapshot, proxy));
    }

    /** TCP at port 40000; UDP at 50000 and on, a port for each way. */
    private static RuleSet ruleSet(ServiceSnapshot snapshot, ProxyAddress proxy) {
        return ruleSet(snapshot, proxy, List.of());
    }

    private static RuleSet ruleSet(ServiceSnapshot snapshot, ProxyAddress proxy, List<Cidr> nodePortNetworks) {
        PortalPorts ports = (portal, entry) -> portal.protocol() == Protocol.TCP
                ? 40000
                : switch (entry) {
                    case CLUSTER_IP -> 50000;
                    case EXTERNAL -> 50001;
                    case LOAD_BALANCER -> 50002;
                };
        return new PortalRules(new PortalLayout(proxy, ports, 40000, nodePortNetworks))
                .all(PortalPlan.of(snapshot, "node-a", IpFamily.IPV4).portals());
    }

    /** The rules of our own chains. */
    private static String rules(ServiceSnapshot snapshot, ProxyAddress proxy) {
        return text(snapshot, proxy)
                .lines()
                .filter(line -> line.startsWith("-A KUBE-"))
                .map(line -> line + "\n")
                .reduce("", String::concat);
    }
}
