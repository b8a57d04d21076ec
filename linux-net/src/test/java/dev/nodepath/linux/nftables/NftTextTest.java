package dev.nodepath.linux.nftables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.MacAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class NftTextTest {
    private static final NftTable TABLE = new NftTable(NftFamily.IPV4, "t");
    private static final List<NftDatatype> FRONTEND =
            List.of(NftDatatype.IPV4_ADDR, NftDatatype.INET_PROTO, NftDatatype.INET_SERVICE);

    @Test
    void writesTableAsNftListsIt() {
        NftSet map = new NftSet(TABLE, "m", FRONTEND, List.of(NftDatatype.VERDICT), "a map");
        NftValue web = NftValue.of(IpAddress.parse("10.96.0.9"), 6, 80);
        NftValue dns = NftValue.of(IpAddress.parse("10.96.0.10"), 17, 53);
        NftSet clients = new NftSet(TABLE, "s", List.of(NftDatatype.IPV4_ADDR), List.of(), Duration.ofMinutes(10), "");
        NftChain base = new NftChain(TABLE, "z", Optional.of(NftChain.Hook.of("nat", "prerouting", -110)));
        NftChain regular = new NftChain(TABLE, "a", Optional.empty(), "a chain");
        NftTableState state = new NftTableState(
                TABLE,
                "a table",
                new TreeMap<>(Map.of(
                        "a",
                        new NftTableState.Chain(regular, List.of(new NftRule(List.of(NftVerdict.DROP), "a rule"))),
                        "z",
                        new NftTableState.Chain(base, List.of(new NftRule(List.of(NftVerdict.jump("a")), ""))))),
                new TreeMap<>(Map.of(
                        "s",
                        new NftTableState.Elements(clients, Map.of()),
                        "m",
                        new NftTableState.Elements(
                                map,
                                Map.of(
                                        dns,
                                        new NftElement(dns, Optional.of(NftVerdict.DROP), "ns/dns:dns"),
                                        web,
                                        NftElement.of(web, NftVerdict.to("a")))))));
        assertThat(NftText.table(state)).isEqualTo("""
                table ip t {
                \tcomment "a table"
                \tmap m {
                \t\ttype ipv4_addr . inet_proto . inet_service : verdict
                \t\tcomment "a map"
                \t\telements = { 10.96.0.9 . tcp . 80 : goto a,
                \t\t\t     10.96.0.10 . udp . 53 comment "ns/dns:dns" : drop }
                \t}

                \tset s {
                \t\ttype ipv4_addr
                \t\tsize 65535
                \t\tflags dynamic,timeout
                \t\ttimeout 10m
                \t}

                \tchain z {
                \t\ttype nat hook prerouting priority dstnat - 10; policy accept;
                \t\tjump a
                \t}

                \tchain a {
                \t\tcomment "a chain"
                \t\tdrop comment "a rule"
                \t}
                }
                """);
    }

    @ParameterizedTest
    @CsvSource({
        "ip, prerouting, -100, dstnat",
        "ip, prerouting, -110, dstnat - 10",
        "ip, prerouting, -111, -111",
        "ip6, prerouting, -95, dstnat + 5",
        "ip, output, -100, -100",
        "ip, output, 0, filter",
        "inet, postrouting, 100, srcnat",
        "ip, input, 100, 100",
        "ip, prerouting, -300, raw",
        "bridge, prerouting, -300, dstnat",
        "bridge, forward, -200, filter"
    })
    void namesPriorityWhereNftDoes(String family, String hook, int priority, String expected) {
        NftTable table = new NftTable(
                Stream.of(NftFamily.values())
                        .filter(each -> each.toString().equals(family))
                        .findFirst()
                        .orElseThrow(),
                "t");
        NftChain chain = new NftChain(table, "c", Optional.of(NftChain.Hook.of("filter", hook, priority)));
        NftTableState state = new NftTableState(
                table, "", new TreeMap<>(Map.of("c", new NftTableState.Chain(chain, List.of()))), new TreeMap<>());
        assertThat(NftText.table(state)).contains("hook " + hook + " priority " + expected + "; policy accept;");
    }

    @ParameterizedTest
    @CsvSource({"1000, 1s", "600000, 10m", "10800000, 3h", "86400000, 1d", "90061001, 1d1h1m1s1ms"})
    void writesTimeoutInUnits(long millis, String expected) {
        NftSet set = new NftSet(TABLE, "s", List.of(NftDatatype.IPV4_ADDR), List.of(), Duration.ofMillis(millis), "");
        NftTableState state = new NftTableState(
                TABLE, "", new TreeMap<>(), new TreeMap<>(Map.of("s", new NftTableState.Elements(set, Map.of()))));
        assertThat(NftText.table(state)).contains("\t\ttimeout " + expected + "\n");
    }

    @ParameterizedTest
    @MethodSource
    void writesStatementsOfIpv4(NftStatement statement, String expected) {
        assertThat(NftText.statement(NftFamily.IPV4, statement)).isEqualTo(expected);
    }

    static Stream<Arguments> writesStatementsOfIpv4() {
        List<NftField> frontend = List.of(NftField.DESTINATION_ADDRESS, NftField.PROTOCOL, NftField.DESTINATION_PORT);
        IpAddress pod = IpAddress.parse("10.244.0.7");
        NftStatement.Destination first = new NftStatement.Destination(pod, 8080);
        NftStatement.Destination second = new NftStatement.Destination(pod.plus(1), 8081);
        return Stream.of(
                arguments(new NftStatement.NewConnection(), "ct state new"),
                arguments(new NftStatement.KnownConnection(), "ct state established,related"),
                arguments(new NftStatement.Log(44), "log group 44"),
                arguments(new NftStatement.NoTcpStart(), "tcp flags != syn / syn,ack"),
                arguments(new NftStatement.Untracked(), "ct state untracked"),
                arguments(new NftStatement.DestinationPorts(6, 80, 65_535), "tcp dport 80-65535"),
                arguments(new NftStatement.DestinationTranslated(), "ct status dnat"),
                arguments(new NftStatement.AddressLocal(NftField.SOURCE_ADDRESS), "fib saddr type local"),
                arguments(new NftStatement.AddressLocal(NftField.DESTINATION_ADDRESS), "fib daddr type local"),
                arguments(new NftStatement.DestinationBroadcast(), "fib daddr type broadcast"),
                arguments(new NftStatement.MarkHas(0x4000), "meta mark & 0x00004000 != 0x00000000"),
                arguments(new NftStatement.MarkSet(0x4000), "meta mark set meta mark | 0x00004000"),
                arguments(new NftStatement.MarkToggle(1 << 31), "meta mark set meta mark ^ 0x80000000"),
                arguments(new NftStatement.Masquerade(), "masquerade"),
                arguments(new NftStatement.Masquerade(true), "masquerade fully-random"),
                arguments(new NftStatement.Reject(), "reject"),
                arguments(new NftStatement.Counter(), "counter"),
                arguments(new NftStatement.TraceOn(), "meta nftrace set 1"),
                arguments(NftVerdict.RETURN, "return"),
                arguments(NftVerdict.to("c/d"), "goto c/d"),
                arguments(new NftStatement.Protocol(132), "meta l4proto sctp"),
                arguments(new NftStatement.Protocol(200), "meta l4proto 200"),
                arguments(new NftStatement.InputInterface("veth*", true), "iifname != \"veth*\""),
                arguments(
                        new NftStatement.EtherSource(MacAddress.parse("02:00:00:00:00:01")),
                        "ether saddr 02:00:00:00:00:01"),
                arguments(source(true, "10.0.0.1/32"), "ip saddr != 10.0.0.1"),
                arguments(source(false, "10.0.0.0/8"), "ip saddr 10.0.0.0/8"),
                arguments(source(true, "10.0.0.0/8", "192.168.0.0/16"), "ip saddr != { 10.0.0.0/8, 192.168.0.0/16 }"),
                arguments(
                        source(true, "10.0.1.0/24", "10.0.2.0/23", "10.9.0.1/32"),
                        "ip saddr != { 10.0.1.0-10.0.3.255, 10.9.0.1 }"),
                arguments(source(true, "10.0.0.2/32", "10.0.0.1/32"), "ip saddr != { 10.0.0.1, 10.0.0.2 }"),
                arguments(source(true, "10.0.0.0/8", "10.1.0.0/16"), "ip saddr != 10.0.0.0/8"),
                arguments(
                        new NftStatement.VerdictOf(frontend, "service-ips"),
                        "ip daddr . meta l4proto . th dport vmap @service-ips"),
                arguments(
                        new NftStatement.InSet(List.of(NftField.DESTINATION_ADDRESS), "ips", true), "ip daddr != @ips"),
                arguments(
                        new NftStatement.RandomVerdict(List.of(NftVerdict.to("a"), NftVerdict.to("b"))),
                        "numgen random mod 2 vmap { 0 : goto a, 1 : goto b }"),
                arguments(new NftStatement.Dnat(first), "dnat to 10.244.0.7:8080"),
                arguments(
                        new NftStatement.RandomDnat(List.of(first, second)),
                        "dnat ip to numgen random mod 2 map { 0 : 10.244.0.7 . 8080, 1 : 10.244.0.8 . 8081 }"),
                arguments(
                        new NftStatement.RandomDnatOf("udp", 3, "endpoints-udp"),
                        "dnat ip to ip daddr . udp dport . numgen random mod 3 map @endpoints-udp"),
                arguments(new NftStatement.SourceByPriority("clients"), "snat to meta priority map @clients"),
                arguments(new NftStatement.Remember("s"), "update @s { ip saddr }"),
                arguments(new NftStatement.Unknown("xt"), "[xt]"));
    }

    private static NftStatement source(boolean negated, String... networks) {
        return new NftStatement.AddressIn(
                NftField.SOURCE_ADDRESS, Stream.of(networks).map(Cidr::parse).toList(), negated);
    }

    @Test
    void writesFieldsOfIpv6() {
        IpAddress pod = IpAddress.parse("fd00::7");
        assertThat(NftText.statement(NftFamily.IPV6, new NftStatement.Dnat(new NftStatement.Destination(pod, 80))))
                .isEqualTo("dnat to [fd00::7]:80");
        assertThat(NftText.statement(NftFamily.IPV6, new NftStatement.Remember("s")))
                .isEqualTo("update @s { ip6 saddr }");
        assertThat(NftText.statement(NftFamily.INET, NftStatement.destinationNotIn(Cidr.parse("ff00::/8"))))
                .isEqualTo("ip6 daddr != ff00::/8");
    }

    @Test
    void writesIndexOfSharedMapAsNumber() {
        NftSet map = new NftSet(
                TABLE,
                "m",
                List.of(NftDatatype.IPV4_ADDR, NftDatatype.INET_SERVICE, NftDatatype.INTEGER),
                List.of(NftDatatype.IPV4_ADDR, NftDatatype.INET_SERVICE),
                "");
        NftElement element = NftElement.of(
                NftValue.of(IpAddress.parse("10.96.0.1"), 65535).and(NftValue.of(258)),
                NftValue.of(IpAddress.parse("10.244.0.1"), 8080));
        assertThat(NftText.element(map, element)).isEqualTo("10.96.0.1 . 65535 . 258 : 10.244.0.1 . 8080");
    }
}
