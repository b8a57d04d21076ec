package dev.nodepath.proxy.userspace.portals;

import static dev.nodepath.proxy.userspace.ServiceSnapshots.ips;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.DesiredTable;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftText;
import dev.nodepath.proxy.userspace.ServiceSnapshots;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PortalSetsTest {
    private static final IpAddress NODE = IpAddress.parse("172.18.0.2");

    private static final ServiceSnapshot SERVICES = new ServiceSnapshots()
            .add(
                    new ServicePort(
                            name("web", Protocol.TCP), ips("10.96.0.10"), 80, 30080, ips("192.0.2.1"), List.of()),
                    Endpoint.ready(IpAddress.parse("10.244.0.5"), 8080, "node-a"))
            .add(
                    new ServicePort(
                            name("dns", Protocol.UDP), ips("10.96.0.53"), 53, 30053, List.of(), ips("192.0.2.2")),
                    Endpoint.ready(IpAddress.parse("10.244.0.5"), 53, "node-a"))
            .add(new ServicePort(name("none", Protocol.TCP), ips("10.96.0.11"), 81, 30081, List.of(), List.of()))
            .build();

    private static ServicePortName name(String service, Protocol protocol) {
        return new ServicePortName(new NamespacedName("ns", service), "port", protocol);
    }

    @Test
    void leadsByLookupsAndRefusesWhatHasNoEndpoints() {
        assertThat(NftText.table(table(List.of(Cidr.parse("172.18.0.0/16"))))).isEqualTo("""
            table ip nodepath-portals {
            	comment "leads clients of Services to Nodepath's relay"
            	map nodeports {
            		type inet_proto . inet_service : inet_service
            		comment "the relay's port by node port"
            		elements = { tcp . 30080 comment "ns/web:port" : 40000,
            			     udp . 30053 comment "ns/dns:port" : 50001 }
            	}

            	map portals {
            		type ipv4_addr . inet_proto . inet_service : inet_service
            		comment "the relay's port by address of a Service"
            		elements = { 10.96.0.10 . tcp . 80 comment "ns/web:port" : 40000,
            			     10.96.0.53 . udp . 53 comment "ns/dns:port" : 50000,
            			     192.0.2.1 . tcp . 80 comment "ns/web:port" : 40000,
            			     192.0.2.2 . udp . 53 comment "ns/dns:port" : 50002 }
            	}

            	set refused {
            		type ipv4_addr . inet_proto . inet_service
            		comment "Services without endpoints"
            		elements = { 10.96.0.11 . tcp . 81 comment "ns/none:port" }
            	}

            	set refused-nodeports {
            		type inet_proto . inet_service
            		comment "node ports without endpoints"
            		elements = { tcp . 30081 comment "ns/none:port" }
            	}

            	chain filter-forward {
            		type filter hook forward priority filter - 5; policy accept;
            		ct state new jump refused
            	}

            	chain filter-input {
            		type filter hook input priority filter - 5; policy accept;
            		ct state new jump refused
            	}

            	chain filter-output {
            		type filter hook output priority filter - 5; policy accept;
            		ct state new jump refused
            	}

            	chain nodeports-output {
            		type nat hook output priority -99; policy accept;
            		fib daddr type local ip daddr 172.18.0.0/16 dnat to 172.18.0.2:meta l4proto . th dport map @nodeports
            	}

            	chain nodeports-prerouting {
            		type nat hook prerouting priority dstnat + 1; policy accept;
            		fib daddr type local ip daddr 172.18.0.0/16 redirect to :meta l4proto . th dport map @nodeports
            	}

            	chain portals-output {
            		type nat hook output priority -105; policy accept;
            		dnat to 172.18.0.2:ip daddr . meta l4proto . th dport map @portals
            	}

            	chain portals-prerouting {
            		type nat hook prerouting priority dstnat - 5; policy accept;
            		redirect to :ip daddr . meta l4proto . th dport map @portals
            	}

            	chain refused {
            		ip daddr . meta l4proto . th dport @refused reject
            		ct status dnat return
            		fib daddr type local ip daddr 172.18.0.0/16 meta l4proto . th dport @refused-nodeports reject
            	}
            }
            """);
    }

    @Test
    void knowsTheProcessesThatATableLeadsTo() {
        RedirectedPorts ports = PortalSets.ports(table(List.of()), port -> port.number() == 40000);

        assertThat(ports.own()).isEqualTo(Set.of(new RedirectedPorts.Port(Protocol.TCP, 40000)));
        assertThat(ports.others()).isEqualTo(Set.of(udp(50_000), udp(50_001), udp(50_002)));
    }

    private static RedirectedPorts.Port udp(int number) {
        return new RedirectedPorts.Port(Protocol.UDP, number);
    }

    @ParameterizedTest
    @CsvSource({
        "'',         '',         redirect to :, redirect to :",
        "'',         172.18.0.2, redirect to :, dnat to 172.18.0.2:",
        "172.18.0.9, '',         dnat to 172.18.0.9:, dnat to 172.18.0.9:",
        "172.18.0.9, 172.18.0.2, dnat to 172.18.0.9:, dnat to 172.18.0.9:"
    })
    void translatesToTheAddressThatItListensOnOrIsKnownBy(String bound, String node, String ofLinks, String ofHost) {
        PortalLayout layout = new PortalLayout(address(bound), address(node), (portal, entry) -> 0, List.of());
        String text = NftText.table(new PortalSets(IpFamily.IPV4, layout).frame());
        for (String map : List.of("ip daddr . meta l4proto . th dport map @portals", "map @nodeports")) {
            List<String> rules = text.lines()
                    .map(String::strip)
                    .filter(line -> line.endsWith(map))
                    .toList();
            assertThat(rules).hasSize(2);
            assertThat(rules.get(0)).contains(ofHost);
            assertThat(rules.get(1)).contains(ofLinks);
        }
    }

    private static Optional<IpAddress> address(String text) {
        return text.isEmpty() ? Optional.empty() : Optional.of(IpAddress.parse(text));
    }

    private static NftTableState table(List<Cidr> nodePortNetworks) {
        Map<ServiceEntry, Integer> udp = Map.of(
                ServiceEntry.CLUSTER_IP, 50_000, ServiceEntry.EXTERNAL, 50_001, ServiceEntry.LOAD_BALANCER, 50_002);
        PortalPorts ports =
                (portal, entry) -> portal.protocol() == Protocol.TCP ? 40_000 : Objects.requireNonNull(udp.get(entry));
        PortalLayout layout = new PortalLayout(Optional.empty(), Optional.of(NODE), ports, nodePortNetworks);
        PortalSets sets = new PortalSets(IpFamily.IPV4, layout);
        DesiredTable<String> table = new DesiredTable<>(sets.frame());
        for (Portal portal : PortalPlan.of(SERVICES, "node-a", IpFamily.IPV4).portals()) {
            table.add(portal.name().toString(), sets.group(portal));
        }
        return table.state();
    }
}
