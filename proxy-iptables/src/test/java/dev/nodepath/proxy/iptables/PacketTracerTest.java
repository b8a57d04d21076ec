package dev.nodepath.proxy.iptables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.nodepath.endpoints.DetectLocal;
import dev.nodepath.endpoints.NodePortAddresses;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.Snapshots;
import dev.nodepath.endpoints.trace.Effect;
import dev.nodepath.endpoints.trace.Trace;
import dev.nodepath.endpoints.trace.TracedPacket;
import dev.nodepath.endpoints.trace.TracedPackets;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The worked examples of kube-proxy's own tests. Node 192.168.0.2 with other addresses, pods in 10.0.0.0/8, a client
 * outside, 203.0.113.2, and one that source ranges keep out, 203.0.113.130. {@code +m} is: masqueraded.
 */
class PacketTracerTest {
    private static final Set<IpAddress> HOST = Stream.of(
                    "192.168.0.2", "192.168.1.2", "192.168.99.11", "2001:db8::1", "2001:db8:1::2")
            .map(IpAddress::parse)
            .collect(Collectors.toUnmodifiableSet());
    private static final IptablesConfig CONFIG = IptablesConfig.DEFAULTS
            .withNodeName("n1")
            .withHostAddresses(
                    Stream.concat(HOST.stream(), Stream.of(IpAddress.parse("127.0.0.1"), IpAddress.parse("::1")))
                            .toList())
            .withClusterCidrs(List.of(Cidr.parse("10.0.0.0/8"), Cidr.parse("fd00:10::/64")));

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            203.0.113.2 -> 192.168.99.22:80  | DROP
            203.0.113.2 -> 1.2.3.4:80        | DROP
            203.0.113.2 -> 192.168.0.2:3001  | DROP
            203.0.113.2 -> 192.168.0.2:30000 | ACCEPT
            203.0.113.2 -> 192.168.0.2:30001 | ''
            10.0.0.2 -> 172.30.0.41:80       | 10.180.0.1:80
            10.0.0.2 -> 172.30.0.42:80       | 10.180.0.2:80
            10.0.0.2 -> 1.2.3.4:80           | 10.180.0.2:80
            10.0.0.2 -> 172.30.0.44:80       | 10.180.0.4:80, 10.180.0.5:80
            203.0.113.2 -> 192.168.99.33:80  | 10.180.0.4:80, 10.180.0.5:80 +m
            203.0.113.2 -> 192.168.0.2:3003  | 10.180.0.3:80 +m
            203.0.113.2 -> 5.6.7.8:80        | 10.180.0.3:80 +m
            203.0.113.130 -> 5.6.7.8:80      | DROP
            203.0.113.130 -> 192.168.0.2:3002 | 10.180.0.3:80 +m
            10.0.0.2 -> 172.30.0.46:80       | REJECT
            """)
    void h1ServicesOfEveryKind(String flow, String expected) {
        Snapshots services = Snapshots.service("ns1/svc1:p80", "172.30.0.41", 80)
                .endpoint("10.180.0.1:80", "")
                .andService("ns2/svc2:p80", "172.30.0.42", 80)
                .nodePort(3001)
                .externalIps("192.168.99.22")
                .loadBalancerIps("1.2.3.4")
                .externalTrafficLocal()
                .healthCheckNodePort(30000)
                .endpoint("10.180.0.2:80", "n2")
                .andService("ns3/svc3:p80", "172.30.0.43", 80)
                .nodePort(3003)
                .endpoint("10.180.0.3:80", "")
                .andService("ns4/svc4:p80", "172.30.0.44", 80)
                .externalIps("192.168.99.33")
                .endpoint("10.180.0.4:80", "")
                .endpoint("10.180.0.5:80", "n1")
                .andService("ns5/svc5:p80", "172.30.0.45", 80)
                .nodePort(3002)
                .loadBalancerIps("5.6.7.8")
                .sourceRanges("203.0.113.0/25")
                .affinity(10800)
                .healthCheckNodePort(30001)
                .endpoint("10.180.0.3:80", "")
                .andService("ns6/svc6:p80", "172.30.0.46", 80);
        assertFlow(services, CONFIG, flow, expected);
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.2 -> 172.30.0.41:80",
        "10.0.0.2 -> 192.168.0.2:3001",
        "10.0.0.2 -> 1.2.3.4:80",
        "203.0.113.2 -> 192.168.99.11:80",
        "203.0.113.2 -> 192.168.0.2:3001",
        "203.0.113.2 -> 1.2.3.4:80",
    })
    void h2RefusesEveryWayToNoEndpoints(String flow) {
        assertFlow(everyWayIn(), CONFIG, flow, "REJECT");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            10.180.0.2 -> 172.30.0.41:80       | 10.180.0.1:80
            10.180.0.2 -> 172.30.0.42:80       | 10.180.0.1:80, 10.180.2.1:80
            10.180.0.2 -> 172.30.0.42:443      | 10.180.0.1:8443, 10.180.2.1:8443
            10.180.0.2 -> 172.30.0.42:53       | 10.180.0.1:5353, 10.180.2.1:5353
            10.180.0.2 -> 172.30.0.42:53/udp   | 10.180.0.1:53, 10.180.2.1:53
            10.180.0.2 -> 172.30.0.42:53/sctp  | 10.180.0.1:53, 10.180.2.1:53
            10.180.0.1 -> 172.30.0.41:80       | 10.180.0.1:80 +m
            10.180.0.2 -> 172.30.0.42:80/udp   | ''
            10.180.0.2 -> 172.30.0.41:443      | ''
            """)
    void h3PortsAndProtocolsAndTheWayBackToOneself(String flow, String expected) {
        Snapshots services =
                Snapshots.service("ns/svc1:http", "172.30.0.41", 80).endpoint("10.180.0.1:80", "n1");
        services.andService("ns/svc2:http", "172.30.0.42", 80);
        both(services, 80).andService("ns/svc2:https", "172.30.0.42", 443);
        both(services, 8443).andService("ns/svc2:dns-udp", Protocol.UDP, "172.30.0.42", 53);
        both(services, 53).andService("ns/svc2:dns-tcp", "172.30.0.42", 53);
        both(services, 5353).andService("ns/svc2:dns-sctp", Protocol.SCTP, "172.30.0.42", 53);
        assertFlow(both(services, 53), CONFIG, flow, expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            10.0.0.2 -> 172.30.0.41:80        | 10.180.0.1:80
            203.0.113.2 -> 192.168.0.2:3001   | 10.180.0.1:80 +m
            203.0.113.130 -> 192.168.0.2:3001 | 10.180.0.1:80 +m
            203.0.113.2 -> 1.2.3.4:80         | 10.180.0.1:80 +m
            203.0.113.2 -> 5.6.7.8:80         | 10.180.0.1:80 +m
            203.0.113.130 -> 1.2.3.4:80       | DROP
            203.0.113.130 -> 5.6.7.8:80       | DROP
            10.0.0.2 -> 1.2.3.4:80            | DROP
            192.168.0.2 -> 1.2.3.4:80         | 10.180.0.1:80 +m
            192.168.0.2 -> 5.6.7.8:80         | 10.180.0.1:80 +m
            1.2.3.4 -> 1.2.3.4:80             | 10.180.0.1:80 +m
            5.6.7.8 -> 5.6.7.8:80             | 10.180.0.1:80 +m
            """)
    void h4SourceRanges(String flow, String expected) {
        Snapshots services = Snapshots.service("ns/svc:p80", "172.30.0.41", 80)
                .nodePort(3001)
                .loadBalancerIps("1.2.3.4,5.6.7.8")
                .sourceRanges("192.168.0.0/24,203.0.113.0/25")
                .endpoint("10.180.0.1:80", "n2")
                .node("n1", "192.168.0.2", "10.180.0.0/24");
        assertFlow(services, CONFIG, flow, expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ipv4 | true  | ''                                           | true  | true
            ipv4 | false | ''                                           | true  | false
            ipv4 | false | 192.168.0.0/24,127.0.0.1/32                  | false | false
            ipv4 | true  | 192.168.0.0/24,127.0.0.1/32                  | false | true
            ipv4 | false | 192.168.0.0/24,192.168.1.0/24,2001:db8::/64  | true  | false
            ipv6 | true  | ''                                           | true  | false
            ipv6 | false | ''                                           | true  | false
            ipv6 | false | 192.168.0.0/24,192.168.1.0/24,2001:db8::/64  | false | false
            """)
    void h5NodePorts(String family, boolean localhost, String addresses, boolean otherAddress, boolean onLocalhost) {
        boolean ipv4 = family.equals("ipv4");
        IptablesConfig config = CONFIG.withLocalhostNodePorts(localhost)
                .withNodePortAddresses(
                        NodePortAddresses.parse(addresses.isEmpty() ? List.of() : List.of(addresses.split(",", -1))));
        String one = ipv4 ? "10.180.0.1:80" : "[fd00:10::1]:80";
        String two = ipv4 ? "10.180.2.1:80" : "[fd00:10::2:1]:80";
        Snapshots services = Snapshots.service("ns/svc:p80", ipv4 ? "172.30.0.41" : "fd00:172:30::41", 80)
                .nodePort(3001)
                .endpoint(one, "")
                .endpoint(two, "n1");
        String both = one + ", " + two;
        String node = ipv4 ? "192.168.0.2" : "[2001:db8::1]";
        String client = ipv4 ? "203.0.113.2" : "2001:db8:ffff::2";
        String local = ipv4 ? "127.0.0.1" : "[::1]";
        assertFlow(
                services,
                config,
                (ipv4 ? "10.0.0.2" : "fd00:10::9") + " -> " + (ipv4 ? "172.30.0.41" : "[fd00:172:30::41]") + ":80",
                both);
        assertFlow(services, config, client + " -> " + node + ":3001", both + " +m");
        assertFlow(services, config, (ipv4 ? node : "2001:db8::1") + " -> " + node + ":3001", both + " +m");
        assertFlow(
                services,
                config,
                client + " -> " + (ipv4 ? "192.168.1.2" : "[2001:db8:1::2]") + ":3001",
                otherAddress ? both + " +m" : "");
        assertFlow(
                services,
                config,
                (ipv4 ? "127.0.0.1" : "::1") + " -> " + local + ":3001",
                onLocalhost ? both + " +m" : "");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            10.0.0.2 -> 172.30.0.41:80       | A B | A B
            10.0.0.2 -> 192.168.99.11:80     | A B | A B +m
            10.0.0.2 -> 1.2.3.4:80           | A B | A B +m
            10.0.0.2 -> 192.168.0.2:3001     | A B | A B +m
            203.0.113.2 -> 192.168.99.11:80  | B   | A B +m
            203.0.113.2 -> 1.2.3.4:80        | B   | A B +m
            203.0.113.2 -> 192.168.0.2:3001  | B   | A B +m
            """)
    void h6And7ExternalTrafficOfEitherPolicy(String flow, String local, String cluster) {
        Snapshots services = everyWayIn().endpoint("10.180.0.1:80", "n2").endpoint("10.180.2.1:80", "n1");
        assertFlow(services, CONFIG, flow, endpoints(cluster, "10.180.0.1:80", "10.180.2.1:80"));
        assertFlow(services.externalTrafficLocal(), CONFIG, flow, endpoints(local, "10.180.0.1:80", "10.180.2.1:80"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            false | n2 n2 n2 | 10.0.1.1:80, 10.0.1.2:80, 10.0.1.3:80
            true  | n1 n2 n2 | 10.0.1.1:80
            true  | n1 n1 n2 | 10.0.1.1:80, 10.0.1.2:80
            true  | n2 n2 n2 | DROP
            true  | ''       | REJECT
            false | ''       | REJECT
            """)
    void h8InternalTrafficOfEitherPolicy(boolean local, String nodes, String expected) {
        Snapshots services = Snapshots.service("ns1/svc1", "172.30.1.1", 80);
        if (local) {
            services.internalTrafficLocal();
        }
        int host = 0;
        for (String node : nodes.isEmpty() ? List.<String>of() : List.of(nodes.split(" ", -1))) {
            services.endpoint("10.0.1." + ++host + ":80", node);
        }
        assertFlow(services, CONFIG, "10.0.0.2 -> 172.30.1.1:80", expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            true  | 1 n1 ready, 2 n1 ready, 3 n1 draining, 4 n1 dead, 5 n2 ready       | 1 2 5  | 1 2
            true  | 2 n1 draining, 3 n1 draining, 4 n1 dead, 5 n2 ready                | 5      | 2 3
            true  | 5 n2 draining                                                      | 5      | DROP
            true  | 1 n1 dead, 5 n2 dead                                               | REJECT | REJECT
            false | 1 n1 ready, 2 n1 ready, 3 n2 draining, 4 n1 dead, 5 n2 ready       | 1 2 5  | 1 2 5 +m
            false | 2 n1 draining, 3 n1 draining, 4 n1 dead, 5 n2 draining             | 2 3 5  | 2 3 5 +m
            false | 5 n2 draining                                                      | 5      | 5 +m
            false | 1 n1 dead, 5 n2 dead                                               | REJECT | REJECT
            """)
    void h9And10EndpointsThatDrain(boolean local, String endpoints, String pod, String outside) {
        Snapshots services = Snapshots.service("ns1/svc1", "172.30.1.1", 80).loadBalancerIps("1.2.3.4");
        if (local) {
            services.externalTrafficLocal();
        }
        for (String endpoint : endpoints.split(", ", -1)) {
            String[] words = endpoint.split(" ", -1);
            boolean ready = words[2].equals("ready");
            boolean serving = !words[2].equals("dead");
            services.endpoint("10.0.1." + words[0] + ":80", words[1], ready, serving, !ready);
        }
        assertFlow(
                services,
                CONFIG,
                "10.0.0.2 -> 172.30.1.1:80",
                pod.replaceAll("(\\d)", "10.0.1.$1:80").replace(":80 1", ":80, 1"));
        assertFlow(
                services,
                CONFIG,
                "203.0.113.2 -> 1.2.3.4:80",
                outside.replaceAll("(\\d)", "10.0.1.$1:80").replace(":80 1", ":80, 1"));
    }

    /** Columns: cluster IP, node port, load balancer of three Services, the second eTP Local, the third iTP Local. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            default       | 10.0.0.2    | A   Am Am | A   A  A  | L  Am Am
            default       | 192.168.0.2 | Am  Am Am | Am  Am Am | Lm Am Am
            default       | 203.0.113.2 | Am  Am Am | Am  L  L  | Lm Am Am
            no detector   | 10.0.0.2    | A   Am Am | A   L  L  | L  Am Am
            no detector   | 192.168.0.2 | A   Am Am | A   Am Am | L  Am Am
            no detector   | 203.0.113.2 | A   Am Am | A   L  L  | L  Am Am
            masquerade    | 10.0.0.2    | Am  Am Am | Am  A  A  | Lm Am Am
            masquerade    | 192.168.0.2 | Am  Am Am | Am  Am Am | Lm Am Am
            masquerade    | 203.0.113.2 | Am  Am Am | Am  L  L  | Lm Am Am
            both          | 10.0.0.2    | Am  Am Am | Am  L  L  | Lm Am Am
            both          | 192.168.0.2 | Am  Am Am | Am  Am Am | Lm Am Am
            both          | 203.0.113.2 | Am  Am Am | Am  L  L  | Lm Am Am
            """)
    void h11WhoIsMasqueraded(String setting, String source, String svc1, String svc2, String svc3) {
        IptablesConfig config = CONFIG.withMasqueradeAll(setting.equals("masquerade") || setting.equals("both"));
        if (setting.equals("no detector") || setting.equals("both")) {
            config = config.withDetectLocal(DetectLocal.NONE);
        }
        Snapshots services = Snapshots.service("ns/svc1:p", "172.30.0.41", 80);
        lb(services, 1, "1.2.3.4").andService("ns/svc2:p", "172.30.0.42", 80);
        lb(services, 2, "5.6.7.8").externalTrafficLocal().andService("ns/svc3:p", "172.30.0.43", 80);
        lb(services, 3, "9.10.11.12").internalTrafficLocal();
        List<String> rows = List.of(svc1, svc2, svc3);
        List<String> balancers = List.of("1.2.3.4", "5.6.7.8", "9.10.11.12");
        for (int i = 0; i < rows.size(); i++) {
            String[] cells = rows.get(i).split(" +", -1);
            String[] targets = {"172.30.0.4" + (i + 1) + ":80", "192.168.0.2:300" + (i + 1), balancers.get(i) + ":80"};
            for (int j = 0; j < targets.length; j++) {
                String local = "10.180.0." + (i + 1) + ":80";
                String all = local + ", 10.180.1." + (i + 1) + ":80";
                String expected = (cells[j].startsWith("A") ? all : local) + (cells[j].endsWith("m") ? " +m" : "");
                assertFlow(services, config, source + " -> " + targets[j], expected);
            }
        }
    }

    @Test
    void tellsTheWayAndTheChances() {
        Snapshots services = Snapshots.service("ns/svc:p", "172.30.0.41", 80)
                .affinity(600)
                .endpoint("10.180.0.1:80", "n1")
                .endpoint("10.180.0.2:80", "n1")
                .endpoint("10.180.0.3:80", "n1");
        Trace trace = trace(services, CONFIG, "10.180.0.1 -> 172.30.0.41:80");
        assertThat(trace.outcomes())
                .allSatisfy(outcome -> assertThat(outcome.probability()).isCloseTo(1.0 / 3, within(1e-9)))
                .extracting(Trace.Outcome::masqueraded)
                .containsExactly(true, false, false);
        assertThat(trace.steps())
                .extracting(Trace.Step::chain)
                .startsWith("PREROUTING", "KUBE-SERVICES", "KUBE-SVC-" + suffix())
                .contains("KUBE-MARK-MASQ", "FORWARD", "KUBE-FORWARD", "KUBE-POSTROUTING")
                .doesNotContain("INPUT", "OUTPUT");
        assertThat(new HashSet<>(trace.steps())).hasSameSizeAs(trace.steps());
        assertThat(trace.steps())
                .extracting(Trace.Step::effect)
                .contains(
                        new Effect.Jumps("KUBE-SERVICES", ""),
                        new Effect.Jumps("KUBE-SVC-" + suffix(), "The packet is for ns/svc:p cluster IP"),
                        new Effect.Chooses("10.180.0.1:80", 3),
                        new Effect.Chooses("10.180.0.3:80", 1),
                        new Effect.NewDestination(List.of("10.180.0.2:80")),
                        Effect.Plain.MARKS,
                        Effect.Plain.SPARES,
                        Effect.Plain.UNMARKS,
                        new Effect.NewSource(false));
    }

    @Test
    void seesTheLinkThatAPacketComesInThrough() {
        Snapshots services = Snapshots.service("ns/svc:p", "172.30.0.41", 80).endpoint("10.180.0.1:80", "n1");
        IptablesConfig config = CONFIG.withDetectLocal(DetectLocal.interfaceNamePrefix("veth"));
        for (String link : List.of("veth7", "eth0", "")) {
            TracedPacket packet = TracedPackets.of("10.0.0.2 -> 172.30.0.41:80", link);
            assertThat(PacketTracer.trace(IptablesRules.of(services.build(), config, IpFamily.IPV4), packet, HOST)
                            .masqueraded())
                    .as(link)
                    .isEqualTo(!link.equals("veth7"));
        }
    }

    private static String suffix() {
        return ChainNames.of(Snapshots.portName("ns/svc:p")).cluster().substring("KUBE-SVC-".length());
    }

    private static Snapshots everyWayIn() {
        return Snapshots.service("ns/svc:p80", "172.30.0.41", 80)
                .nodePort(3001)
                .externalIps("192.168.99.11")
                .loadBalancerIps("1.2.3.4");
    }

    private static Snapshots both(Snapshots services, int port) {
        return services.endpoint("10.180.0.1:" + port, "n1").endpoint("10.180.2.1:" + port, "n2");
    }

    private static Snapshots lb(Snapshots services, int number, String balancer) {
        return services.nodePort(3000 + number)
                .loadBalancerIps(balancer)
                .endpoint("10.180.0." + number + ":80", "n1")
                .endpoint("10.180.1." + number + ":80", "n2");
    }

    private static String endpoints(String letters, String a, String b) {
        return letters.replace("A B", a + ", " + b).replaceAll("^B", b);
    }

    private static void assertFlow(Snapshots services, IptablesConfig config, String flow, String expected) {
        Trace trace = trace(services, config, flow);
        assertThat(trace.summary() + (trace.masqueraded() ? " +m" : ""))
                .as("%s: %s", flow, trace.steps())
                .isEqualTo(expected);
        assertThat(trace.outcomes().stream()
                        .mapToDouble(Trace.Outcome::probability)
                        .sum())
                .isCloseTo(1, within(1e-6));
    }

    private static Trace trace(Snapshots services, IptablesConfig config, String flow) {
        TracedPacket packet = TracedPackets.of(flow);
        IpFamily family = packet.destination().family();
        return PacketTracer.trace(IptablesRules.of(services.build(), config, family), packet, HOST);
    }
}
