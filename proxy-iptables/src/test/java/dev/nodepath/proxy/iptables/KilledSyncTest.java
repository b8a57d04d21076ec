package dev.nodepath.proxy.iptables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.RandomChanges;
import dev.nodepath.endpoints.RandomSnapshots;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.SyncException;
import dev.nodepath.linux.FakeLinuxNet;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.iptables.IptablesNamespace;
import dev.nodepath.linux.iptables.IptablesVariant;
import dev.nodepath.linux.iptables.SavedTable;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * After a kill between any two steps of a sync the tables still carry unchanged connections, and the next sync
 * corrects them.
 */
@Tag("faults")
class KilledSyncTest {
    private static final int STEPS_MAX = 20;
    private static final int ROUNDS = 4;

    @ParameterizedTest
    @EnumSource(IptablesVariant.class)
    void theNextProcessMakesTheTablesRight(IptablesVariant variant) throws Exception {
        long seed = 31;
        RandomChanges changes = new RandomChanges(seed);
        try (IptablesNamespace namespace = IptablesNamespace.create(variant);
                IptablesNamespace fresh = IptablesNamespace.create(variant)) {
            Iptables iptables = namespace.iptables(IpFamily.IPV4);
            ServiceSnapshot before = ServiceSnapshot.EMPTY;
            String wrong = tablesAfter(before, fresh.iptables(IpFamily.IPV4));
            int kills = 0;
            for (int round = 0; round < ROUNDS; round++) {
                RandomChanges.Step next = changes.next();
                String right = tablesAfter(next.snapshot(), fresh.iptables(IpFamily.IPV4));
                boolean killed = true;
                for (int steps = 0; killed; steps++) {
                    assertThat(steps).isLessThan(STEPS_MAX);
                    proxy(iptables).sync(before, ChangeSet.NONE);
                    killed = isKilled(new DyingIptables(iptables, steps), before, next);
                    kills += killed ? 1 : 0;
                    String where = "seed %d round %d after %d steps".formatted(seed, round, steps);
                    assertThat(rules(tables(iptables))).as(where).containsAll(common(wrong, right));
                    if (killed) {
                        proxy(iptables).sync(next.snapshot(), ChangeSet.NONE);
                    }
                    assertThat(tables(iptables)).as(where).isEqualTo(right);
                }
                before = next.snapshot();
                wrong = right;
            }
            assertThat(kills).isGreaterThan(2 * ROUNDS);
        }
    }

    /** A restart, which has nothing to write, and then a change. */
    private static boolean isKilled(DyingIptables dying, ServiceSnapshot before, RandomChanges.Step next)
            throws LinuxNetException, SyncException {
        try {
            IptablesProxy proxy = proxy(dying);
            proxy.sync(before, ChangeSet.NONE);
            proxy.sync(next.snapshot(), next.changed());
            return false;
        } catch (DyingIptables.Killed e) {
            return true;
        }
    }

    /** Rules that always carry connections: those in force both before and after the sync. */
    private static Set<String> common(String before, String after) {
        Set<String> common = rules(before);
        common.retainAll(rules(after));
        return common;
    }

    /** Each with its table and chain. */
    private static Set<String> rules(String tables) {
        Set<String> rules = new TreeSet<>();
        String chain = "";
        for (String line : tables.lines().toList()) {
            chain = line.startsWith(" ") ? chain : line;
            rules.add(chain + line);
        }
        return rules;
    }

    @ParameterizedTest
    @EnumSource(IptablesVariant.class)
    void aFirstSyncMayBeKilledAnywhereToo(IptablesVariant variant) throws Exception {
        ServiceSnapshot snapshot = new RandomSnapshots(32).next();
        try (IptablesNamespace fresh = IptablesNamespace.create(variant)) {
            String right = tablesAfter(snapshot, fresh.iptables(IpFamily.IPV4));
            for (int steps = 0; steps < 4; steps++) {
                try (IptablesNamespace namespace = IptablesNamespace.create(variant)) {
                    Iptables iptables = namespace.iptables(IpFamily.IPV4);
                    boolean killed = isKilled(
                            new DyingIptables(iptables, steps),
                            snapshot,
                            new RandomChanges.Step(snapshot, ChangeSet.NONE));
                    assertThat(killed).isEqualTo(steps < 3);
                    proxy(iptables).sync(snapshot, ChangeSet.NONE);
                    assertThat(tables(iptables)).as("after %d steps", steps).isEqualTo(right);
                }
            }
        }
    }

    private static String tablesAfter(ServiceSnapshot snapshot, Iptables iptables)
            throws IptablesException, LinuxNetException, SyncException {
        proxy(iptables).sync(snapshot, ChangeSet.NONE);
        return tables(iptables);
    }

    private static IptablesProxy proxy(Iptables iptables) throws LinuxNetException {
        return new IptablesProxy(
                IptablesConfig.DEFAULTS, List.of(iptables), new FakeLinuxNet().current(), Optional.empty());
    }

    private static String tables(Iptables iptables) throws IptablesException {
        return ComparableRules.text(SavedTable.parseAll(iptables.save()));
    }
}
