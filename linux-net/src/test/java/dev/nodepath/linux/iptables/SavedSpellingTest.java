package dev.nodepath.linux.iptables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The expected texts are the output of iptables-save 1.8.9, equal in both variants. */
class SavedSpellingTest {
    private static final Target ACCEPT = Target.Verdict.ACCEPT;

    static Stream<Arguments> rules() {
        Cidr loopback = Cidr.parse("127.0.0.0/8");
        return Stream.of(
                Arguments.of(
                        Rule.of(
                                Target.Verdict.DROP,
                                new Match.Comment("block incoming localnet connections"),
                                new Match.Destination(loopback, false),
                                new Match.Source(loopback, true),
                                new Match.ConnectionState(List.of(Match.ConnectionState.State.DNAT), true)),
                        "! -s 127.0.0.0/8 -d 127.0.0.0/8 -m comment --comment \"block incoming localnet connections\""
                                + " -m conntrack ! --ctstate DNAT -j DROP"),
                Arguments.of(
                        Rule.of(
                                Target.Verdict.REJECT,
                                new Match.Comment("a/b has no endpoints"),
                                new Match.DestinationLocal(),
                                new Match.Protocol("tcp"),
                                new Match.DestinationPort(30)),
                        "-p tcp -m comment --comment \"a/b has no endpoints\" -m addrtype --dst-type LOCAL -m tcp --dport 30"
                                + " -j REJECT --reject-with icmp-port-unreachable"),
                Arguments.of(
                        Rule.of(
                                ACCEPT,
                                new Match.Protocol("tcp"),
                                new Match.Destination(Cidr.parse("1.2.3.4/32"), false),
                                new Match.DestinationPort(80),
                                new Match.Source(Cidr.parse("10.0.0.0/8"), true)),
                        "! -s 10.0.0.0/8 -d 1.2.3.4/32 -p tcp -m tcp --dport 80 -j ACCEPT"),
                Arguments.of(
                        Rule.of(ACCEPT, new Match.Source(Cidr.parse("203.0.113.7/25"), false)),
                        "-s 203.0.113.0/25 -j ACCEPT"),
                Arguments.of(Rule.of(ACCEPT, new Match.Source(Cidr.parse("0.0.0.0/0"), false)), "-j ACCEPT"),
                Arguments.of(
                        Rule.of(ACCEPT, new Match.InputInterface("cni0", true), new Match.Protocol("sctp")),
                        "! -i cni0 -p sctp -m sctp -j ACCEPT"),
                Arguments.of(
                        Rule.of(Target.Verdict.RETURN, new Match.Mark(1 << 31, true)),
                        "-m mark ! --mark 0x80000000/0x80000000 -j RETURN"),
                Arguments.of(Rule.of(new Target.FlipMark(1 << 14)), "-j MARK --set-xmark 0x4000/0x0"),
                Arguments.of(Rule.of(new Target.SetMark(1 << 14)), "-j MARK --set-xmark 0x4000/0x4000"),
                Arguments.of(
                        Rule.of(ACCEPT, new Match.RecentlySeen("L", 10_800)),
                        "-m recent --rcheck --seconds 10800 --reap --name L --mask 255.255.255.255 --rsource -j ACCEPT"),
                Arguments.of(
                        Rule.of(
                                new Target.Dnat(IpAddress.parse("1.2.3.4"), 5),
                                new Match.RememberSource("L"),
                                new Match.Protocol("tcp")),
                        "-p tcp -m recent --set --name L --mask 255.255.255.255 --rsource -m tcp"
                                + " -j DNAT --to-destination 1.2.3.4:5"),
                Arguments.of(
                        Rule.of(ACCEPT, Match.Probability.oneOf(3)),
                        "-m statistic --mode random --probability 0.33333333349 -j ACCEPT"),
                Arguments.of(
                        Rule.of(ACCEPT, new Match.Probability("0.0000099999")),
                        "-m statistic --mode random --probability 0.00001000008 -j ACCEPT"),
                Arguments.of(Rule.of(ACCEPT, new Match.Comment("plain-1")), "-m comment --comment plain-1 -j ACCEPT"),
                Arguments.of(
                        Rule.of(ACCEPT, new Match.Comment("odd; it's <x> $y & (z)")),
                        "-m comment --comment \"odd; it\\'s <x> $y & (z)\" -j ACCEPT"),
                Arguments.of(
                        Rule.of(new Target.Nothing(), new Match.Comment("only words")),
                        "-m comment --comment \"only words\""));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void spellsARuleAsTheListingDoes(Rule rule, String saved) {
        assertThat(new SavedSpelling(IpFamily.IPV4).of(rule)).isEqualTo(saved);
    }
}
