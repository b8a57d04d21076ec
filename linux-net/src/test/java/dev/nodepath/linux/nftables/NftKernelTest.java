package dev.nodepath.linux.nftables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.linux.address.AddressRange;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.address.MacAddress;
import dev.nodepath.linux.nftables.NftStatement.Destination;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The listings of our tables by {@code nft}: in its own words, which it also loads. */
@Tag("netns")
class NftKernelTest {
    private static final NftTable IPV4 = new NftTable(NftFamily.IPV4, "t");
    private static final NftTable IPV6 = new NftTable(NftFamily.IPV6, "t");
    private static final List<NftField> SERVICE =
            List.of(NftField.DESTINATION_ADDRESS, NftField.PROTOCOL, NftField.DESTINATION_PORT);
    private static final List<NftField> NODE_PORT = List.of(NftField.PROTOCOL, NftField.DESTINATION_PORT);
    private static final List<NftField> HAIRPIN = List.of(
            NftField.SOURCE_ADDRESS, NftField.DESTINATION_ADDRESS, NftField.PROTOCOL, NftField.DESTINATION_PORT);

    @SuppressWarnings("NullAway.Init") // lives from @BeforeEach to @AfterEach
    private NftNamespace near;

    @SuppressWarnings("NullAway.Init")
    private NftNamespace far;

    @BeforeEach
    void create() throws LinuxNetException {
        near = NftNamespace.create();
        far = NftNamespace.create();
    }

    @AfterEach
    void delete() throws LinuxNetException {
        near.close();
        far.close();
    }

    /** A rule and the text that {@code nft} has for it. */
    private record Line(String text, NftRule rule) {
        static Line of(String text, NftStatement... statements) {
            return new Line(text, new NftRule(List.of(statements), ""));
        }
    }

    @Test
    void listsEachStatementInIpv4() throws Exception {
        List<Line> lines = new ArrayList<>(List.of(
                Line.of("ip saddr 10.0.0.0/12 accept", from("10.0.0.0/12"), NftVerdict.ACCEPT),
                Line.of("ip saddr 10.0.0.0/8 accept", from("10.0.0.0/8"), NftVerdict.ACCEPT),
                Line.of("ip saddr 0.0.0.0/0 accept", from("0.0.0.0/0"), NftVerdict.ACCEPT),
                Line.of("ip saddr != 0.0.0.0/0 drop", notFrom("0.0.0.0/0"), NftVerdict.DROP),
                Line.of("ip saddr != 10.1.2.3 drop", notFrom("10.1.2.3/32"), NftVerdict.DROP),
                Line.of(
                        "ip saddr != { 10.0.0.0/8, 192.168.1.0/24 } drop",
                        notFrom("192.168.1.0/24", "10.0.0.0/8"),
                        NftVerdict.DROP),
                Line.of("ip saddr { 1.2.3.4, 1.2.3.5 } return", from("1.2.3.5/32", "1.2.3.4/32"), NftVerdict.RETURN),
                Line.of("ip saddr { 0.0.0.0/8, 255.0.0.0/8 }", from("255.0.0.0/8", "0.0.0.0/8")),
                Line.of("ip saddr { 1.2.3.4/31, 10.0.0.0/8 }", from("10.0.0.0/8", "1.2.3.5/32", "1.2.3.4/32")),
                Line.of("ip saddr 10.0.0.0/24", from("10.0.0.128/25", "10.0.0.0/25")),
                Line.of("ip saddr 10.0.0.0/8", from("10.0.0.0/8", "10.1.0.0/16", "10.1.2.3/32")),
                Line.of(
                        "ip saddr { 10.0.0.128-10.0.1.127, 12.0.0.0/8 }",
                        from("12.0.0.0/8", "10.0.0.128/25", "10.0.1.0/25")),
                Line.of("ip saddr 0.0.0.0/0", from("0.0.0.0/0", "10.0.0.0/8")),
                Line.of("ip daddr 10.96.0.0/12", NftStatement.destinationIn(Cidr.parse("10.96.0.0/12"))),
                Line.of("ip daddr != 127.0.0.0/8", NftStatement.destinationNotIn(Cidr.parse("127.0.0.0/8"))),
                Line.of(
                        "ip daddr @addresses",
                        new NftStatement.InSet(List.of(NftField.DESTINATION_ADDRESS), "addresses")),
                Line.of(
                        "ip saddr != @addresses",
                        new NftStatement.InSet(List.of(NftField.SOURCE_ADDRESS), "addresses", true)),
                Line.of(
                        "ip saddr . ip daddr . meta l4proto . th dport @hairpins",
                        new NftStatement.InSet(HAIRPIN, "hairpins")),
                Line.of(
                        "ip daddr . meta l4proto . th dport vmap @services",
                        new NftStatement.VerdictOf(SERVICE, "services")),
                Line.of(
                        "meta l4proto tcp dnat to 10.1.2.3:8080",
                        new NftStatement.Protocol(6),
                        new NftStatement.Dnat(to("10.1.2.3", 8080))),
                Line.of(
                        "meta l4proto udp dnat ip to numgen random mod 1 map { 0 : 10.1.2.3 . 53 }",
                        new NftStatement.Protocol(17),
                        new NftStatement.RandomDnat(List.of(to("10.1.2.3", 53)))),
                Line.of(
                        "meta l4proto sctp dnat ip to numgen random mod 2 map { 0 : 10.1.2.3 . 1, 1 : 10.1.2.3 . 65535 }",
                        new NftStatement.Protocol(132),
                        new NftStatement.RandomDnat(List.of(to("10.1.2.3", 1), to("10.1.2.3", 65_535)))),
                Line.of("update @affinity { ip saddr }", new NftStatement.Remember("affinity"))));
        lines.addAll(ofBothFamilies());
        applyAndCompare(IPV4, lines, """
                table ip t {
                	set addresses {
                		type ipv4_addr
                		comment "some addresses"
                		elements = { 10.1.2.3 }
                	}

                	set hairpins {
                		type ipv4_addr . ipv4_addr . inet_proto . inet_service
                		elements = { 10.1.2.3 . 10.1.2.3 . tcp . 80 }
                	}

                	map services {
                		type ipv4_addr . inet_proto . inet_service : verdict
                		elements = { 10.1.2.3 . tcp . 80 comment "a comment" : goto other }
                	}

                	map node-ports {
                		type inet_proto . inet_service : verdict
                		elements = { sctp . 65535 : drop }
                	}

                	set affinity {
                		type ipv4_addr
                		size 65535
                		flags dynamic,timeout
                		timeout 3h
                	}

                """);
    }

    @Test
    void listsEachStatementInIpv6() throws Exception {
        List<Line> lines = new ArrayList<>(List.of(
                Line.of("ip6 saddr fd00::/61 accept", from("fd00::/61"), NftVerdict.ACCEPT),
                Line.of("ip6 saddr fd00::/64 accept", from("fd00::/64"), NftVerdict.ACCEPT),
                Line.of("ip6 saddr ::/0 accept", from("::/0"), NftVerdict.ACCEPT),
                Line.of("ip6 saddr != { 2000::/3, fd00::/8 } drop", notFrom("fd00::/8", "2000::/3"), NftVerdict.DROP),
                Line.of("ip6 saddr { ::1, fd00::1 }", from("fd00::1/128", "::1/128")),
                Line.of("ip6 saddr { ::/3, ff00::/8 }", from("ff00::/8", "::/3")),
                Line.of("ip6 daddr != ::1", NftStatement.destinationNotIn(Cidr.parse("::1/128"))),
                Line.of(
                        "ip6 daddr @addresses",
                        new NftStatement.InSet(List.of(NftField.DESTINATION_ADDRESS), "addresses")),
                Line.of(
                        "ip6 saddr . ip6 daddr . meta l4proto . th dport @hairpins",
                        new NftStatement.InSet(HAIRPIN, "hairpins")),
                Line.of(
                        "ip6 daddr . meta l4proto . th dport vmap @services",
                        new NftStatement.VerdictOf(SERVICE, "services")),
                Line.of(
                        "meta l4proto tcp dnat to [fd00::1]:8080",
                        new NftStatement.Protocol(6),
                        new NftStatement.Dnat(to("fd00::1", 8080))),
                Line.of(
                        "meta l4proto tcp dnat ip6 to numgen random mod 2 map { 0 : fd00::1 . 80, 1 : fd00::2 . 80 }",
                        new NftStatement.Protocol(6),
                        new NftStatement.RandomDnat(List.of(to("fd00::1", 80), to("fd00::2", 80)))),
                Line.of("update @affinity { ip6 saddr }", new NftStatement.Remember("affinity"))));
        lines.addAll(ofBothFamilies());
        applyAndCompare(IPV6, lines, """
                table ip6 t {
                	set addresses {
                		type ipv6_addr
                		comment "some addresses"
                		elements = { fd00::1 }
                	}

                	set hairpins {
                		type ipv6_addr . ipv6_addr . inet_proto . inet_service
                		elements = { fd00::1 . fd00::1 . tcp . 80 }
                	}

                	map services {
                		type ipv6_addr . inet_proto . inet_service : verdict
                		elements = { fd00::1 . tcp . 80 comment "a comment" : goto other }
                	}

                	map node-ports {
                		type inet_proto . inet_service : verdict
                		elements = { sctp . 65535 : drop }
                	}

                	set affinity {
                		type ipv6_addr
                		size 65535
                		flags dynamic,timeout
                		timeout 3h
                	}

                """);
    }

    @Test
    void listsSharedEndpointMapsWithTheTypesOfTheirFields() throws Exception {
        NftSet endpoints = new NftSet(
                IPV4,
                "endpoints-tcp",
                List.of(NftDatatype.IPV4_ADDR, NftDatatype.INET_SERVICE, NftDatatype.INTEGER),
                List.of(NftDatatype.IPV4_ADDR, NftDatatype.INET_SERVICE),
                "endpoints by address");
        NftSet endpoints6 = new NftSet(
                IPV6,
                "endpoints-udp",
                List.of(NftDatatype.IPV6_ADDR, NftDatatype.INET_SERVICE, NftDatatype.INTEGER),
                List.of(NftDatatype.IPV6_ADDR, NftDatatype.INET_SERVICE),
                "");
        NftValue service = NftValue.of(IpAddress.parse("10.96.0.1"), 80);
        TableBuilder builder = new TableBuilder(IPV4, "")
                .set(
                        endpoints,
                        NftElement.of(service.and(NftValue.of(0)), NftValue.of(IpAddress.parse("10.1.2.3"), 8080)))
                .chain(
                        new NftChain(IPV4, "lb-2", Optional.empty()),
                        rule(new NftStatement.Protocol(6), new NftStatement.RandomDnatOf("tcp", 2, "endpoints-tcp")),
                        rule(new NftStatement.Protocol(17), new NftStatement.RandomDnatOf("udp", 2, "endpoints-tcp")),
                        rule(
                                new NftStatement.Protocol(132),
                                new NftStatement.RandomDnatOf("sctp", 2, "endpoints-tcp")));
        TableBuilder builder6 = new TableBuilder(IPV6, "")
                .set(endpoints6)
                .chain(
                        new NftChain(IPV6, "lb-300", Optional.empty()),
                        rule(
                                new NftStatement.Protocol(17),
                                new NftStatement.RandomDnatOf("udp", 300, "endpoints-udp")));
        near.tables().apply(builder.creation());
        near.tables().apply(builder6.creation());
        String text = """
                table ip t {
                	map endpoints-tcp {
                		typeof ip daddr . th dport . numgen random mod 2 : ip daddr . th dport
                		comment "endpoints by address"
                		elements = { 10.96.0.1 . 80 . 0 : 10.1.2.3 . 8080 }
                	}

                	chain lb-2 {
                		dnat ip to ip daddr . tcp dport . numgen random mod 2 map @endpoints-tcp
                		dnat ip to ip daddr . udp dport . numgen random mod 2 map @endpoints-tcp
                		dnat ip to ip daddr . sctp dport . numgen random mod 2 map @endpoints-tcp
                	}
                }
                table ip6 t {
                	map endpoints-udp {
                		typeof ip6 daddr . th dport . numgen random mod 2 : ip6 daddr . th dport
                	}

                	chain lb-300 {
                		dnat ip6 to ip6 daddr . udp dport . numgen random mod 300 map @endpoints-udp
                	}
                }
                """;
        assertListing(builder.build(), text);
        assertThat(far.tables().read(IPV6)).contains(builder6.build());
    }

    /** A set of networks stays as it is while a rule asks it. */
    @Test
    void listsASetOfNetworksThatNobodyChanges() throws Exception {
        NftDatatype address = NftDatatype.IPV4_ADDR;
        NftSet networks = NftSet.ofRanges(
                IPV4,
                "networks",
                address,
                AddressRange.of(cidrs("192.0.2.0/24", "10.0.0.0/8", "11.0.0.0/9", "255.255.255.255/32")));
        NftSet addresses =
                NftSet.ofRanges(IPV4, "singles", address, AddressRange.of(cidrs("192.0.2.3/32", "192.0.2.1/32")));
        TableBuilder builder = new TableBuilder(IPV4, "")
                .set(networks)
                .set(addresses)
                .chain(
                        new NftChain(IPV4, "rules", Optional.empty()),
                        rule(new NftStatement.InSet(List.of(NftField.SOURCE_ADDRESS), "networks"), NftVerdict.ACCEPT),
                        rule(new NftStatement.InSet(List.of(NftField.SOURCE_ADDRESS), "singles", true)));
        near.tables().apply(builder.creation());

        assertListing(builder.build(), """
                table ip t {
                	set networks {
                		type ipv4_addr
                		flags constant,interval
                		elements = { 10.0.0.0-11.127.255.255, 192.0.2.0/24,
                			     255.255.255.255 }
                	}

                	set singles {
                		type ipv4_addr
                		flags constant
                		elements = { 192.0.2.1, 192.0.2.3 }
                	}

                	chain rules {
                		ip saddr @networks accept
                		ip saddr != @singles
                	}
                }
                """);
        assertThatThrownBy(() -> near.nft("add", "element", "ip", "t", "singles", "{ 192.0.2.5 }"))
                .hasMessageContaining("busy");
    }

    /** {@code nft} of 2022 lists such a rule, but takes it only behind a match of the protocol. */
    @Test
    void listsTheTranslationToAPortOfAMap() throws Exception {
        NftSet ports = new NftSet(
                IPV4, "portals", types(SERVICE, IpFamily.IPV4), List.of(NftDatatype.INET_SERVICE), "portals");
        NftSet ports6 =
                new NftSet(IPV6, "nodeports", types(NODE_PORT, IpFamily.IPV6), List.of(NftDatatype.INET_SERVICE), "");
        TableBuilder builder = new TableBuilder(IPV4, "")
                .set(ports, NftElement.of(NftValue.of(IpAddress.parse("10.96.0.1"), 6, 80), NftValue.ofPort(8080)))
                .chain(
                        new NftChain(IPV4, "nat", Optional.of(NftChain.Hook.of("nat", "prerouting", -105))),
                        rule(new NftStatement.PortOf(Optional.empty(), SERVICE, "portals")),
                        rule(new NftStatement.PortOf(Optional.of(IpAddress.parse("172.18.0.2")), SERVICE, "portals")));
        TableBuilder builder6 = new TableBuilder(IPV6, "")
                .set(ports6, NftElement.of(NftValue.of(17, 30_053), NftValue.ofPort(53)))
                .chain(
                        new NftChain(IPV6, "nat", Optional.of(NftChain.Hook.of("nat", "output", -99))),
                        rule(new NftStatement.PortOf(Optional.empty(), NODE_PORT, "nodeports")),
                        rule(new NftStatement.PortOf(Optional.of(IpAddress.parse("fd00::2")), NODE_PORT, "nodeports")));
        near.tables().apply(builder.creation());
        near.tables().apply(builder6.creation());

        assertThat(near.listing()).isEqualTo("""
                table ip t {
                	map portals {
                		type ipv4_addr . inet_proto . inet_service : inet_service
                		comment "portals"
                		elements = { 10.96.0.1 . tcp . 80 : 8080 }
                	}

                	chain nat {
                		type nat hook prerouting priority dstnat - 5; policy accept;
                		redirect to :ip daddr . meta l4proto . th dport map @portals
                		dnat to 172.18.0.2:ip daddr . meta l4proto . th dport map @portals
                	}
                }
                table ip6 t {
                	map nodeports {
                		type inet_proto . inet_service : inet_service
                		elements = { udp . 30053 : 53 }
                	}

                	chain nat {
                		type nat hook output priority -99; policy accept;
                		redirect to :meta l4proto . th dport map @nodeports
                		dnat to [fd00::2]:meta l4proto . th dport map @nodeports
                	}
                }
                """);
        assertThat(near.tables().read(IPV4)).contains(builder.build());
        assertThat(near.tables().read(IPV6)).contains(builder6.build());
    }

    @Test
    void listsTranslationsOfSourcesByPriority() throws Exception {
        NftSet clients =
                new NftSet(IPV4, "clients", List.of(NftDatatype.CLASSID), List.of(NftDatatype.IPV4_ADDR), "by number");
        NftSet clients6 = new NftSet(IPV6, "clients", List.of(NftDatatype.CLASSID), List.of(NftDatatype.IPV6_ADDR), "");
        NftRule rule = rule(new NftStatement.SourceByPriority("clients"));
        NftChain.Hook where = NftChain.Hook.of("nat", "postrouting", 95);
        TableBuilder builder = new TableBuilder(IPV4, "")
                .set(clients, NftElement.of(NftValue.of(0x1234_5670), NftValue.of(IpAddress.parse("10.1.2.3"))))
                .chain(new NftChain(IPV4, "nat", Optional.of(where)), rule);
        TableBuilder builder6 = new TableBuilder(IPV6, "")
                .set(clients6, NftElement.of(NftValue.of(0xABC0), NftValue.of(IpAddress.parse("fd00::3"))))
                .chain(new NftChain(IPV6, "nat", Optional.of(where)), rule);
        near.tables().apply(builder.creation());
        near.tables().apply(builder6.creation());

        assertThat(near.listing()).isEqualTo("""
                table ip t {
                	map clients {
                		type classid : ipv4_addr
                		comment "by number"
                		elements = { 1234:5670 : 10.1.2.3 }
                	}

                	chain nat {
                		type nat hook postrouting priority srcnat - 5; policy accept;
                		snat to meta priority map @clients
                	}
                }
                table ip6 t {
                	map clients {
                		type classid : ipv6_addr
                		elements = { 0:abc0 : fd00::3 }
                	}

                	chain nat {
                		type nat hook postrouting priority srcnat - 5; policy accept;
                		snat to meta priority map @clients
                	}
                }
                """);
        assertThat(near.tables().read(IPV4)).contains(builder.build());
        assertThat(near.tables().read(IPV6)).contains(builder6.build());
        assertThat(NftText.table(builder.build()) + NftText.table(builder6.build()))
                .isEqualTo(near.listing());
    }

    /** {@code nft} 1.0.6 lists the targets of neighbour messages, and does not load them. */
    @Test
    void listsMatchesOfFrames() throws Exception {
        NftTable bridge = new NftTable(NftFamily.BRIDGE, "t");
        NftSet ports = new NftSet(bridge, "ports", List.of(NftDatatype.IFNAME), List.of(NftDatatype.VERDICT), "");
        List<NftDatatype> frame = List.of(NftDatatype.IFNAME, NftDatatype.ETHER_ADDR);
        NftSet macs = new NftSet(bridge, "macs", frame, List.of(), "");
        NftSet ipv4 = new NftSet(bridge, "ipv4", with(frame, NftDatatype.IPV4_ADDR), List.of(), "");
        NftSet ipv6 = new NftSet(bridge, "ipv6", with(frame, NftDatatype.IPV6_ADDR), List.of(), "");
        NftValue port = NftValue.ofLink("veth0");
        NftValue source = port.and(NftValue.of(MacAddress.parse("02:00:00:00:00:01")));
        TableBuilder builder = new TableBuilder(bridge, "")
                .set(ipv4, NftElement.of(source.and(NftValue.of(IpAddress.parse("10.1.2.3")))))
                .set(ipv6, NftElement.of(source.and(NftValue.of(IpAddress.parse("fd00::3")))))
                .set(macs, NftElement.of(source))
                .set(ports, new NftElement(port, Optional.of(NftVerdict.to("sources")), "a pod"))
                .chain(
                        new NftChain(bridge, "prerouting", Optional.of(NftChain.Hook.BRIDGE_PREROUTING)),
                        rule(new NftStatement.VerdictOf(List.of(NftField.INPUT_INTERFACE), "ports")))
                .chain(
                        new NftChain(bridge, "others", Optional.empty()),
                        rule(in("macs", NftField.INPUT_INTERFACE, NftField.ETHER_SOURCE), NftVerdict.ACCEPT),
                        rule(from("::/128"), NftStatement.Icmpv6Type.NEIGHBOUR_SOLICITATION, NftVerdict.DROP),
                        rule(new NftStatement.Icmpv6Type(200), new NftStatement.Counter()))
                .chain(
                        new NftChain(bridge, "sources", Optional.empty()),
                        rule(
                                in("ipv4", NftField.INPUT_INTERFACE, NftField.ETHER_SOURCE, NftField.SOURCE_ADDRESS),
                                NftVerdict.ACCEPT),
                        rule(NftStatement.Icmpv6Type.NEIGHBOUR_ADVERTISEMENT, NftVerdict.to("others")),
                        rule(
                                in(
                                        "ipv6",
                                        NftField.INPUT_INTERFACE,
                                        NftField.ETHER_SOURCE,
                                        NftField.IPV6_SOURCE_ADDRESS),
                                NftVerdict.ACCEPT),
                        rule(
                                in(
                                        "ipv4",
                                        NftField.INPUT_INTERFACE,
                                        NftField.ARP_SENDER_ETHER,
                                        NftField.ARP_SENDER_ADDRESS),
                                in(
                                        "ipv4",
                                        NftField.INPUT_INTERFACE,
                                        NftField.ETHER_SOURCE,
                                        NftField.ARP_SENDER_ADDRESS),
                                NftVerdict.ACCEPT));
        near.tables().apply(builder.creation());
        String text = """
                table bridge t {
                	set ipv4 {
                		type ifname . ether_addr . ipv4_addr
                		elements = { "veth0" . 02:00:00:00:00:01 . 10.1.2.3 }
                	}

                	set ipv6 {
                		type ifname . ether_addr . ipv6_addr
                		elements = { "veth0" . 02:00:00:00:00:01 . fd00::3 }
                	}

                	set macs {
                		type ifname . ether_addr
                		elements = { "veth0" . 02:00:00:00:00:01 }
                	}

                	map ports {
                		type ifname : verdict
                		elements = { "veth0" comment "a pod" : goto sources }
                	}

                	chain prerouting {
                		type filter hook prerouting priority dstnat; policy accept;
                		iifname vmap @ports
                	}

                	chain others {
                		iifname . ether saddr @macs accept
                		ip6 saddr :: icmpv6 type nd-neighbor-solicit drop
                		icmpv6 type 200 counter
                	}

                	chain sources {
                		iifname . ether saddr . ip saddr @ipv4 accept
                		icmpv6 type nd-neighbor-advert goto others
                		iifname . ether saddr . ip6 saddr @ipv6 accept
                		iifname . arp saddr ether . arp saddr ip @ipv4 iifname . ether saddr . arp saddr ip @ipv4 accept
                	}
                }
                """;
        assertThat(near.listing()).isEqualTo(text);
        assertThat(near.tables().read(bridge)).contains(builder.build());
        far.load(text);
        assertThat(far.listing()).isEqualTo(text);
        assertThat(far.tables().read(bridge)).contains(builder.build());
        near.tables()
                .apply(NftTransaction.of(List.of(new NftChange.AddRule(
                        new NftChain(bridge, "others", Optional.empty()),
                        rule(
                                NftStatement.Icmpv6Type.NEIGHBOUR_ADVERTISEMENT,
                                in(
                                        "ipv6",
                                        NftField.INPUT_INTERFACE,
                                        NftField.NEIGHBOUR_ETHER,
                                        NftField.NEIGHBOUR_TARGET),
                                NftVerdict.DROP)))));
        NftTableState read = near.tables().read(bridge).orElseThrow();
        assertThat(near.listing()).isEqualTo(NftText.table(read)).contains("@th,208,48 . @th,64,128 @ipv6 drop");
    }

    private static List<NftDatatype> with(List<NftDatatype> fields, NftDatatype last) {
        List<NftDatatype> all = new ArrayList<>(fields);
        all.add(last);
        return all;
    }

    private static NftStatement in(String set, NftField... key) {
        return new NftStatement.InSet(List.of(key), set);
    }

    @Test
    void listsTablesOfSeveralFamilies() throws Exception {
        NftTable inet = new NftTable(NftFamily.INET, "t");
        NftTable bridge = new NftTable(NftFamily.BRIDGE, "t");
        TableBuilder builder = new TableBuilder(inet, "a table")
                .chain(
                        new NftChain(inet, "c", Optional.of(NftChain.Hook.POSTROUTING_NAT)),
                        rule(from("10.1.2.0/24"), notTo("10.1.2.0/24"), new NftStatement.Masquerade()),
                        rule(from("fd00::/64"), notTo("fd00::/64"), new NftStatement.Masquerade()),
                        rule(notFrom("10.0.0.0/8", "12.0.0.0/9")));
        TableBuilder frames = new TableBuilder(bridge, "")
                .chain(
                        new NftChain(bridge, "c", Optional.of(NftChain.Hook.BRIDGE_PREROUTING)),
                        rule(new NftStatement.InputInterface("veth0"), NftVerdict.jump("d")))
                .chain(
                        new NftChain(bridge, "d", Optional.empty()),
                        rule(new NftStatement.EtherSource(MacAddress.parse("02:00:00:00:00:01")), NftVerdict.RETURN),
                        rule(from("10.1.2.0/24"), NftVerdict.RETURN),
                        rule(from("fd00::/64", "2000::/3"), NftVerdict.RETURN),
                        rule(NftVerdict.DROP));
        near.tables().apply(builder.creation());
        near.tables().apply(frames.creation());
        assertListing(builder.build(), """
                table inet t {
                	comment "a table"
                	chain c {
                		type nat hook postrouting priority srcnat; policy accept;
                		ip saddr 10.1.2.0/24 ip daddr != 10.1.2.0/24 masquerade
                		ip6 saddr fd00::/64 ip6 daddr != fd00::/64 masquerade
                		ip saddr != { 10.0.0.0/8, 12.0.0.0/9 }
                	}
                }
                table bridge t {
                	chain c {
                		type filter hook prerouting priority dstnat; policy accept;
                		iifname "veth0" jump d
                	}

                	chain d {
                		ether saddr 02:00:00:00:00:01 return
                		ip saddr 10.1.2.0/24 return
                		ip6 saddr { 2000::/3, fd00::/64 } return
                		drop
                	}
                }
                """);
        assertThat(far.tables().read(bridge)).contains(frames.build());
    }

    private static NftRule rule(NftStatement... statements) {
        return new NftRule(List.of(statements), "");
    }

    private static NftStatement notTo(String network) {
        return NftStatement.destinationNotIn(Cidr.parse(network));
    }

    private static List<Line> ofBothFamilies() {
        return List.of(
                Line.of("ct state new jump other", new NftStatement.NewConnection(), NftVerdict.jump("other")),
                Line.of("ct state established,related accept", new NftStatement.KnownConnection(), NftVerdict.ACCEPT),
                Line.of("ct state untracked accept", new NftStatement.Untracked(), NftVerdict.ACCEPT),
                Line.of("log group 44 drop", new NftStatement.Log(44), NftVerdict.DROP),
                Line.of("tcp flags != syn / syn,ack drop", new NftStatement.NoTcpStart(), NftVerdict.DROP),
                Line.of("tcp dport 80 accept", new NftStatement.DestinationPort(6, 80), NftVerdict.ACCEPT),
                Line.of("udp dport 80-90 accept", new NftStatement.DestinationPorts(17, 80, 90), NftVerdict.ACCEPT),
                Line.of("sctp dport 65535 accept", new NftStatement.DestinationPort(132, 65_535), NftVerdict.ACCEPT),
                Line.of("ct status dnat goto other", new NftStatement.DestinationTranslated(), NftVerdict.to("other")),
                Line.of("fib daddr type local", new NftStatement.AddressLocal(NftField.DESTINATION_ADDRESS)),
                Line.of("fib saddr type local", new NftStatement.AddressLocal(NftField.SOURCE_ADDRESS)),
                Line.of("fib daddr type broadcast drop", new NftStatement.DestinationBroadcast(), NftVerdict.DROP),
                Line.of("iifname \"eth0\"", new NftStatement.InputInterface("eth0")),
                Line.of("iifname != \"eth0\"", new NftStatement.InputInterface("eth0", true)),
                Line.of("iifname \"cali*\"", new NftStatement.InputInterface("cali*")),
                Line.of("iifname != \"a-prefix-of-14*\"", new NftStatement.InputInterface("a-prefix-of-14*", true)),
                Line.of("iifname \"a-name-of-15-by\"", new NftStatement.InputInterface("a-name-of-15-by")),
                Line.of(
                        "meta mark & 0x00004000 != 0x00000000 meta mark set meta mark ^ 0x00004000 masquerade fully-random",
                        new NftStatement.MarkHas(0x4000),
                        new NftStatement.MarkToggle(0x4000),
                        new NftStatement.Masquerade(true)),
                new Line(
                        "meta mark set meta mark | 0x80000000 comment \"masquerade\"",
                        new NftRule(List.of(new NftStatement.MarkSet(0x8000_0000)), "masquerade")),
                Line.of("masquerade", new NftStatement.Masquerade()),
                Line.of("meta nftrace set 1", new NftStatement.TraceOn()),
                Line.of(
                        "meta l4proto . th dport vmap @node-ports",
                        new NftStatement.VerdictOf(NODE_PORT, "node-ports")),
                Line.of(
                        "numgen random mod 3 vmap { 0 : goto other, 1 : drop, 2 : jump other }",
                        new NftStatement.RandomVerdict(
                                List.of(NftVerdict.to("other"), NftVerdict.DROP, NftVerdict.jump("other")))));
    }

    /** A bridge's table has neither, like a kernel without them. */
    @Test
    void namesTheExpressionThatTheKernelLacks() {
        NftTable bridge = new NftTable(NftFamily.BRIDGE, "t");
        NftChain chain = new NftChain(bridge, "c", Optional.empty());
        Map<String, NftStatement> expressions = Map.of(
                "masq", new NftStatement.Masquerade(), "fib", new NftStatement.AddressLocal(NftField.SOURCE_ADDRESS));
        expressions.forEach((name, statement) -> {
            NftTransaction transaction = new TableBuilder(bridge, "")
                    .chain(chain, rule(from("10.0.0.0/8"), statement))
                    .creation();
            assertThatThrownBy(() -> near.tables().apply(transaction))
                    .isInstanceOfSatisfying(
                            NftRefusedException.class,
                            refused -> assertThat(refused.missing()).containsExactly("expression " + name))
                    .hasMessage("add rule to chain c: ENOENT (no expression " + name + " in this kernel)");
        });
    }

    /** Each of these is in every kernel. */
    @Test
    void takesAMissingSetForNoMissingExpression() {
        List<NftStatement> statements = List.of(
                new NftStatement.InSet(SERVICE, "none", false),
                new NftStatement.Remember("none"),
                NftVerdict.jump("none"));
        for (NftStatement statement : statements) {
            NftTransaction transaction = new TableBuilder(IPV4, "")
                    .chain(new NftChain(IPV4, "c", Optional.empty()), rule(statement))
                    .creation();
            assertThatThrownBy(() -> near.tables().apply(transaction))
                    .isInstanceOfSatisfying(
                            NftRefusedException.class,
                            refused -> assertThat(refused.missing()).isEmpty())
                    .hasMessage("add rule to chain c: ENOENT");
        }
    }

    /** The kernel points at the name of the table or chain, which is no expression. */
    @Test
    void takesAMissingTableOrChainForNoMissingExpression() throws Exception {
        NftTable missing = new NftTable(NftFamily.INET, "none_here");
        near.tables().apply(new TableBuilder(IPV4, "").creation());
        for (NftTable table : List.of(missing, IPV4)) {
            NftChain chain = new NftChain(table, "no_chain", Optional.empty());
            NftChange rule = new NftChange.AddRule(chain, rule(from("10.0.0.0/8"), new NftStatement.Masquerade()));
            assertThatThrownBy(() -> near.tables().apply(NftTransaction.of(List.of(rule))))
                    .isInstanceOfSatisfying(
                            NftRefusedException.class,
                            refused -> assertThat(refused.missing()).isEmpty())
                    .hasMessage("add rule to chain no_chain: ENOENT");
        }
    }

    private void applyAndCompare(NftTable table, List<Line> lines, String sets) throws Exception {
        TableBuilder builder = table(table, lines.stream().map(Line::rule).toList());
        NftTableState state = builder.build();
        near.tables().apply(builder.creation());
        StringBuilder rules = new StringBuilder();
        lines.forEach(line -> rules.append("\t\t").append(line.text()).append('\n'));
        assertListing(state, sets + """
                	chain nat-postrouting {
                		comment "where packets begin"
                		type nat hook postrouting priority srcnat; policy accept;
                		jump other
                	}

                	chain filter-input {
                		type filter hook input priority filter - 1; policy drop;
                		reject
                	}

                	chain rules {
                """ + rules + """
                	}

                	chain other {
                	}
                }
                """);
    }

    /** The listing equals this text; {@code nft} loads it and lists the same; both are read as the written state. */
    private void assertListing(NftTableState state, String text) throws Exception {
        assertThat(near.listing()).isEqualTo(text);
        assertThat(near.nft("-j", "list", "ruleset")).contains("\"nftables\"");
        far.load(text);
        assertThat(far.listing()).isEqualTo(text);
        assertThat(near.tables().read(state.table())).contains(state);
        assertThat(far.tables().read(state.table())).contains(state);
    }

    private static TableBuilder table(NftTable table, List<NftRule> rules) {
        IpFamily family = table.family() == NftFamily.IPV4 ? IpFamily.IPV4 : IpFamily.IPV6;
        NftDatatype address = NftField.DESTINATION_ADDRESS.type(family);
        IpAddress one = IpAddress.parse(family == IpFamily.IPV4 ? "10.1.2.3" : "fd00::1");
        TableBuilder builder = new TableBuilder(table, "");
        builder.set(
                new NftSet(table, "addresses", List.of(address), List.of(), "some addresses"),
                NftElement.of(NftValue.of(one)));
        builder.set(
                new NftSet(table, "hairpins", types(HAIRPIN, family), List.of(), ""),
                NftElement.of(NftValue.of(one).and(NftValue.of(one, 6, 80))));
        builder.set(
                new NftSet(table, "services", types(SERVICE, family), List.of(NftDatatype.VERDICT), ""),
                new NftElement(NftValue.of(one, 6, 80), Optional.of(NftVerdict.to("other")), "a comment"));
        builder.set(
                new NftSet(table, "node-ports", types(NODE_PORT, family), List.of(NftDatatype.VERDICT), ""),
                NftElement.of(NftValue.of(132, 65_535), NftVerdict.DROP));
        builder.set(new NftSet(table, "affinity", List.of(address), List.of(), Duration.ofHours(3), ""));
        builder.chain(
                new NftChain(
                        table,
                        "nat-postrouting",
                        Optional.of(NftChain.Hook.of("nat", "postrouting", 100)),
                        "where packets begin"),
                new NftRule(List.of(NftVerdict.jump("other")), ""));
        builder.chain(
                new NftChain(table, "filter-input", Optional.of(new NftChain.Hook("filter", 1, -1, true))),
                new NftRule(List.of(new NftStatement.Reject()), ""));
        // No hook leads to it: some of its rules exclude each other.
        builder.chain(new NftChain(table, "rules", Optional.empty()), rules.toArray(NftRule[]::new));
        builder.chain(new NftChain(table, "other", Optional.empty()));
        return builder;
    }

    private static List<NftDatatype> types(List<NftField> fields, IpFamily family) {
        return fields.stream().map(field -> field.type(family)).toList();
    }

    private static NftStatement from(String... networks) {
        return new NftStatement.AddressIn(NftField.SOURCE_ADDRESS, cidrs(networks), false);
    }

    private static NftStatement notFrom(String... networks) {
        return new NftStatement.AddressIn(NftField.SOURCE_ADDRESS, cidrs(networks), true);
    }

    private static List<Cidr> cidrs(String... networks) {
        return List.of(networks).stream().map(Cidr::parse).toList();
    }

    private static Destination to(String address, int port) {
        return new Destination(IpAddress.parse(address), port);
    }
}
