package dev.nodepath.proxy.iptables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.nodepath.endpoints.DetectLocal;
import dev.nodepath.endpoints.NodePortAddresses;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.Snapshots;
import dev.nodepath.endpoints.trace.Effect;
import dev.nodepath.endpoints.trace.Trace;
import dev.nodepath.endpoints.trace.TracedPacket;
import dev.nodepath.endpoints.trace.TracedPackets;
import dev.nodepath.endpoints.trace.TracerContract;
import dev.nodepath.linux.address.IpAddress;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Further worked examples of kube-proxy's own tests, and the words of a trace. */
class PacketTracerTest extends TracerContract {
    private static final IptablesConfig CONFIG = IptablesConfig.DEFAULTS.with(draft -> {
        draft.nodeName = "n1";
        draft.hostAddresses = Stream.concat(
                        HOST.stream(), Stream.of(IpAddress.parse("127.0.0.1"), IpAddress.parse("::1")))
                .toList();
        draft.detectLocal = PODS;
    });

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
            10.0.0.2 -> 172.30.0.41:80/udp   | ''
            10.0.0.2 -> 172.30.0.41:443      | ''
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
        IptablesConfig config = CONFIG.with(draft -> {
            draft.localhostNodePorts = localhost;
            draft.nodePortAddresses =
                    NodePortAddresses.parse(addresses.isEmpty() ? List.of() : List.of(addresses.split(",", -1)));
        });
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

    @Test
    void tellsTheWayAndTheChances() {
        Snapshots services = Snapshots.service("ns/svc:p", "172.30.0.41", 80)
                .affinity(600)
                .endpoint("10.180.0.1:80", "n1")
                .endpoint("10.180.0.2:80", "n1")
                .endpoint("10.180.0.3:80", "n1");
        Trace trace = trace(services.build(), CONFIG, TracedPackets.of("10.180.0.1 -> 172.30.0.41:80"));
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

    private static String suffix() {
        return ChainNames.of(Snapshots.portName("ns/svc:p")).cluster().substring("KUBE-SVC-".length());
    }

    @Override
    protected List<Trace> traces(
            ServiceSnapshot snapshot, DetectLocal local, boolean masqueradeAll, TracedPacket packet) {
        IptablesConfig config = CONFIG.with(draft -> {
            draft.detectLocal = local;
            draft.masqueradeAll = masqueradeAll;
        });
        return List.of(trace(snapshot, config, packet));
    }

    private static void assertFlow(Snapshots services, IptablesConfig config, String flow, String expected) {
        assertResult(List.of(trace(services.build(), config, TracedPackets.of(flow))), flow, expected);
    }

    private static Trace trace(ServiceSnapshot snapshot, IptablesConfig config, TracedPacket packet) {
        return PacketTracer.trace(
                IptablesRules.of(snapshot, config, packet.destination().family()), packet, HOST);
    }
}
