package dev.nodepath.proxy.iptables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.DetectLocal;
import dev.nodepath.endpoints.RandomChanges;
import dev.nodepath.endpoints.RandomSnapshots;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.sync.RuleSyncStats;
import dev.nodepath.linux.FakeLinuxNet;
import dev.nodepath.linux.Repetitions;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.PacketCounters;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.iptables.IptablesNamespace;
import dev.nodepath.linux.iptables.IptablesVariant;
import dev.nodepath.linux.iptables.RecordingIptables;
import dev.nodepath.linux.iptables.SavedTable;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Syncs with the installed commands, both variants: partial and full ones, restarts, and changes by other programs.
 */
@Tag("netns")
class SyncNetnsTest {
    private static final int STEPS = 15;
    private static final int SEEDS = Repetitions.of(1, 3);
    private static final IptablesConfig CONFIG = IptablesConfig.DEFAULTS.with(draft -> {
        draft.nodeName = "n1";
        draft.detectLocal =
                new DetectLocal.ClusterCidr(List.of(Cidr.parse("10.244.0.0/16"), Cidr.parse("fd00:10:244::/56")));
    });

    static Stream<Arguments> variantsAndSeeds() {
        return Stream.of(IptablesVariant.values())
                .flatMap(variant -> LongStream.range(11, 11 + SEEDS).mapToObj(seed -> Arguments.of(variant, seed)));
    }

    private static IptablesProxy proxy(PacketCounters counters, Iptables... commands) throws LinuxNetException {
        return new IptablesProxy(CONFIG, List.of(commands), new FakeLinuxNet().current(), Optional.of(counters));
    }

    private static IptablesProxy proxy(Iptables... commands) throws LinuxNetException {
        return new IptablesProxy(CONFIG, List.of(commands), new FakeLinuxNet().current(), Optional.empty());
    }

    private static String tables(Iptables iptables) throws IptablesException {
        return ComparableRules.text(SavedTable.parseAll(iptables.save()));
    }

    @ParameterizedTest(name = "{0} seed {1}")
    @MethodSource("variantsAndSeeds")
    void partialSyncsLeadWhereAFullOneLeads(IptablesVariant variant, long seed) throws Exception {
        RandomChanges changes = new RandomChanges(seed);
        try (IptablesNamespace namespace = IptablesNamespace.create(variant);
                PacketCounters counters = namespace.packetCounters();
                IptablesNamespace fresh = IptablesNamespace.create(variant);
                PacketCounters freshCounters = fresh.packetCounters()) {
            RecordingIptables ipv4 = new RecordingIptables(namespace.iptables(IpFamily.IPV4));
            RecordingIptables ipv6 = new RecordingIptables(namespace.iptables(IpFamily.IPV6));
            IptablesProxy proxy = proxy(counters, ipv4, ipv6);
            for (int step = 0; step < STEPS; step++) {
                RandomChanges.Step next = changes.next();
                proxy.sync(next.snapshot(), next.changed());
                for (Iptables family : List.of(ipv4, ipv6)) {
                    Iptables other = fresh.iptables(family.family());
                    IptablesProxy.removeRules(other);
                    proxy(freshCounters, other).sync(next.snapshot(), ChangeSet.NONE);
                    assertThat(tables(family))
                            .as("%s seed %d step %d", family.family(), seed, step)
                            .isEqualTo(tables(other));
                }
            }
            RuleSyncStats<?> stats = proxy.stats(IpFamily.IPV4);
            assertThat(stats.partialSyncs()).as("seed %d", seed).isGreaterThan(STEPS / 2);
            assertThat(stats.partialFailures() + stats.fullFailures()).isZero();
        }
    }

    @ParameterizedTest(name = "{0} seed {1}")
    @MethodSource("variantsAndSeeds")
    void aRestartRewritesNothing(IptablesVariant variant, long seed) throws Exception {
        RandomSnapshots snapshots = new RandomSnapshots(seed);
        try (IptablesNamespace namespace = IptablesNamespace.create(variant);
                PacketCounters counters = namespace.packetCounters()) {
            for (int round = 0; round < 5; round++) {
                assertRestartRewritesNothing(namespace, counters, snapshots.next(), CONFIG);
            }
        }
    }

    static Stream<Arguments> variantsAndRecordings() throws Exception {
        List<Arguments> all = new ArrayList<>();
        for (IptablesVariant variant : IptablesVariant.values()) {
            Recording.all().forEach(recording -> all.add(Arguments.of(variant, recording)));
        }
        return all.stream();
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("variantsAndRecordings")
    void aRestartRewritesNothingOfARecording(IptablesVariant variant, Recording recording) throws Exception {
        try (IptablesNamespace namespace = IptablesNamespace.create(variant);
                PacketCounters counters = namespace.packetCounters()) {
            assertRestartRewritesNothing(namespace, counters, recording.snapshot(), recording.config());
        }
    }

    private static void assertRestartRewritesNothing(
            IptablesNamespace namespace, PacketCounters counters, ServiceSnapshot snapshot, IptablesConfig config)
            throws Exception {
        for (IpFamily family : IpFamily.values()) {
            RecordingIptables iptables = new RecordingIptables(namespace.iptables(family));
            new IptablesProxy(config, List.of(iptables), new FakeLinuxNet().current(), Optional.of(counters))
                    .sync(snapshot, ChangeSet.NONE);
            iptables.forget();
            new IptablesProxy(config, List.of(iptables), new FakeLinuxNet().current(), Optional.of(counters))
                    .sync(snapshot, ChangeSet.NONE);
            assertThat(iptables.restored()).isEmpty();
            assertThat(iptables.saves()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource(IptablesVariant.class)
    void mendsWhateverOthersDoAndLooksOnlyThen(IptablesVariant variant) throws Exception {
        long seed = 21;
        Random random = new Random(seed);
        RandomChanges changes = new RandomChanges(seed);
        try (IptablesNamespace namespace = IptablesNamespace.create(variant)) {
            RecordingIptables iptables = new RecordingIptables(namespace.iptables(IpFamily.IPV4));
            Iptables others = namespace.others(IpFamily.IPV4);
            IptablesProxy proxy = proxy(iptables);
            RandomChanges.Step last = changes.next();
            for (int step = 0; step < 10; step++) {
                last = changes.next();
                proxy.sync(last.snapshot(), step == 0 ? ChangeSet.NONE : last.changed());
            }
            proxy.sync(last.snapshot(), ChangeSet.NONE);
            others.restore("*mangle\n:OTHERS - [0:0]\nCOMMIT\n");
            String whole = tables(others);
            for (String damage : damages(others, random)) {
                iptables.forget();
                proxy.sync(last.snapshot(), ChangeSet.NONE);
                assertThat(iptables.restored()).as("before %s", damage).isEmpty();
                others.restore(damage);
                assertThat(tables(others)).isNotEqualTo(whole);
                // The legacy watch asks for a look without a reason now and then, so this may be the second.
                proxy.sync(last.snapshot(), ChangeSet.NONE);
                assertThat(tables(others)).as("seed %d after %s", seed, damage).isEqualTo(whole);
            }
            iptables.forget();
            for (int period = 0; period < 9; period++) {
                proxy.sync(last.snapshot(), ChangeSet.NONE);
            }
            assertThat(iptables.restored()).isEmpty();
            assertThat(iptables.saves()).isLessThanOrEqualTo(variant == IptablesVariant.NFT ? 0 : 2);
            assertThat(proxy.stats(IpFamily.IPV4).repairs()).isPositive();
        }
    }

    /**
     * One rule of a chain, a whole chain, a hook, a rule too many, a stale chain: in every table that has rules of
     * ours.
     */
    private static List<String> damages(Iptables iptables, Random random) throws IptablesException {
        List<String> damages = new ArrayList<>();
        damages.add("*mangle\n:KUBE-SEP-STALE - [0:0]\nCOMMIT\n");
        damages.add("*mangle\n:KUBE-SEP-STALE - [0:0]\n-A KUBE-SEP-STALE -j ACCEPT\nCOMMIT\n");
        SavedTable.parseAll(iptables.save()).forEach((table, saved) -> {
            List<String> chains = saved.userChains().stream()
                    .filter(chain -> !saved.rules(chain).isEmpty())
                    .toList();
            for (int i = 0; i < 4 && !chains.isEmpty(); i++) {
                String chain = chains.get(random.nextInt(chains.size()));
                // The programs do not find a rule with this match again by its text.
                List<String> rules = saved.rules(chain).stream()
                        .filter(rule -> !rule.contains("-m recent"))
                        .toList();
                damages.add("*" + table + "\n-F " + chain + "\nCOMMIT\n");
                if (!rules.isEmpty()) {
                    damages.add("*" + table + "\n-D " + chain + " " + rules.get(random.nextInt(rules.size()))
                            + "\nCOMMIT\n");
                }
                damages.add("*" + table + "\n-I KUBE-SERVICES -p udp -j ACCEPT\nCOMMIT\n");
            }
            for (String builtin : saved.builtins()) {
                if (!saved.rules(builtin).isEmpty()) {
                    damages.add("*" + table + "\n-F " + builtin + "\nCOMMIT\n");
                }
            }
        });
        return damages;
    }

    @ParameterizedTest
    @EnumSource(IptablesVariant.class)
    void mendsTablesThatAreGone(IptablesVariant variant) throws Exception {
        RandomChanges changes = new RandomChanges(22);
        try (IptablesNamespace namespace = IptablesNamespace.create(variant)) {
            Iptables iptables = namespace.iptables(IpFamily.IPV4);
            IptablesProxy proxy = proxy(iptables);
            RandomChanges.Step step = changes.next();
            proxy.sync(step.snapshot(), step.changed());
            String whole = tables(iptables);
            if (variant == IptablesVariant.NFT) {
                namespace.run("nft", "delete", "table", "ip", "nat");
                namespace.run("nft", "delete", "table", "ip", "filter");
            } else {
                for (String table : List.of("nat", "filter")) {
                    namespace.run("iptables-legacy", "-t", table, "-F");
                    namespace.run("iptables-legacy", "-t", table, "-X");
                }
            }
            proxy.sync(step.snapshot(), ChangeSet.NONE);
            assertThat(tables(iptables)).isEqualTo(whole);
        }
    }

    @ParameterizedTest
    @EnumSource(IptablesVariant.class)
    void aPartialSyncOnDamagedTablesBecomesAFullOne(IptablesVariant variant) throws Exception {
        RandomChanges changes = new RandomChanges(23);
        try (IptablesNamespace namespace = IptablesNamespace.create(variant);
                IptablesNamespace fresh = IptablesNamespace.create(variant)) {
            Iptables iptables = namespace.iptables(IpFamily.IPV4);
            IptablesProxy proxy = proxy(iptables);
            RandomChanges.Step last = changes.next();
            proxy.sync(last.snapshot(), last.changed());
            int failures = 0;
            for (int step = 0; step < STEPS; step++) {
                namespace
                        .others(IpFamily.IPV4)
                        .restore("*nat\n-F KUBE-SERVICES\nCOMMIT\n*filter\n-F KUBE-SERVICES\nCOMMIT\n");
                last = changes.next();
                proxy.sync(last.snapshot(), last.changed());
                if (proxy.stats(IpFamily.IPV4).partialFailures() > failures) {
                    failures++;
                    Iptables other = fresh.iptables(IpFamily.IPV4);
                    proxy(other).sync(last.snapshot(), ChangeSet.NONE);
                    assertThat(tables(iptables)).isEqualTo(tables(other));
                }
            }
            assertThat(failures).isPositive();
            assertThat(proxy.stats(IpFamily.IPV4).fullFailures()).isZero();
        }
    }
}
