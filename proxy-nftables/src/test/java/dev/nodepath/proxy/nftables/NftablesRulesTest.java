package dev.nodepath.proxy.nftables;

import static dev.nodepath.endpoints.Protocol.SCTP;
import static dev.nodepath.endpoints.Protocol.UDP;
import static dev.nodepath.linux.address.IpFamily.IPV4;
import static dev.nodepath.linux.address.IpFamily.IPV6;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.DetectLocal;
import dev.nodepath.endpoints.NodePortAddresses;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.Snapshots;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftText;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rules that no recording of kube-proxy has. */
class NftablesRulesTest {
    private static final NftablesConfig CONFIG = NftablesConfig.DEFAULTS.with(draft -> draft.nodeName = "n1");
    private static final NftablesConfig COUNTING = CONFIG.with(draft -> draft.countsConnections = true);

    private static String text(ServiceSnapshot snapshot, NftablesConfig config, IpFamily family, boolean sharedMaps) {
        return NftText.table(NftablesRules.of(snapshot, NftablesContext.of(snapshot, config, family, sharedMaps)));
    }

    /** The lines that the snapshot adds to an empty table, without indentation. */
    private static String added(Snapshots snapshot, NftablesConfig config, boolean sharedMaps) {
        Set<String> before = text(ServiceSnapshot.EMPTY, config, IPV4, sharedMaps)
                .lines()
                .map(String::strip)
                .collect(Collectors.toSet());
        return text(snapshot.build(), config, IPV4, sharedMaps)
                .lines()
                .map(String::strip)
                .filter(line -> !before.contains(line))
                .collect(Collectors.joining("\n", "", "\n"));
    }

    @Test
    void singleEndpointNeedsNoMapWhereToldSo() {
        Snapshots web = Snapshots.service("ns/web:http", "10.96.0.9", 80).endpoint("10.244.0.2:8080", "n2");
        assertThat(added(web, CONFIG, false))
                .contains("meta l4proto tcp dnat ip to numgen random mod 1 map { 0 : 10.244.0.2 . 8080 }\n");
        assertThat(added(web, CONFIG.with(draft -> draft.singleEndpoint = SingleEndpoint.DNAT), false))
                .contains("meta l4proto tcp dnat to 10.244.0.2:8080\n");
    }

    @Test
    void plainServicePortsShareMaps() {
        Snapshots dns = Snapshots.service("ns/dns:dns", UDP, "10.96.0.9", 53)
                .endpoint("10.244.0.2:5353", "n1")
                .endpoint("10.244.1.2:5353", "n2")
                .andService("ns/m:m", SCTP, "10.96.0.8", 53)
                .endpoint("10.244.1.3:1", "n2")
                .endpoint("10.244.1.4:2", "n2");
        assertThat(added(dns, CONFIG, true)).isEqualTo("""
                elements = { 10.96.0.8, 10.96.0.9 }
                elements = { 10.96.0.8 . 53 . 0 : 10.244.1.3 . 1,
                10.96.0.8 . 53 . 1 : 10.244.1.4 . 2 }
                elements = { 10.96.0.9 . 53 . 0 : 10.244.0.2 . 5353,
                10.96.0.9 . 53 . 1 : 10.244.1.2 . 5353 }
                elements = { 10.244.0.2 . 10.244.0.2 . udp . 5353 }
                elements = { 10.96.0.8 . sctp . 53 : goto lb-2-endpoints,
                10.96.0.9 . udp . 53 : goto lb-2-endpoints }
                chain lb-2-endpoints {
                meta l4proto tcp dnat ip to ip daddr . tcp dport . numgen random mod 2 map @endpoints-tcp
                meta l4proto udp dnat ip to ip daddr . udp dport . numgen random mod 2 map @endpoints-udp
                meta l4proto sctp dnat ip to ip daddr . sctp dport . numgen random mod 2 map @endpoints-sctp
                """);
    }

    @Test
    void otherServicePortsKeepTheirChainsBesideSharedMaps() {
        List<Snapshots> others = List.of(
                web().nodePort(30001),
                web().externalIps("192.0.2.1"),
                web().loadBalancerIps("192.0.2.2"),
                web().affinity(10),
                web().internalTrafficLocal());
        for (Snapshots other : others) {
            assertThat(added(other, CONFIG, true)).doesNotContain("lb-").contains("-ns/web/tcp/http {\n");
        }
    }

    /** Even a large cluster shares no maps then, because all their endpoints have one rule. */
    @Test
    void countsTheConnectionsOfEachEndpointIfAskedTo() {
        for (boolean large : List.of(false, true)) {
            assertThat(added(web(), CONFIG, large)).doesNotContain("counter");
            assertThat(added(web(), COUNTING, large))
                    .contains(
                            "-ns/web/tcp/http {\nnumgen random mod 2 vmap { 0 : goto endpoint-",
                            "-ns/web/tcp/http__10.244.0.2/8080 {\nmeta l4proto tcp counter dnat to 10.244.0.2:8080\n",
                            "-ns/web/tcp/http__10.244.1.2/8080 {\nmeta l4proto tcp counter dnat to 10.244.1.2:8080\n");
            assertThat(added(web().affinity(10), COUNTING, large))
                    .contains("meta l4proto tcp counter dnat to 10.244.0.2:8080\n", "update @affinity-");
        }
    }

    private static Snapshots web() {
        return Snapshots.service("ns/web:http", "10.96.0.9", 80)
                .endpoint("10.244.0.2:8080", "n1")
                .endpoint("10.244.1.2:8080", "n2");
    }

    @Test
    void withoutEndpointsAClientIsRejectedAlsoWithSharedMaps() {
        Snapshots empty = Snapshots.service("ns/web:http", "10.96.0.9", 80);
        assertThat(added(empty, CONFIG, true)).isEqualTo("""
                elements = { 10.96.0.9 }
                elements = { 10.96.0.9 . tcp . 80 comment "ns/web:http" : goto reject-chain }
                """);
    }

    /**
     * As kube-proxy 1.36: it drops strangers to the ranges before it rejects or drops anybody for want of endpoints.
     */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            IPV4 | 198.51.100.1              | 203.0.113.0/25                       | ready    | ip saddr != 203.0.113.0/25 drop | 198.51.100.1
            IPV4 | 198.51.100.1              | 203.0.113.0/25                       | none     | ip saddr != 203.0.113.0/25 drop | 198.51.100.1
            IPV4 | 198.51.100.1              | 203.0.113.0/25                       | unready  | ip saddr != 203.0.113.0/25 drop | 198.51.100.1
            IPV4 | 198.51.100.1              | 203.0.113.0/25                       | draining | ip saddr != 203.0.113.0/25 drop | 198.51.100.1
            IPV4 | 198.51.100.1              | 203.0.113.0/25                       | remote   | ip saddr != 203.0.113.0/25 drop | 198.51.100.1
            IPV4 | 198.51.100.1,198.51.100.9 | 203.0.113.0/25                       | none     | ip saddr != 203.0.113.0/25 drop | 198.51.100.1 198.51.100.9
            IPV4 | 198.51.100.1,198.51.100.9 | 172.30.0.0/24                        | none     | ip saddr != { 172.30.0.0/24, 198.51.100.1, 198.51.100.9 } drop | 198.51.100.1 198.51.100.9
            IPV4 | 198.51.100.1,fd00:100::1  | 203.0.113.0/25                       | none     | ip saddr != 203.0.113.0/25 drop | 198.51.100.1
            IPV6 | 198.51.100.1,fd00:100::1  | 203.0.113.0/25                       | none     | ''                              | ''
            IPV6 | 198.51.100.1,fd00:100::1  | 203.0.113.0/25,fd00:113::/64         | none     | ip6 saddr != fd00:113::/64 drop | fd00:100::1
            IPV4 | 198.51.100.1              | fd00:113::/64                        | ready    | ''                              | ''
            IPV4 | 198.51.100.1              | 203.0.113.0/25,203.0.113.9/25        | ready    | ip saddr != 203.0.113.0/25 drop | 198.51.100.1
            IPV4 | 198.51.100.1              | 0.0.0.0/0                            | ready    | ''                              | ''
            IPV4 | 198.51.100.1              | 203.0.113.0/25,0.0.0.0/0             | ready    | ''                              | ''
            IPV4 | 198.51.100.1              | 10.1.2.3/0,203.0.113.0/25            | none     | ''                              | ''
            IPV4 | 198.51.100.1              | 203.0.113.0/25,::/0                  | ready    | ip saddr != 203.0.113.0/25 drop | 198.51.100.1
            IPV6 | 198.51.100.1,fd00:100::1  | 203.0.113.0/25,fd00:113::/64,::/0    | ready    | ''                              | ''
            IPV6 | 198.51.100.1,fd00:100::1  | fd00:113::/64,0.0.0.0/0              | ready    | ip6 saddr != fd00:113::/64 drop | fd00:100::1
            IPV4 | ''                        | 203.0.113.0/25                       | none     | ''                              | ''
            """)
    void sourceRangesNeedNoEndpointsAndAreNoneIfTheyAdmitEverybody(
            IpFamily family, String ips, String ranges, String endpoints, String firewall, String guarded) {
        Snapshots web = Snapshots.service("ns/web:http", "10.96.0.9,fd00:96::9", 80)
                .nodePort(30001)
                .externalIps("192.0.2.1,2001:db8::1")
                .sourceRanges(ranges)
                .node("n1", "172.30.0.1,fd00:30::1", "");
        if (!ips.isEmpty()) {
            web.loadBalancerIps(ips);
        }
        for (String pod : List.of("10.244.0.2:80", "[fd00:244::2]:80")) {
            switch (endpoints) {
                case "ready" -> web.endpoint(pod, "n1");
                case "unready" -> web.unreadyEndpoint(pod, "n1");
                case "draining" -> web.drainingEndpoint(pod, "n1");
                case "remote" -> web.externalTrafficLocal().endpoint(pod, "n2");
                default -> {}
            }
        }
        NftTableState table = NftablesRules.of(web.build(), NftablesContext.of(web.build(), CONFIG, family, false));
        assertThat(table.chains().values().stream()
                        .filter(chain -> chain.chain().name().equals("firewall-Y6QD5CCT-ns/web/tcp/http"))
                        .flatMap(chain -> chain.rules().stream())
                        .map(rule -> NftText.rule(NftablesRules.table(family).family(), rule)))
                .containsExactlyElementsOf(firewall.isEmpty() ? List.of() : List.of(firewall));
        NftTableState.Elements map = Objects.requireNonNull(table.sets().get("firewall-ips"));
        assertThat(map.elements().values().stream()
                        .map(element -> NftText.element(map.set(), element))
                        .sorted())
                .containsExactlyElementsOf(Stream.of(guarded.split(" ", -1))
                        .filter(ip -> !ip.isEmpty())
                        .map(ip -> ip + " . tcp . 80 : goto firewall-Y6QD5CCT-ns/web/tcp/http")
                        .toList());
    }

    @Test
    void recognisesPodsByLink() {
        assertThat(text(ServiceSnapshot.EMPTY, config(DetectLocal.bridgeInterface("cni0")), IPV6))
                .contains("ip6 daddr @cluster-ips iifname != \"cni0\" meta mark set meta mark | 0x00004000");
        assertThat(text(ServiceSnapshot.EMPTY, config(DetectLocal.interfaceNamePrefix("veth")), IPV6))
                .contains("ip6 daddr @cluster-ips iifname != \"veth*\" meta mark set meta mark | 0x00004000");
        assertThat(text(
                        web().nodePort(30001).externalTrafficLocal().build(),
                        config(DetectLocal.interfaceNamePrefix("veth")),
                        IPV4))
                .contains("iifname \"veth*\" goto service-")
                .contains("comment \"short-circuit pod traffic\"");
    }

    private static NftablesConfig config(DetectLocal detectLocal) {
        return CONFIG.with(draft -> draft.detectLocal = detectLocal);
    }

    private static String text(ServiceSnapshot snapshot, NftablesConfig config, IpFamily family) {
        return text(snapshot, config, family, false);
    }

    @Test
    void servesNodePortsOnNodesOwnAddress() {
        ServiceSnapshot snapshot = web().node("n1", "172.30.0.1,fd00:30::1", "").build();
        List<IpAddress> host =
                List.of(IpAddress.parse("127.0.0.1"), IpAddress.parse("172.30.0.1"), IpAddress.parse("10.244.0.1"));
        NftablesConfig primary = CONFIG.with(draft -> draft.hostAddresses = host);
        assertThat(text(snapshot, primary, IPV4)).contains("elements = { 172.30.0.1 }");
        NftablesConfig all =
                primary.with(draft -> draft.nodePortAddresses = NodePortAddresses.parse(List.of("0.0.0.0/0")));
        assertThat(text(snapshot, all, IPV4))
                .contains(
                        "fib daddr type local ip daddr != 127.0.0.0/8 meta l4proto . th dport vmap @service-nodeports")
                .doesNotContain("nodeport-ips");
        NftablesConfig two = primary.with(
                draft -> draft.nodePortAddresses = NodePortAddresses.parse(List.of("127.0.0.0/8", "10.244.0.0/16")));
        assertThat(text(snapshot, two, IPV4)).contains("elements = { 10.244.0.1 }");
    }

    @Test
    void contextTellsWhetherAllRulesAreDue() {
        ServiceSnapshot before = web().node("n1", "172.30.0.1", "").build();
        ServiceSnapshot moved = web().node("n1", "172.30.0.9", "").build();
        NftablesContext context = NftablesContext.of(before, CONFIG, IPV4, false);
        assertThat(NftablesContext.of(before, CONFIG, IPV4, false)).isEqualTo(context);
        assertThat(NftablesContext.of(moved, CONFIG, IPV4, false)).isNotEqualTo(context);
        assertThat(NftablesContext.of(before, CONFIG, IPV4, true)).isNotEqualTo(context);
        // A new link of a pod does not change the addresses of node ports.
        List<IpAddress> host = List.of(IpAddress.parse("172.30.0.1"), IpAddress.parse("10.244.0.1"));
        assertThat(NftablesContext.of(before, CONFIG.with(draft -> draft.hostAddresses = host), IPV4, false))
                .isEqualTo(context);
    }
}
