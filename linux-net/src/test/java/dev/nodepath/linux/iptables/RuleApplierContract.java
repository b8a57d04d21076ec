package dev.nodepath.linux.iptables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What {@link RuleApplier} leaves in the tables; run with the real commands and with the fake, on empty tables. */
abstract class RuleApplierContract {
    private static final OwnedChains OWNED = new OwnedChains(Set.of("TOP", "POST"), Set.of("OWN-"));
    private static final Hook TOP = hook("PREROUTING", Hook.Position.FIRST, "TOP");
    private static final Hook OWN = hook("PREROUTING", Hook.Position.FIRST, "OWN-1");
    private static final Hook POST = hook("PREROUTING", Hook.Position.LAST, "POST");
    private static final Hook SHARED = hook("OUTPUT", Hook.Position.FIRST, "SHARED");

    private RecordingIptables recording;
    private RuleApplier applier;

    abstract Iptables iptables();

    /** The commands of another program. */
    abstract Iptables others();

    @BeforeEach
    void start() {
        recording = new RecordingIptables(iptables());
        applier = applier();
    }

    /** As a process does that has just been started. */
    private RuleApplier applier() {
        return new RuleApplier(recording, OWNED);
    }

    private static Hook hook(String builtin, Hook.Position position, String chain) {
        return new Hook(
                Table.NAT,
                builtin,
                position,
                Rule.of(new Target.Jump(chain), new Match.Comment("to " + chain), new Match.DestinationLocal()));
    }

    private static Rule jump(String chain) {
        return Rule.of(new Target.Jump(chain));
    }

    private static RuleSet rules(Map<String, List<Rule>> chains, Hook... hooks) {
        SortedMap<String, List<Rule>> sorted = new TreeMap<>(chains);
        return new RuleSet(Map.of(Table.NAT, sorted), List.of(hooks));
    }

    private static RuleSet basic(Hook... hooks) {
        return rules(
                Map.of(
                        "TOP", List.of(jump("OWN-1"), Rule.of(Target.Verdict.RETURN)),
                        "OWN-1", List.of(Rule.of(Target.Verdict.ACCEPT)),
                        "POST", List.of(),
                        "SHARED", List.of(Rule.of(Target.Verdict.ACCEPT))),
                hooks);
    }

    private SavedTable nat() throws IptablesException {
        return SavedTable.parse(iptables().save(Table.NAT));
    }

    private List<String> targets(String chain) throws IptablesException {
        return nat().rules(chain).stream()
                .map(rule -> SavedRule.target(rule).orElse(""))
                .toList();
    }

    /** Changes the table as another program does. */
    private void nat(String... lines) throws IptablesException {
        others().restore("*nat\n" + String.join("\n", lines) + "\nCOMMIT\n");
    }

    @Test
    void makesChainsRulesAndHooksInOrder() throws IptablesException {
        nat(":ALIEN - [0:0]", "-A PREROUTING -j ALIEN");
        applier.apply(basic(TOP, OWN, POST, SHARED));
        assertThat(targets("PREROUTING")).containsExactly("TOP", "OWN-1", "ALIEN", "POST");
        assertThat(targets("OUTPUT")).containsExactly("SHARED");
        assertThat(targets("TOP")).containsExactly("OWN-1", "RETURN");
    }

    @Test
    void runsNothingWhenNothingChanged() throws IptablesException {
        applier.apply(basic(TOP));
        recording.forget();
        applier.apply(basic(TOP));
        assertThat(recording.restored()).isEmpty();
    }

    @Test
    void runsNothingWhenThereIsNothingToRemove() throws IptablesException {
        nat(":ALIEN - [0:0]", "-A PREROUTING -j ALIEN");
        recording.forget();
        applier.remove();
        assertThat(recording.restored()).isEmpty();
    }

    @Test
    void sendsOnlyTheChainsThatDiffer() throws IptablesException {
        applier.apply(rules(
                Map.of(
                        "TOP", List.of(jump("OWN-A"), jump("OWN-B")),
                        "OWN-A", List.of(Rule.of(Target.Verdict.ACCEPT)),
                        "OWN-B", List.of(Rule.of(Target.Verdict.RETURN))),
                TOP));
        recording.forget();
        applier.apply(rules(
                Map.of(
                        "TOP", List.of(jump("OWN-A"), jump("OWN-C")),
                        "OWN-A", List.of(Rule.of(Target.Verdict.ACCEPT)),
                        "OWN-C", List.of(Rule.of(Target.Verdict.RETURN))),
                TOP));
        assertThat(recording.restored()).containsExactly("""
                *nat
                :OWN-C - [0:0]
                :TOP - [0:0]
                :OWN-B - [0:0]
                -A OWN-C -j RETURN
                -A TOP -j OWN-A
                -A TOP -j OWN-C
                -X OWN-B
                COMMIT
                """);
        assertThat(nat().userChains()).containsExactlyInAnyOrder("TOP", "OWN-A", "OWN-C");
    }

    @Test
    void adoptsWhatAnotherProcessLeft() throws IptablesException {
        applier.apply(basic(TOP, POST, SHARED));
        nat(":OWN-STALE - [0:0]", ":OWN-STALE2 - [0:0]", "-A OWN-STALE -j OWN-STALE2", "-A TOP -j OWN-STALE");
        nat(":ALIEN - [0:0]", "-A ALIEN -j ACCEPT", "-I PREROUTING 1 -j ALIEN");

        applier().apply(basic(TOP, OWN, POST, SHARED));
        assertThat(targets("PREROUTING")).containsExactly("ALIEN", "TOP", "OWN-1", "POST");
        assertThat(targets("OUTPUT")).containsExactly("SHARED");
        assertThat(nat().userChains()).containsExactlyInAnyOrder("TOP", "OWN-1", "POST", "SHARED", "ALIEN");
        assertThat(targets("ALIEN")).containsExactly("ACCEPT");
        assertThat(targets("TOP")).containsExactly("OWN-1", "RETURN");
    }

    @Test
    void removesDoubledAndOutdatedHooks() throws IptablesException {
        applier.apply(basic(TOP));
        nat("-A PREROUTING -p tcp -j TOP", "-A PREROUTING " + TOP.rule(), "-A INPUT -j OWN-1", "-A INPUT -j ACCEPT");
        applier().apply(basic(TOP));
        assertThat(nat().rules("PREROUTING")).hasSize(1);
        assertThat(targets("PREROUTING")).containsExactly("TOP");
        assertThat(targets("INPUT")).containsExactly("ACCEPT");
    }

    @Test
    void emptiesAStaleChainThatSomebodyElseJumpsTo() throws IptablesException {
        nat(":OWN-STALE - [0:0]", ":ALIEN - [0:0]", "-A OWN-STALE -j ACCEPT", "-A ALIEN -j OWN-STALE");
        applier.apply(basic(TOP));
        assertThat(nat().userChains()).contains("OWN-STALE", "ALIEN");
        assertThat(targets("OWN-STALE")).isEmpty();
        assertThat(targets("ALIEN")).containsExactly("OWN-STALE");
    }

    @Test
    void removesEverythingOfTheModeButNothingShared() throws IptablesException {
        nat(":ALIEN - [0:0]", "-A PREROUTING -j ALIEN");
        applier.apply(basic(TOP, POST, SHARED));
        applier().remove();
        assertThat(targets("PREROUTING")).containsExactly("ALIEN");
        assertThat(targets("OUTPUT")).containsExactly("SHARED");
        assertThat(nat().userChains()).containsExactlyInAnyOrder("ALIEN", "SHARED");
    }

    @Test
    void doesNotDoubleASharedHookThatItLeftBehind() throws IptablesException {
        applier.apply(basic(TOP, SHARED));
        applier.remove();
        applier.apply(basic(TOP, SHARED));
        assertThat(targets("OUTPUT")).containsExactly("SHARED");
        applier.apply(basic(TOP));
        applier.apply(basic(TOP, SHARED));
        assertThat(targets("OUTPUT")).containsExactly("SHARED");
    }

    @Test
    void repairsWhatOthersRemovedOrAddedAndLeavesAloneWhatIsWhole() throws IptablesException {
        applier.apply(basic(TOP, POST, SHARED));
        recording.forget();
        assertThat(applier.repair(basic(TOP, POST, SHARED))).isFalse();
        assertThat(recording.restored()).isEmpty();

        List<List<String>> damages = List.of(
                List.of("-F TOP"),
                List.of("-D PREROUTING " + TOP.rule()),
                List.of("-D OUTPUT " + SHARED.rule()),
                List.of("-A TOP -j ACCEPT"),
                List.of(":OWN-NEW - [0:0]"),
                List.of("-A PREROUTING " + TOP.rule()),
                List.of("-F PREROUTING", "-F TOP", "-X TOP", "-F POST", "-X POST"));
        for (List<String> damage : damages) {
            nat(damage.toArray(String[]::new));
            assertThat(applier.repair(basic(TOP, POST, SHARED)))
                    .as("after " + damage)
                    .isTrue();
            assertThat(targets("PREROUTING")).as("after " + damage).containsExactlyInAnyOrder("TOP", "POST");
            assertThat(targets("OUTPUT")).containsExactly("SHARED");
            assertThat(targets("TOP")).containsExactly("OWN-1", "RETURN");
            assertThat(nat().userChains()).containsExactlyInAnyOrder("TOP", "OWN-1", "POST", "SHARED");
            assertThat(applier.repair(basic(TOP, POST, SHARED))).isFalse();
        }
    }

    @Test
    void healsWhatOthersRemovedOnceARestoreHasFailed() throws IptablesException {
        applier.apply(basic(TOP));
        nat(":TOP - [0:0]", ":OWN-1 - [0:0]", "-D PREROUTING " + TOP.rule(), "-X TOP", "-X OWN-1");
        RuleSet smaller = rules(Map.of("TOP", List.of()), TOP);
        // OWN-1 is declared before it is deleted, so this works; the hook is missed only when the tables are read.
        applier.apply(smaller);
        RuleSet broken = rules(Map.of("TOP", List.of(jump("OWN-MISSING"))), TOP);
        assertThatThrownBy(() -> applier.apply(broken))
                .isInstanceOf(IptablesException.class)
                .hasMessageContaining("-A TOP -j OWN-MISSING");
        assertThat(targets("TOP")).isEmpty();

        applier.apply(basic(TOP));
        assertThat(targets("PREROUTING")).containsExactly("TOP");
        assertThat(targets("TOP")).containsExactly("OWN-1", "RETURN");
    }

    @Test
    void loadsChangesOfTwoTablesInOneRestore() throws IptablesException {
        SortedMap<String, List<Rule>> chains = new TreeMap<>(Map.of("TOP", List.of(Rule.of(Target.Verdict.ACCEPT))));
        applier.apply(new RuleSet(Map.of(Table.NAT, chains, Table.FILTER, chains), List.of()));
        assertThat(recording.restored()).containsExactly("""
                *filter
                :TOP - [0:0]
                -A TOP -j ACCEPT
                COMMIT
                *nat
                :TOP - [0:0]
                -A TOP -j ACCEPT
                COMMIT
                """);
        assertThat(SavedTable.parse(iptables().save(Table.FILTER)).userChains()).containsExactly("TOP");
        assertThat(nat().userChains()).containsExactly("TOP");
    }

    private static RuleGroup group(String name, Rule... own) {
        return new RuleGroup(
                Map.of(Table.NAT, new TreeMap<>(Map.of("OWN-" + name, List.of(own)))),
                List.of(
                        new RuleGroup.Entry(Table.NAT, "TOP", entry("OWN-" + name, name + " one")),
                        new RuleGroup.Entry(Table.NAT, "TOP", entry("OWN-" + name, name + " two"))));
    }

    private static Rule entry(String chain, String comment) {
        return Rule.of(new Target.Jump(chain), new Match.Comment(comment));
    }

    private static RuleSet grouped(Map<String, RuleGroup> groups) {
        return new RuleSet(
                Map.of(Table.NAT, new TreeMap<>(Map.of("TOP", List.of(Rule.of(Target.Verdict.RETURN))))),
                List.of(TOP),
                new TreeMap<>(groups));
    }

    private static final Rule ACCEPT = Rule.of(Target.Verdict.ACCEPT);
    private static final Rule RETURN = Rule.of(Target.Verdict.RETURN);

    @Test
    void changesAGroupByItsOwnChainsAndSingleLines() throws IptablesException {
        applier.apply(grouped(Map.of("a", group("A", ACCEPT), "b", group("B", ACCEPT))));
        recording.forget();
        applier.update(Map.of("b", Optional.of(group("B", RETURN)), "c", Optional.of(group("C", ACCEPT))));
        assertThat(recording.restored()).containsExactly("""
                *nat
                :OWN-B - [0:0]
                :OWN-C - [0:0]
                -A OWN-B -j RETURN
                -A OWN-C -j ACCEPT
                -I TOP -m comment --comment "C two" -j OWN-C
                -I TOP -m comment --comment "C one" -j OWN-C
                COMMIT
                """);
        assertThat(targets("TOP")).containsExactly("OWN-C", "OWN-C", "OWN-A", "OWN-A", "OWN-B", "OWN-B", "RETURN");
        assertThat(applier.ruleCount(Table.NAT)).isEqualTo(10);

        recording.forget();
        applier.update(Map.of("a", Optional.empty(), "unknown", Optional.empty()));
        assertThat(recording.restored()).containsExactly("""
                *nat
                :OWN-A - [0:0]
                -D TOP -m comment --comment "A one" -j OWN-A
                -D TOP -m comment --comment "A two" -j OWN-A
                -X OWN-A
                COMMIT
                """);
        assertThat(targets("TOP")).containsExactly("OWN-C", "OWN-C", "OWN-B", "OWN-B", "RETURN");
        assertThat(applier.ruleCount(Table.NAT)).isEqualTo(7);
    }

    @Test
    void doesNotMindTheOrderOfGroupsWhenItAdoptsThem() throws IptablesException {
        RuleSet both = grouped(Map.of("a", group("A", ACCEPT), "b", group("B", ACCEPT)));
        applier.apply(grouped(Map.of("b", group("B", ACCEPT))));
        applier.apply(grouped(Map.of("a", group("A", ACCEPT), "b", group("B", ACCEPT))));
        applier.update(Map.of("a", Optional.empty()));
        applier.update(Map.of("a", Optional.of(group("A", ACCEPT))));
        recording.forget();
        applier().apply(both);
        assertThat(recording.restored()).isEmpty();
    }

    @Test
    void mendsASharedChainByTheLinesThatDiffer() throws IptablesException {
        RuleSet both = grouped(Map.of("a", group("A", ACCEPT), "b", group("B", ACCEPT)));
        applier.apply(both);
        nat("-D TOP -m comment --comment \"A two\" -j OWN-A", "-I TOP 2 -p udp -j ACCEPT");
        recording.forget();
        assertThat(applier.repair(both)).isTrue();
        assertThat(recording.restored()).containsExactly("""
                *nat
                -D TOP -m comment --comment "A one" -j OWN-A
                -D TOP -p udp -j ACCEPT
                -I TOP -m comment --comment "A two" -j OWN-A
                -I TOP -m comment --comment "A one" -j OWN-A
                COMMIT
                """);
        assertThat(targets("TOP")).containsExactly("OWN-A", "OWN-A", "OWN-B", "OWN-B", "RETURN");
    }

    @Test
    void putsTheEntriesOfAGroupIntoTheirOrder() throws IptablesException {
        RuleSet both = grouped(Map.of("a", group("A", ACCEPT), "b", group("B", ACCEPT)));
        applier.apply(both);
        List<String> right = nat().rules("TOP");
        nat("-D TOP -m comment --comment \"A one\" -j OWN-A", "-I TOP 2 -m comment --comment \"A one\" -j OWN-A");
        assertThat(nat().rules("TOP")).isNotEqualTo(right);
        // The sizes of legacy tables do not tell this change.
        applier().apply(both);
        assertThat(nat().rules("TOP")).isEqualTo(right);
    }

    @Test
    void knowsWhichChainsOfOthersTheListingShowed() throws IptablesException {
        OwnedChains alien = new OwnedChains(Set.of("ALIEN"), Set.of());
        assertThat(applier.maySee(alien)).as("before any listing").isTrue();
        applier.apply(basic(TOP));
        assertThat(applier.maySee(alien)).isFalse();
        nat(":ALIEN - [0:0]");
        RuleApplier next = applier();
        next.apply(basic(TOP));
        assertThat(next.maySee(alien)).isTrue();
        assertThat(next.maySee(OWNED)).as("its own").isFalse();
    }

    @Test
    void putsTheLastRuleOfASharedChainLastAgain() throws IptablesException {
        RuleSet both = grouped(Map.of("a", group("A", ACCEPT)));
        applier.apply(both);
        nat("-D TOP -j RETURN", "-I TOP 1 -j RETURN");
        // The sizes of legacy tables do not tell this change.
        applier().apply(both);
        assertThat(targets("TOP")).containsExactly("OWN-A", "OWN-A", "RETURN");
    }

    @Test
    void leavesTheRulesOfOthersInASharedChain() throws IptablesException {
        nat(":SHARED - [0:0]", "-A SHARED -p udp -j ACCEPT", "-A SHARED -p tcp -j ACCEPT");
        RuleSet rules = rules(Map.of("SHARED", List.of(Rule.of(Target.Verdict.RETURN))), SHARED);
        applier.apply(rules);
        assertThat(targets("SHARED")).containsExactly("ACCEPT", "ACCEPT", "RETURN");
        recording.forget();
        assertThat(applier().repair(rules)).isFalse();
        assertThat(recording.restored()).isEmpty();
        applier.remove();
        assertThat(targets("SHARED")).contains("ACCEPT");
    }

    @Test
    void leavesOutTheGroupThatIsRefusedAndNoOther() throws IptablesException {
        Rule bad = Rule.of(new Target.Jump("OWN-MISSING"));
        RuleGroup refused = group("BAD", ACCEPT, bad);
        applier.apply(grouped(Map.of("a", group("A", ACCEPT), "bad", refused, "z", group("Z", ACCEPT))));
        assertThat(nat().userChains()).containsExactlyInAnyOrder("TOP", "OWN-A", "OWN-Z");
        assertThat(targets("TOP")).containsExactly("OWN-A", "OWN-A", "OWN-Z", "OWN-Z", "RETURN");
        assertThat(applier.refused())
                .containsOnlyKeys("bad")
                .allSatisfy((name, reason) -> assertThat(reason).contains("OWN-MISSING"));

        recording.forget();
        applier.update(Map.of("bad", Optional.of(refused), "b", Optional.of(group("B", ACCEPT))));
        assertThat(recording.restored()).hasSize(1);
        assertThat(applier.refused()).containsOnlyKeys("bad");

        applier.update(Map.of("bad", Optional.of(group("BAD", ACCEPT))));
        assertThat(targets("OWN-BAD")).containsExactly("ACCEPT");
        assertThat(applier.refused()).isEmpty();
    }

    @Test
    void failsWhenItIsNotAGroupThatIsRefused() {
        RuleSet broken = new RuleSet(
                Map.of(Table.NAT, new TreeMap<>(Map.of("TOP", List.of(jump("OWN-MISSING"))))),
                List.of(TOP),
                new TreeMap<>(Map.of("a", group("A", ACCEPT))));
        assertThatThrownBy(() -> applier.apply(broken))
                .isInstanceOf(IptablesException.class)
                .hasMessageContaining("OWN-MISSING");
        assertThat(applier.isKnown()).isFalse();
    }
}
