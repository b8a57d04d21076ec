package dev.nodepath.proxy.nftables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.nodepath.endpoints.DetectLocal;
import dev.nodepath.endpoints.NodePortAddresses;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServiceCidr;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.Snapshots;
import dev.nodepath.endpoints.trace.Effect;
import dev.nodepath.endpoints.trace.Trace;
import dev.nodepath.endpoints.trace.TracedPacket;
import dev.nodepath.endpoints.trace.TracedPackets;
import dev.nodepath.endpoints.trace.TracerContract;
import dev.nodepath.linux.address.Cidr;
import java.util.HashSet;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The effects of Services' rules on packets, in both layouts. Node 192.168.0.2 with other addresses, pods in
 * 10.0.0.0/8, clients outside in 203.0.113.0/24. {@code +m} means masqueraded.
 */
class TableTracerTest extends TracerContract {
    private static final NftablesConfig CONFIG = NftablesConfig.DEFAULTS.with(draft -> {
        draft.nodeName = "n1";
        draft.detectLocal = PODS;
        draft.hostAddresses = List.copyOf(HOST);
        draft.singleEndpoint = SingleEndpoint.MAP;
    });

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            10.0.0.2 -> 172.30.0.41:80        | 10.180.0.1:80
            203.0.113.2 -> 172.30.0.41:80     | 10.180.0.1:80 +m
            192.168.0.2 -> 172.30.0.41:80     | 10.180.0.1:80 +m
            10.180.0.1 -> 172.30.0.41:80      | 10.180.0.1:80 +m
            10.180.0.1 -> 10.180.0.1:80       | ''
            10.0.0.2 -> 172.30.0.41:80/udp    | REJECT
            10.0.0.2 -> 172.30.0.41:443       | REJECT
            192.168.0.2 -> 172.30.0.41:443    | REJECT
            203.0.113.2 -> 192.168.99.22:80   | DROP
            203.0.113.2 -> 1.2.3.4:80         | DROP
            203.0.113.2 -> 192.168.0.2:30002  | DROP
            10.0.0.2 -> 1.2.3.4:80            | 10.180.0.2:80
            192.168.0.2 -> 1.2.3.4:80         | 10.180.0.2:80 +m
            203.0.113.2 -> 192.168.99.33:80   | 10.180.0.4:80, 10.180.0.5:80 +m
            10.0.0.2 -> 172.30.0.44:80        | 10.180.0.4:80, 10.180.0.5:80
            203.0.113.2 -> 5.6.7.8:80         | 10.180.0.3:80 +m
            203.0.113.130 -> 5.6.7.8:80       | DROP
            192.168.0.2 -> 5.6.7.8:80         | DROP
            203.0.113.130 -> 192.168.0.2:30005 | 10.180.0.3:80 +m
            203.0.113.2 -> 192.168.1.2:30005  | ''
            127.0.0.1 -> 127.0.0.1:30005      | ''
            10.0.0.2 -> 172.30.0.46:80        | REJECT
            192.168.0.2 -> 172.30.0.46:80     | REJECT
            203.0.113.2 -> 192.168.0.2:30006  | REJECT
            192.168.0.2 -> 192.168.0.2:30006  | REJECT
            10.0.0.2 -> 192.168.99.66:80      | REJECT
            192.168.0.2 -> 172.30.0.47:80     | 192.168.0.2:10250 +m
            203.0.113.2 -> 192.168.0.2:30007  | 192.168.0.2:10250
            203.0.113.2 -> 192.168.0.2:30008  | ''
            10.0.0.2 -> 172.30.99.99:80       | DROP
            192.168.0.2 -> 172.30.99.99:80    | DROP
            10.0.0.2 -> 8.8.8.8:53/udp        | ''
            """)
    void servicesOfEveryKind(String flow, String expected) {
        Snapshots services = Snapshots.service("ns1/svc1:p80", "172.30.0.41", 80)
                .endpoint("10.180.0.1:80", "n1")
                .andService("ns2/svc2:p80", "172.30.0.42", 80)
                .nodePort(30002)
                .externalIps("192.168.99.22")
                .loadBalancerIps("1.2.3.4")
                .externalTrafficLocal()
                .endpoint("10.180.0.2:80", "n2")
                .andService("ns4/svc4:p80", "172.30.0.44", 80)
                .externalIps("192.168.99.33")
                .endpoint("10.180.0.4:80", "")
                .endpoint("10.180.0.5:80", "n1")
                .andService("ns5/svc5:p80", "172.30.0.45", 80)
                .nodePort(30005)
                .loadBalancerIps("5.6.7.8")
                .sourceRanges("203.0.113.0/25")
                .affinity(10800)
                .endpoint("10.180.0.3:80", "")
                .andService("ns6/svc6:p80", "172.30.0.46", 80)
                .nodePort(30006)
                .externalIps("192.168.99.66")
                .andService("ns7/svc7:p80", "172.30.0.47", 80)
                .nodePort(30007)
                .endpoint("192.168.0.2:10250", "n1");
        assertFlow(services, CONFIG, flow, expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            10.180.0.2 -> 172.30.0.42:53       | 10.180.0.1:5353, 10.180.2.1:5353
            10.180.0.2 -> 172.30.0.42:53/udp   | 10.180.0.1:53, 10.180.2.1:53
            10.180.0.2 -> 172.30.0.42:53/sctp  | 10.180.0.1:54, 10.180.2.1:54
            10.180.0.2 -> 172.30.0.42:80/sctp  | REJECT
            fd00:10::9 -> [fd00:172:30::42]:53/udp  | [fd00:10::1]:53
            fd00:10::1 -> [fd00:172:30::42]:53/udp  | [fd00:10::1]:53 +m
            2001:db8:ffff::2 -> [fd00:172:30::42]:53/udp | [fd00:10::1]:53 +m
            2001:db8:ffff::2 -> [2001:db8::1]:30053/udp  | [fd00:10::1]:53 +m
            2001:db8:ffff::2 -> [2001:db8:1::2]:30053/udp | ''
            ::1 -> [::1]:30053/udp             | ''
            2001:db8:ffff::2 -> [2001:db8:5::5]:53/udp   | [fd00:10::1]:53 +m
            2001:db8:fffe::2 -> [2001:db8:5::5]:53/udp   | DROP
            fd00:10::9 -> [fd00:172:30::42]:53 | REJECT
            fd00:10::9 -> [fd00:172:30::43]:53 | DROP
            """)
    void everyProtocolAndFamily(String flow, String expected) {
        Snapshots services = Snapshots.service("ns/svc:dns-udp", Protocol.UDP, "172.30.0.42,fd00:172:30::42", 53)
                .nodePort(30053)
                .loadBalancerIps("2001:db8:5::5")
                .sourceRanges("2001:db8:ffff::/48")
                .endpoint("10.180.0.1:53", "n1")
                .endpoint("10.180.2.1:53", "n2")
                .endpoint("[fd00:10::1]:53", "n1")
                .andService("ns/svc:dns-tcp", "172.30.0.42", 53);
        both(services, 5353).andService("ns/svc:dns-sctp", Protocol.SCTP, "172.30.0.42", 53);
        assertFlow(both(services, 54), CONFIG, flow, expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            203.0.113.2 -> 1.2.3.4:80           | REJECT
            203.0.113.130 -> 1.2.3.4:80         | DROP
            10.0.0.2 -> 1.2.3.4:80              | DROP
            192.168.0.2 -> 5.6.7.8:80           | DROP
            203.0.113.130 -> 192.168.99.11:80   | REJECT
            203.0.113.130 -> 192.168.0.2:3001   | REJECT
            203.0.113.130 -> 172.30.0.41:80     | REJECT
            203.0.113.130 -> 9.9.9.9:80         | REJECT
            2001:db8:f::1 -> [fd00:5::9]:80     | REJECT
            """)
    void sourceRangesHoldWithoutEndpoints(String flow, String expected) {
        Snapshots services = Snapshots.service("ns/svc:p80", "172.30.0.41", 80)
                .nodePort(3001)
                .externalIps("192.168.99.11")
                .loadBalancerIps("1.2.3.4,5.6.7.8")
                .sourceRanges("203.0.113.0/25")
                .andService("ns/all:p80", "172.30.0.42,fd00:172:30::42", 80)
                .loadBalancerIps("9.9.9.9,fd00:5::9")
                .sourceRanges("203.0.113.0/25,0.0.0.0/0,::/0,2001:db8::/48");
        assertFlow(services, CONFIG, flow, expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            primary                  | true  | false | false
            0.0.0.0/0                | true  | true  | false
            192.168.1.0/24           | false | true  | false
            127.0.0.0/8              | false | false | false
            192.168.0.0/16,127.0.0.0/8 | true | true | false
            """)
    void nodePortAddresses(String addresses, boolean first, boolean second, boolean loopback) {
        NftablesConfig config = CONFIG.with(
                draft -> draft.nodePortAddresses = NodePortAddresses.parse(List.of(addresses.split(",", -1))));
        Snapshots services = everyWayIn().endpoint("10.180.0.1:80", "n1");
        assertFlow(services, config, "203.0.113.2 -> 192.168.0.2:3001", first ? "10.180.0.1:80 +m" : "");
        assertFlow(services, config, "203.0.113.2 -> 192.168.1.2:3001", second ? "10.180.0.1:80 +m" : "");
        assertFlow(services, config, "127.0.0.1 -> 127.0.0.1:3001", loopback ? "10.180.0.1:80 +m" : "");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 14, 31})
    void anyMasqueradeBit(int bit) {
        NftablesConfig config = CONFIG.with(draft -> {
            draft.masqueradeBit = bit;
            draft.singleEndpoint = SingleEndpoint.DNAT;
        });
        Snapshots services = everyWayIn().endpoint("10.180.0.1:80", "n1");
        assertFlow(services, config, "203.0.113.2 -> 192.168.0.2:3001", "10.180.0.1:80 +m");
        assertFlow(services, config, "10.0.0.2 -> 172.30.0.41:80", "10.180.0.1:80");
    }

    @Test
    void onlyServiceCidrsAreRefusedWithoutAService() {
        ServiceSnapshot snapshot =
                Snapshots.service("ns/svc:p", "172.30.0.41", 80).build();
        TracedPacket packet = TracedPackets.of("10.0.0.2 -> 172.30.99.99:80");
        assertThat(TracerContract.summary(trace(snapshot, CONFIG, packet, false)))
                .isEmpty();
        assertThat(TracerContract.summary(trace(withCidrs(snapshot), CONFIG, packet, false)))
                .isEqualTo("DROP");
    }

    @Test
    void followsRulesThatCount() {
        NftablesConfig counting = CONFIG.with(draft -> draft.countsConnections = true);
        ServiceSnapshot snapshot = Snapshots.service("ns/svc:p", "172.30.0.41", 80)
                .endpoint("10.180.0.1:80", "n1")
                .endpoint("10.180.0.3:80", "n2")
                .build();
        Trace trace = trace(snapshot, counting, TracedPackets.of("10.180.0.1 -> 172.30.0.41:80"), false);
        assertThat(TracerContract.summary(trace)).isEqualTo("10.180.0.1:80, 10.180.0.3:80");
    }

    @Test
    void tellsTheWayAndTheChances() {
        ServiceSnapshot snapshot = Snapshots.service("ns/svc:p", "172.30.0.41", 80)
                .affinity(600)
                .endpoint("10.180.0.1:80", "n1")
                .endpoint("10.180.0.2:80", "n1")
                .endpoint("10.180.0.3:80", "n2")
                .build();
        Trace trace = trace(snapshot, CONFIG, TracedPackets.of("10.180.0.1 -> 172.30.0.41:80"), false);
        assertThat(trace.outcomes())
                .allSatisfy(outcome -> assertThat(outcome.probability()).isCloseTo(1.0 / 3, within(1e-9)))
                .extracting(Trace.Outcome::masqueraded)
                .containsExactly(true, false, false);
        assertThat(trace.steps())
                .extracting(Trace.Step::chain)
                .startsWith("filter-prerouting-pre-dnat", "nat-prerouting", "services")
                .containsSubsequence("filter-forward", "nat-postrouting", "masquerading")
                .doesNotContain("filter-input", "nat-output", "filter-output");
        assertThat(new HashSet<>(trace.steps())).hasSameSizeAs(trace.steps());
        Trace.Step services = trace.steps().stream()
                .filter(step -> step.chain().equals("services"))
                .findFirst()
                .orElseThrow();
        assertThat(services.table()).isEqualTo("ip kube-proxy");
        assertThat(services.depth()).isEqualTo(1);
        assertThat(services.number()).isEqualTo(2);
        assertThat(services.rule()).isEqualTo("ip daddr . meta l4proto . th dport vmap @service-ips");
        assertThat(services.elements()).singleElement().satisfies(element -> {
            assertThat(element.set()).isEqualTo("service-ips");
            assertThat(element.text())
                    .startsWith("172.30.0.41 . tcp . 80 : goto service-")
                    .endsWith("-ns/svc/tcp/p");
        });
        assertThat(services.effect())
                .isInstanceOfSatisfying(
                        Effect.Jumps.class,
                        jump -> assertThat(jump.why()).isEqualTo("The map service-ips has the destination"));
        assertThat(trace.steps())
                .extracting(Trace.Step::effect)
                .contains(
                        new Effect.Jumps("services", ""),
                        new Effect.JumpsToOneOf(3),
                        Effect.Plain.REMEMBERS,
                        new Effect.NewDestination(List.of("10.180.0.3:80")),
                        new Effect.NewSource(false));
    }

    @Test
    void sharedMapsTellEachEndpoint() {
        ServiceSnapshot snapshot =
                both(Snapshots.service("ns/svc:p", "172.30.0.41", 80), 8080).build();
        Trace trace = trace(snapshot, CONFIG, TracedPackets.of("10.0.0.2 -> 172.30.0.41:80"), true);
        assertThat(trace.steps())
                .filteredOn(step -> step.chain().equals("lb-2-endpoints"))
                .singleElement()
                .satisfies(step -> assertThat(step.elements())
                        .extracting(Trace.Element::text)
                        .containsExactly(
                                "172.30.0.41 . 80 . 0 : 10.180.0.1 . 8080", "172.30.0.41 . 80 . 1 : 10.180.2.1 . 8080"))
                .extracting(Trace.Step::effect)
                .isEqualTo(new Effect.NewDestination(List.of("10.180.0.1:8080", "10.180.2.1:8080")));
    }

    @Override
    protected List<Trace> traces(
            ServiceSnapshot snapshot, DetectLocal local, boolean masqueradeAll, TracedPacket packet) {
        NftablesConfig config = CONFIG.with(draft -> {
            draft.detectLocal = local;
            draft.masqueradeAll = masqueradeAll;
        });
        return inBothLayouts(snapshot, config, packet);
    }

    private static void assertFlow(Snapshots services, NftablesConfig config, String flow, String expected) {
        ServiceSnapshot snapshot =
                services.node("n1", "192.168.0.2,2001:db8::1", "10.180.0.0/24").build();
        assertResult(inBothLayouts(snapshot, config, TracedPackets.of(flow)), flow, expected);
    }

    private static List<Trace> inBothLayouts(ServiceSnapshot snapshot, NftablesConfig config, TracedPacket packet) {
        ServiceSnapshot ranged = withCidrs(snapshot);
        return List.of(trace(ranged, config, packet, false), trace(ranged, config, packet, true));
    }

    private static ServiceSnapshot withCidrs(ServiceSnapshot snapshot) {
        ServiceCidr range =
                new ServiceCidr("kubernetes", List.of(Cidr.parse("172.30.0.0/16"), Cidr.parse("fd00:172:30::/112")));
        TreeMap<String, ServiceCidr> ranges = new TreeMap<>();
        ranges.put(range.name(), range);
        return new ServiceSnapshot(snapshot.services(), snapshot.endpoints(), snapshot.nodes(), ranges);
    }

    private static Trace trace(
            ServiceSnapshot snapshot, NftablesConfig config, TracedPacket packet, boolean sharedMaps) {
        NftablesContext context =
                NftablesContext.of(snapshot, config, packet.destination().family(), sharedMaps);
        return TableTracer.trace(NftablesRules.of(snapshot, context), packet, HOST);
    }
}
