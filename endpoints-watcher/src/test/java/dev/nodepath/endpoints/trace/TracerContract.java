package dev.nodepath.endpoints.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.nodepath.endpoints.DetectLocal;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.Snapshots;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The common effects of each mode's rules on packets, many of them the worked examples of kube-proxy's own tests. Node
 * 192.168.0.2 with other addresses, pods in 10.0.0.0/8, a client outside, 203.0.113.2, and one that source ranges
 * exclude, 203.0.113.130. {@code +m} means masqueraded.
 */
public abstract class TracerContract {
    protected static final Set<IpAddress> HOST = Stream.of(
                    "192.168.0.2", "192.168.1.2", "192.168.99.11", "2001:db8::1", "2001:db8:1::2")
            .map(IpAddress::parse)
            .collect(Collectors.toUnmodifiableSet());
    protected static final DetectLocal PODS =
            new DetectLocal.ClusterCidr(List.of(Cidr.parse("10.0.0.0/8"), Cidr.parse("fd00:10::/64")));

    /** Walks a packet through the rules, once for each form that they have. */
    protected abstract List<Trace> traces(
            ServiceSnapshot snapshot, DetectLocal local, boolean masqueradeAll, TracedPacket packet);

    @ParameterizedTest
    @CsvSource({
        "10.0.0.2 -> 172.30.0.41:80",
        "10.0.0.2 -> 192.168.0.2:3001",
        "10.0.0.2 -> 1.2.3.4:80",
        "203.0.113.2 -> 192.168.99.11:80",
        "203.0.113.2 -> 192.168.0.2:3001",
        "203.0.113.2 -> 1.2.3.4:80",
    })
    void refusesEveryWayToNoEndpoints(String flow) {
        assertFlow(everyWayIn(), flow, "REJECT");
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
            """)
    void portsAndProtocolsAndTheWayBackToOneself(String flow, String expected) {
        Snapshots services =
                Snapshots.service("ns/svc1:http", "172.30.0.41", 80).endpoint("10.180.0.1:80", "n1");
        services.andService("ns/svc2:http", "172.30.0.42", 80);
        both(services, 80).andService("ns/svc2:https", "172.30.0.42", 443);
        both(services, 8443).andService("ns/svc2:dns-udp", Protocol.UDP, "172.30.0.42", 53);
        both(services, 53).andService("ns/svc2:dns-tcp", "172.30.0.42", 53);
        both(services, 5353).andService("ns/svc2:dns-sctp", Protocol.SCTP, "172.30.0.42", 53);
        assertFlow(both(services, 53), flow, expected);
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
            10.0.0.2 -> 5.6.7.8:80            | DROP
            192.168.0.2 -> 1.2.3.4:80         | 10.180.0.1:80 +m
            192.168.0.2 -> 5.6.7.8:80         | 10.180.0.1:80 +m
            1.2.3.4 -> 1.2.3.4:80             | 10.180.0.1:80 +m
            5.6.7.8 -> 5.6.7.8:80             | 10.180.0.1:80 +m
            """)
    void sourceRanges(String flow, String expected) {
        Snapshots services = Snapshots.service("ns/svc:p80", "172.30.0.41", 80)
                .nodePort(3001)
                .loadBalancerIps("1.2.3.4,5.6.7.8")
                .sourceRanges("192.168.0.0/24,203.0.113.0/25")
                .endpoint("10.180.0.1:80", "n2");
        assertFlow(services, flow, expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            10.0.0.2 -> 172.30.0.41:80       | A B | A B
            10.0.0.2 -> 192.168.99.11:80     | A B | A B +m
            10.0.0.2 -> 1.2.3.4:80           | A B | A B +m
            10.0.0.2 -> 192.168.0.2:3001     | A B | A B +m
            192.168.0.2 -> 1.2.3.4:80        | A B +m | A B +m
            203.0.113.2 -> 192.168.99.11:80  | B   | A B +m
            203.0.113.2 -> 1.2.3.4:80        | B   | A B +m
            203.0.113.2 -> 192.168.0.2:3001  | B   | A B +m
            """)
    void externalTrafficOfEitherPolicy(String flow, String local, String cluster) {
        Snapshots services = everyWayIn().endpoint("10.180.0.1:80", "n2").endpoint("10.180.2.1:80", "n1");
        assertFlow(services, flow, endpoints(cluster));
        assertFlow(services.externalTrafficLocal(), flow, endpoints(local));
    }

    private static String endpoints(String letters) {
        return letters.replace("A B", "A, B").replace("A", "10.180.0.1:80").replace("B", "10.180.2.1:80");
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
    void internalTrafficOfEitherPolicy(boolean local, String nodes, String expected) {
        Snapshots services = Snapshots.service("ns1/svc1", "172.30.1.1", 80);
        if (local) {
            services.internalTrafficLocal();
        }
        int host = 0;
        for (String node : nodes.isEmpty() ? List.<String>of() : List.of(nodes.split(" ", -1))) {
            services.endpoint("10.0.1." + ++host + ":80", node);
        }
        assertFlow(services, "10.0.0.2 -> 172.30.1.1:80", expected);
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
    void endpointsThatDrain(boolean local, String endpoints, String pod, String outside) {
        Snapshots services = Snapshots.service("ns1/svc1", "172.30.1.1", 80).loadBalancerIps("1.2.3.4");
        if (local) {
            services.externalTrafficLocal();
        }
        for (String endpoint : endpoints.split(", ", -1)) {
            String[] words = endpoint.split(" ", -1);
            boolean ready = words[2].equals("ready");
            services.endpoint("10.0.1." + words[0] + ":80", words[1], ready, !words[2].equals("dead"), !ready);
        }
        assertFlow(services, "10.0.0.2 -> 172.30.1.1:80", numbered(pod));
        assertFlow(services, "203.0.113.2 -> 1.2.3.4:80", numbered(outside));
    }

    private static String numbered(String hosts) {
        return hosts.replaceAll("(\\d)", "10.0.1.$1:80").replace(":80 1", ":80, 1");
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
    void whoIsMasqueraded(String setting, String source, String svc1, String svc2, String svc3) {
        boolean masqueradeAll = setting.equals("masquerade") || setting.equals("both");
        DetectLocal detector = setting.equals("no detector") || setting.equals("both") ? DetectLocal.NONE : PODS;
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
                assertFlow(services, detector, masqueradeAll, source + " -> " + targets[j], expected);
            }
        }
    }

    @Test
    void seesTheLinkThatAPacketComesInThrough() {
        ServiceSnapshot snapshot = everyWayIn().endpoint("10.180.0.1:80", "n1").build();
        for (String link : List.of("veth7", "eth0", "")) {
            TracedPacket packet = TracedPackets.of("10.0.0.2 -> 172.30.0.41:80", link);
            assertThat(traces(snapshot, DetectLocal.interfaceNamePrefix("veth"), false, packet))
                    .extracting(TracerContract::masqueraded)
                    .as(link)
                    .containsOnly(!link.equals("veth7"));
        }
    }

    /** A Service with an address of every kind and no endpoints. */
    protected static Snapshots everyWayIn() {
        return Snapshots.service("ns/svc:p80", "172.30.0.41", 80)
                .nodePort(3001)
                .externalIps("192.168.99.11")
                .loadBalancerIps("1.2.3.4");
    }

    /** Adds an endpoint on this node and one on another. */
    protected static Snapshots both(Snapshots services, int port) {
        return services.endpoint("10.180.0.1:" + port, "n1").endpoint("10.180.2.1:" + port, "n2");
    }

    private static Snapshots lb(Snapshots services, int number, String balancer) {
        return services.nodePort(3000 + number)
                .loadBalancerIps(balancer)
                .endpoint("10.180.0." + number + ":80", "n1")
                .endpoint("10.180.1." + number + ":80", "n2");
    }

    /** All possible endpoints in the order of the rules, or the verdict. Empty if no rule decides. */
    public static String summary(Trace trace) {
        return trace.outcomes().stream()
                .map(outcome -> switch (outcome.verdict()) {
                    case ENDPOINT -> outcome.address().withPort(outcome.port());
                    case UNTOUCHED -> "";
                    default -> outcome.verdict().name();
                })
                .distinct()
                .collect(Collectors.joining(", "));
    }

    private static boolean masqueraded(Trace trace) {
        return trace.outcomes().stream().anyMatch(Trace.Outcome::masqueraded);
    }

    private void assertFlow(Snapshots services, String flow, String expected) {
        assertFlow(services, PODS, false, flow, expected);
    }

    private void assertFlow(
            Snapshots services, DetectLocal local, boolean masqueradeAll, String flow, String expected) {
        ServiceSnapshot snapshot =
                services.node("n1", "192.168.0.2,2001:db8::1", "10.180.0.0/24").build();
        assertResult(traces(snapshot, local, masqueradeAll, TracedPackets.of(flow)), flow, expected);
    }

    /** Whether each trace ends as expected, with chances that add up to one. */
    protected static void assertResult(List<Trace> traces, String flow, String expected) {
        assertThat(traces).isNotEmpty().allSatisfy(trace -> {
            assertThat(summary(trace) + (masqueraded(trace) ? " +m" : ""))
                    .as("%s: %s", flow, trace.steps())
                    .isEqualTo(expected);
            assertThat(trace.outcomes().stream()
                            .mapToDouble(Trace.Outcome::probability)
                            .sum())
                    .isCloseTo(1, within(1e-6));
        });
    }
}
