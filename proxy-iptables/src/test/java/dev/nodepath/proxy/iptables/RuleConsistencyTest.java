package dev.nodepath.proxy.iptables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.DetectLocal;
import dev.nodepath.endpoints.RandomSnapshots;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.FakeIptables;
import dev.nodepath.linux.iptables.Hook;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.iptables.Match;
import dev.nodepath.linux.iptables.RestoreText;
import dev.nodepath.linux.iptables.Rule;
import dev.nodepath.linux.iptables.RuleApplier;
import dev.nodepath.linux.iptables.RuleSet;
import dev.nodepath.linux.iptables.SavedTable;
import dev.nodepath.linux.iptables.Table;
import dev.nodepath.linux.iptables.Target;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Properties of the rules of any snapshot. */
class RuleConsistencyTest {
    private static final int ROUNDS = 100;
    private static final IptablesConfig CONFIG = IptablesConfig.DEFAULTS.with(draft -> {
        draft.nodeName = "n1";
        draft.detectLocal =
                new DetectLocal.ClusterCidr(List.of(Cidr.parse("10.244.0.0/16"), Cidr.parse("fd00:10:244::/56")));
    });

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void everyJumpLeadsToAChainAndEveryChainIsReached(long seed) {
        RandomSnapshots snapshots = new RandomSnapshots(seed);
        for (int round = 0; round < ROUNDS; round++) {
            ServiceSnapshot snapshot = snapshots.next();
            for (IpFamily family : IpFamily.values()) {
                RuleSet rules = IptablesRules.of(snapshot, CONFIG, family);
                for (Table table : Table.values()) {
                    assertThat(reached(rules, table))
                            .as("seed %d round %d %s %s", seed, round, family, table)
                            .isEqualTo(rules.chains(table).keySet());
                }
            }
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void everyRuleIsOfItsFamilyAndFitsTheLimitsOfIptables(long seed) {
        RandomSnapshots snapshots = new RandomSnapshots(seed);
        for (int round = 0; round < ROUNDS; round++) {
            ServiceSnapshot snapshot = snapshots.next();
            for (IpFamily family : IpFamily.values()) {
                RuleSet rules = IptablesRules.of(snapshot, CONFIG, family);
                for (Table table : Table.values()) {
                    rules.chains(table).forEach((chain, list) -> {
                        assertThat(chain).hasSizeLessThanOrEqualTo(28);
                        list.forEach(rule -> checkFamily(rule, family));
                    });
                }
            }
        }
    }

    /** After any steps the rules in force equal those that a new process would write into empty tables. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {4, 5, 6})
    void differencesLeadWhereACompleteTextLeads(long seed) throws IptablesException {
        RandomSnapshots snapshots = new RandomSnapshots(seed);
        FakeIptables iptables = new FakeIptables(IpFamily.IPV4);
        RuleApplier applier = new RuleApplier(iptables, Chains.OWNED);
        for (int round = 0; round < ROUNDS; round++) {
            RuleSet desired = IptablesRules.of(snapshots.next(), CONFIG, IpFamily.IPV4);
            if (round % 10 == 9) {
                applier = new RuleApplier(iptables, Chains.OWNED);
            }
            applier.apply(desired);
            FakeIptables fresh = new FakeIptables(IpFamily.IPV4);
            fresh.restore(RestoreText.complete(desired));
            for (Table table : List.of(Table.FILTER, Table.NAT)) {
                assertThat(ComparableRules.text(Map.of(table, SavedTable.parse(iptables.save(table)))))
                        .as("seed %d round %d %s", seed, round, table)
                        .isEqualTo(ComparableRules.text(Map.of(table, SavedTable.parse(fresh.save(table)))));
            }
        }
    }

    private static Set<String> reached(RuleSet rules, Table table) {
        Set<String> reached = new HashSet<>();
        if (table == Table.NAT) {
            // Part of the scaffold, whether or not any Service has a use for it.
            reached.add(Chains.MARK_MASQ);
        }
        for (Hook hook : rules.hooks()) {
            if (hook.table() == table) {
                reach(hook.chain(), rules.chains(table), reached);
            }
        }
        return reached;
    }

    private static void reach(String chain, Map<String, List<Rule>> chains, Set<String> reached) {
        assertThat(chains).containsKey(chain);
        if (reached.add(chain)) {
            for (Rule rule : chains.getOrDefault(chain, List.of())) {
                if (rule.target() instanceof Target.Jump jump) {
                    reach(jump.chain(), chains, reached);
                }
            }
        }
    }

    private static void checkFamily(Rule rule, IpFamily family) {
        for (Match match : rule.matches()) {
            if (match instanceof Match.Source source) {
                assertThat(source.network().family()).isEqualTo(family);
            } else if (match instanceof Match.Destination destination) {
                assertThat(destination.network().family()).isEqualTo(family);
            } else if (match instanceof Match.Comment comment) {
                assertThat(comment.text()).hasSizeLessThan(256).doesNotContain("\"");
            }
        }
        if (rule.target() instanceof Target.Dnat dnat) {
            assertThat(dnat.address().family()).isEqualTo(family);
        }
    }
}
