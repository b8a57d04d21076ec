package dev.nodepath.proxy.nftables;

import static dev.nodepath.linux.nftables.NftField.DESTINATION_ADDRESS;
import static dev.nodepath.linux.nftables.NftField.DESTINATION_PORT;
import static dev.nodepath.linux.nftables.NftField.PROTOCOL;
import static dev.nodepath.linux.nftables.NftField.SOURCE_ADDRESS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.endpoints.trace.Trace;
import dev.nodepath.endpoints.trace.TracedPackets;
import dev.nodepath.endpoints.trace.TracerContract;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftDatatype;
import dev.nodepath.linux.nftables.NftElement;
import dev.nodepath.linux.nftables.NftFamily;
import dev.nodepath.linux.nftables.NftRule;
import dev.nodepath.linux.nftables.NftSet;
import dev.nodepath.linux.nftables.NftStatement;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftValue;
import dev.nodepath.linux.nftables.NftVerdict;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tables that no proxy writes: jumps, verdicts, look-ups and hooks as the kernel has them. */
class TableTracerStatementsTest {
    private static final NftTable TABLE = new NftTable(NftFamily.IPV4, "t");
    private static final IpAddress NODE = IpAddress.parse("192.168.0.2");
    private static final String FORWARDED = "10.0.0.2 -> 10.1.0.9:80";
    private static final NftStatement TO_A = new NftStatement.Dnat(destination("10.2.0.1"));
    private static final NftStatement TO_B = new NftStatement.Dnat(destination("10.2.0.2"));

    private final SortedMap<String, NftTableState.Chain> chains = new TreeMap<>();
    private final SortedMap<String, NftTableState.Elements> sets = new TreeMap<>();

    private static NftStatement.Destination destination(String address) {
        return new NftStatement.Destination(IpAddress.parse(address), 8080);
    }

    private void base(String name, String type, String hook, int priority, NftStatement... rules) {
        add(new NftChain(TABLE, name, Optional.of(NftChain.Hook.of(type, hook, priority))), rules);
    }

    private void chain(String name, NftStatement... rules) {
        add(new NftChain(TABLE, name, Optional.empty()), rules);
    }

    /** Each statement is a rule. */
    private void add(NftChain chain, NftStatement... rules) {
        add(chain, Stream.of(rules).map(List::of).toList());
    }

    private void add(NftChain chain, List<List<NftStatement>> rules) {
        chains.put(
                chain.name(),
                new NftTableState.Chain(
                        chain, rules.stream().map(rule -> new NftRule(rule, "")).toList()));
    }

    private void set(String name, List<NftDatatype> key, List<NftDatatype> data, NftElement... elements) {
        NftSet set = new NftSet(TABLE, name, key, data, "");
        sets.put(
                name,
                new NftTableState.Elements(
                        set, Stream.of(elements).collect(Collectors.toMap(NftElement::key, Function.identity()))));
    }

    private Trace trace(String flow) {
        return TableTracer.trace(
                new NftTableState(TABLE, "", chains, sets), TracedPackets.of(flow, "eth0"), Set.of(NODE));
    }

    private List<String> way(String flow) {
        return trace(flow).steps().stream()
                .map(step -> step.chain() + " " + step.number())
                .toList();
    }

    @Test
    void jumpsReturnAndGotosDoNot() {
        base("nat", "nat", "prerouting", -100, NftVerdict.jump("outer"), TO_B);
        chain("outer", NftVerdict.to("inner"), TO_A);
        chain("inner", NftVerdict.jump("leaf"), NftVerdict.RETURN, TO_A);
        chain("leaf", new NftStatement.NewConnection());
        assertThat(way(FORWARDED)).containsExactly("nat 1", "outer 1", "inner 1", "leaf 1", "inner 2", "nat 2");
        assertThat(TracerContract.summary(trace(FORWARDED))).isEqualTo("10.2.0.2:8080");
        assertThat(trace(FORWARDED).steps()).extracting(Trace.Step::depth).containsExactly(0, 1, 2, 3, 2, 0);
    }

    @Test
    void acceptEndsOneBaseChainAndDropEndsAll() {
        base("first", "filter", "forward", -10, NftVerdict.ACCEPT, NftVerdict.DROP);
        base("second", "filter", "forward", 0, NftVerdict.DROP);
        base("third", "filter", "postrouting", 0, NftVerdict.ACCEPT);
        assertThat(way(FORWARDED)).containsExactly("first 1", "second 1");
        assertThat(TracerContract.summary(trace(FORWARDED))).isEqualTo("DROP");
    }

    @Test
    void policyDropsWhatReachesTheEnd() {
        add(
                new NftChain(TABLE, "closed", Optional.of(new NftChain.Hook("filter", 2, 0, true))),
                NftStatement.destinationNotIn(Cidr.parse("10.1.0.0/16")));
        assertThat(TracerContract.summary(trace(FORWARDED))).isEqualTo("DROP");
        assertThat(TracerContract.summary(trace("10.0.0.2 -> 192.168.0.2:80"))).isEmpty();
    }

    @Test
    void markStaysWhenALaterMatchFails() {
        add(
                new NftChain(TABLE, "a", Optional.of(NftChain.Hook.of("filter", "prerouting", -150))),
                List.of(
                        List.of(new NftStatement.MarkSet(6), new NftStatement.Protocol(17), NftVerdict.DROP),
                        List.of(new NftStatement.MarkToggle(2))));
        base("b", "nat", "postrouting", 100, new NftStatement.MarkHas(2), new NftStatement.MarkHas(1));
        add(
                new NftChain(TABLE, "c", Optional.of(NftChain.Hook.of("nat", "postrouting", 101))),
                List.of(List.of(new NftStatement.MarkHas(5), new NftStatement.Masquerade(true))));
        assertThat(way(FORWARDED)).containsExactly("a 2", "c 1");
        assertThat(trace(FORWARDED).outcomes()).allMatch(Trace.Outcome::masqueraded);
    }

    @Test
    void hooksOfEachWay() {
        for (String hook : List.of("prerouting", "input", "forward", "output", "postrouting")) {
            base("filter-" + hook, "filter", hook, 0, new NftStatement.NewConnection());
        }
        for (String hook : List.of("prerouting", "input", "output", "postrouting")) {
            base("nat-" + hook, "nat", hook, 100, new NftStatement.NewConnection());
        }
        assertThat(way(FORWARDED))
                .containsExactly(
                        "filter-prerouting 1",
                        "nat-prerouting 1",
                        "filter-forward 1",
                        "filter-postrouting 1",
                        "nat-postrouting 1");
        assertThat(way("10.0.0.2 -> 192.168.0.2:80"))
                .containsExactly("filter-prerouting 1", "nat-prerouting 1", "filter-input 1", "nat-input 1");
        assertThat(way("192.168.0.2 -> 10.1.0.9:80"))
                .containsExactly("filter-output 1", "nat-output 1", "filter-postrouting 1", "nat-postrouting 1");
        assertThat(way("127.0.0.1 -> 127.0.0.1:80"))
                .containsExactly(
                        "filter-output 1",
                        "nat-output 1",
                        "filter-postrouting 1",
                        "nat-postrouting 1",
                        "filter-prerouting 1",
                        "filter-input 1");
    }

    @Test
    void theFirstNatChainThatTranslatesIsTheLast() {
        base("nat1", "nat", "prerouting", -100, TO_A);
        base("nat2", "nat", "prerouting", -99, TO_B);
        assertThat(TracerContract.summary(trace(FORWARDED))).isEqualTo("10.2.0.1:8080");
        assertThat(way(FORWARDED)).containsExactly("nat1 1");
    }

    @Test
    void laterRulesSeeTheNewDestination() {
        base("nat", "nat", "prerouting", -100, new NftStatement.Dnat(new NftStatement.Destination(NODE, 8080)));
        base("in", "filter", "input", 0, new NftStatement.DestinationTranslated());
        base("early", "filter", "prerouting", -110, new NftStatement.AddressLocal(DESTINATION_ADDRESS));
        base("local", "filter", "input", 1, new NftStatement.AddressLocal(DESTINATION_ADDRESS));
        base("source", "filter", "input", 2, new NftStatement.AddressLocal(SOURCE_ADDRESS));
        assertThat(way(FORWARDED)).containsExactly("nat 1", "in 1", "local 1");
    }

    @Test
    void looksUpAddressesPortsAndConcatenations() {
        set("ports", List.of(NftDatatype.INET_SERVICE), List.of(), NftElement.of(NftValue.ofPort(80)));
        set("protocols", List.of(NftDatatype.INET_PROTO), List.of(), NftElement.of(NftValue.of(new byte[] {6})));
        set(
                "map",
                List.of(NftDatatype.INET_PROTO, NftDatatype.INET_SERVICE),
                List.of(NftDatatype.VERDICT),
                NftElement.of(NftValue.of(6, 80), NftVerdict.DROP));
        base(
                "in",
                "filter",
                "prerouting",
                0,
                new NftStatement.InSet(List.of(DESTINATION_PORT), "ports", true),
                new NftStatement.InSet(List.of(DESTINATION_PORT), "ports"),
                new NftStatement.InSet(List.of(PROTOCOL), "protocols"),
                new NftStatement.VerdictOf(List.of(PROTOCOL, DESTINATION_PORT), "map"));
        assertThat(way(FORWARDED)).containsExactly("in 2", "in 3", "in 4");
        assertThat(way("10.0.0.2 -> 10.1.0.9:81/udp")).containsExactly("in 1");
        assertThat(trace(FORWARDED).steps())
                .flatExtracting(Trace.Step::elements)
                .extracting(Trace.Element::text)
                .containsExactly("80", "tcp", "tcp . 80 : drop");
    }

    @Test
    void matchesLinksAndTheirPrefixes() {
        base(
                "in",
                "filter",
                "forward",
                0,
                new NftStatement.InputInterface("eth0"),
                new NftStatement.InputInterface("eth*"),
                new NftStatement.InputInterface("eth"),
                new NftStatement.InputInterface("eth*", true),
                new NftStatement.InputInterface("veth*", true));
        assertThat(way(FORWARDED)).containsExactly("in 1", "in 2", "in 5");
    }

    @Test
    void numbersThatAMapDoesNotHaveLeadToTheNextRule() {
        set(
                "endpoints",
                List.of(NftDatatype.IPV4_ADDR, NftDatatype.INET_SERVICE, NftDatatype.INTEGER),
                List.of(NftDatatype.IPV4_ADDR, NftDatatype.INET_SERVICE),
                NftElement.of(
                        NftValue.of(IpAddress.parse("10.1.0.9"), 80).and(NftValue.of(1)),
                        NftValue.of(IpAddress.parse("10.2.0.7"), 65_535)));
        base("nat", "nat", "prerouting", -100, new NftStatement.RandomDnatOf("tcp", 4, "endpoints"), TO_A);
        assertThat(trace(FORWARDED).outcomes())
                .filteredOn(outcome -> outcome.port() == 65_535)
                .singleElement()
                .satisfies(outcome -> assertThat(outcome.probability()).isEqualTo(0.25));
        assertThat(TracerContract.summary(trace(FORWARDED))).isEqualTo("10.2.0.7:65535, 10.2.0.1:8080");
    }

    @Test
    void namesChainAndRuleOfWhatItDoesNotKnow() {
        base("in", "filter", "prerouting", 0, new NftStatement.NewConnection(), new NftStatement.Unknown("quota"));
        assertThatThrownBy(() -> trace(FORWARDED))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("chain in, rule 2: [quota] (expected: a statement of nftables mode)");
    }

    @Test
    void namesWhatIsMissing() {
        base("in", "filter", "prerouting", 0, NftVerdict.jump("nowhere"));
        assertThatThrownBy(() -> trace(FORWARDED))
                .hasMessage("chain in: jump nowhere (expected: a chain of table ip t)");
        base("in", "filter", "prerouting", 0, new NftStatement.InSet(List.of(SOURCE_ADDRESS), "none"));
        assertThatThrownBy(() -> trace(FORWARDED))
                .hasMessage("chain in, rule 1: @none (expected: a set or map of table ip t)");
        base("in", "filter", "prerouting", 0, NftVerdict.jump("loop"));
        chain("loop", NftVerdict.jump("loop"));
        assertThatThrownBy(() -> trace(FORWARDED)).hasMessageContaining("loop: deeper than 15 jumps");
    }
}
