package dev.nodepath.linux.iptables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * The contract of {@link RuleApplier} for chains, hooks and groups; run with the real commands and with the fake, on
 * empty tables.
 */
abstract class RuleApplierContract extends RuleGroupContract {
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
}
