package dev.nodepath.linux.iptables;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;

/** The common parts of the tests of {@link RuleApplier}: the commands, a few rules, and looks at the tables. */
abstract class RuleApplierFixture {
    static final OwnedChains OWNED = new OwnedChains(Set.of("TOP", "POST"), Set.of("OWN-"));
    static final Hook TOP = hook("PREROUTING", Hook.Position.FIRST, "TOP");
    static final Hook OWN = hook("PREROUTING", Hook.Position.FIRST, "OWN-1");
    static final Hook POST = hook("PREROUTING", Hook.Position.LAST, "POST");
    static final Hook SHARED = hook("OUTPUT", Hook.Position.FIRST, "SHARED");

    RecordingIptables recording;
    RuleApplier applier;

    abstract Iptables iptables();

    /** The commands of another program. */
    abstract Iptables others();

    @BeforeEach
    void start() {
        recording = new RecordingIptables(iptables());
        applier = applier();
    }

    /** As a process does that has just been started. */
    RuleApplier applier() {
        return new RuleApplier(recording, OWNED);
    }

    static Hook hook(String builtin, Hook.Position position, String chain) {
        return new Hook(
                Table.NAT,
                builtin,
                position,
                Rule.of(new Target.Jump(chain), new Match.Comment("to " + chain), new Match.DestinationLocal()));
    }

    static Rule jump(String chain) {
        return Rule.of(new Target.Jump(chain));
    }

    static RuleSet rules(Map<String, List<Rule>> chains, Hook... hooks) {
        SortedMap<String, List<Rule>> sorted = new TreeMap<>(chains);
        return new RuleSet(Map.of(Table.NAT, sorted), List.of(hooks));
    }

    static RuleSet basic(Hook... hooks) {
        return rules(
                Map.of(
                        "TOP", List.of(jump("OWN-1"), Rule.of(Target.Verdict.RETURN)),
                        "OWN-1", List.of(Rule.of(Target.Verdict.ACCEPT)),
                        "POST", List.of(),
                        "SHARED", List.of(Rule.of(Target.Verdict.ACCEPT))),
                hooks);
    }

    SavedTable nat() throws IptablesException {
        return SavedTable.parse(iptables().save(Table.NAT));
    }

    List<String> targets(String chain) throws IptablesException {
        return nat().rules(chain).stream()
                .map(rule -> SavedRule.target(rule).orElse(""))
                .toList();
    }

    /** Changes the table as another program does. */
    void nat(String... lines) throws IptablesException {
        others().restore("*nat\n" + String.join("\n", lines) + "\nCOMMIT\n");
    }
}
