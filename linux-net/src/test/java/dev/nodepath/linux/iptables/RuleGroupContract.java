package dev.nodepath.linux.iptables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * The contract of {@link RuleApplier} for groups of rules; run with the real commands and with the fake, on empty
 * tables.
 */
abstract class RuleGroupContract extends RuleApplierFixture {
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
        assertThat(applier.writtenCount(Table.NAT))
                .as("seven in chains and the hook")
                .isEqualTo(8);
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
        assertThat(applier.writtenCount(Table.NAT)).isEqualTo(4);

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
        assertThat(applier.writtenCount(Table.NAT)).isZero();
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
