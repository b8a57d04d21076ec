package dev.nodepath.proxy.iptables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.DetectLocal;
import dev.nodepath.endpoints.RandomSnapshots;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesNamespace;
import dev.nodepath.linux.iptables.RuleApplier;
import dev.nodepath.linux.iptables.RuleSet;
import dev.nodepath.linux.iptables.SavedTable;
import dev.nodepath.linux.iptables.Table;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** For random Services and ways to recognise pods, the kernel accepts the rules and holds as many as we wrote. */
@Tag("netns")
class RandomRulesNetnsTest {
    private static final int ROUNDS = 6;
    private static final List<DetectLocal> MODES = List.of(
            new DetectLocal.NodeCidr(), DetectLocal.bridgeInterface("cni0"), DetectLocal.interfaceNamePrefix("veth"));

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {7, 8})
    void theKernelTakesTheRulesOfAnySnapshot(long seed) throws Exception {
        RandomSnapshots snapshots = new RandomSnapshots(seed);
        try (IptablesNamespace namespace = IptablesNamespace.create()) {
            for (IpFamily family : IpFamily.values()) {
                Iptables iptables = namespace.iptables(family);
                RuleApplier applier = new RuleApplier(iptables, Chains.OWNED);
                for (int round = 0; round < ROUNDS; round++) {
                    ServiceSnapshot snapshot = snapshots.next();
                    DetectLocal local = MODES.get(round % MODES.size());
                    IptablesConfig config = IptablesConfig.DEFAULTS.with(draft -> {
                        draft.nodeName = "n1";
                        draft.detectLocal = local;
                    });
                    RuleSet rules = IptablesRules.of(snapshot, config, family);
                    applier.apply(rules);
                    for (Table table : List.of(Table.FILTER, Table.NAT)) {
                        SavedTable saved = SavedTable.parse(iptables.save(table));
                        rules.chains(table)
                                .forEach((chain, list) -> assertThat(saved.rules(chain))
                                        .as("seed %d %s %s", seed, family, chain)
                                        .hasSameSizeAs(list));
                    }
                }
            }
        }
    }
}
