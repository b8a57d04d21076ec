package dev.nodepath.proxy.nftables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.RandomChanges;
import dev.nodepath.endpoints.RandomSnapshots;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.Snapshots;
import dev.nodepath.endpoints.sync.RuleSyncStats;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.Repetitions;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.IptablesNamespace;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftTables;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Syncs into the kernel: partial and full ones, restarts, and changes by other programs. */
@Tag("netns")
class TableHistoryNetnsTest {
    private static final NftablesConfig CONFIG = HardInput.CONFIG;

    /** A namespace with its tables. */
    private record Host(IptablesNamespace namespace, NftTables nft) implements AutoCloseable {
        static Host create() throws IOException {
            IptablesNamespace namespace = IptablesNamespace.create();
            return new Host(namespace, namespace.opened().call(new KernelLinuxNet()::nftTables));
        }

        NftablesProxy proxy(boolean removesAtOnce) {
            return new NftablesProxy(CONFIG, List.of(IpFamily.values()), nft, removesAtOnce, List::of);
        }

        List<NftTableState> tables() throws IOException {
            List<NftTableState> tables = new ArrayList<>();
            for (IpFamily family : IpFamily.values()) {
                tables.add(nft.read(NftablesRules.table(family)).orElseThrow());
            }
            return tables;
        }

        @Override
        public void close() throws IOException {
            nft.close();
            namespace.close();
        }
    }

    private static void apply(Host fresh, ServiceSnapshot snapshot) throws Exception {
        for (IpFamily family : IpFamily.values()) {
            NftablesProxy.removeTable(fresh.nft(), family);
        }
        fresh.proxy(true).sync(snapshot, ChangeSet.NONE);
    }

    @ParameterizedTest(name = "removes at once: {0}")
    @ValueSource(booleans = {true, false})
    void partialSyncsLeadWhereAFullOneLeads(boolean removesAtOnce) throws Exception {
        long seed = new Random().nextLong();
        RandomChanges changes = new RandomChanges(seed);
        try (Host host = Host.create();
                Host fresh = Host.create()) {
            NftablesProxy proxy = host.proxy(removesAtOnce);
            int steps = Repetitions.of(500, 50_000);
            for (int step = 0; step < steps; step++) {
                RandomChanges.Step next = changes.next();
                proxy.sync(next.snapshot(), next.changed());
                if (!removesAtOnce) {
                    // The next sync removes chains that the last one left empty.
                    proxy.sync(next.snapshot(), ChangeSet.NONE);
                }
                apply(fresh, next.snapshot());
                assertThat(host.tables()).as("seed %d step %d", seed, step).isEqualTo(fresh.tables());
            }
            RuleSyncStats<TableSize> stats = proxy.stats(IpFamily.IPV4);
            // The first one, and one when the Node appears.
            assertThat(stats.fullSyncs()).as("seed %d", seed).isLessThanOrEqualTo(2);
            assertThat(stats.partialFailures()
                            + stats.fullFailures()
                            + stats.size().cleanupFailures()
                            + stats.repairs())
                    .as("seed %d: %s", seed, stats)
                    .isZero();
        }
    }

    @Test
    void aRestartChangesNothing() throws Exception {
        long seed = new Random().nextLong();
        RandomSnapshots snapshots = new RandomSnapshots(seed);
        try (Host host = Host.create()) {
            for (int round = 0; round < 20; round++) {
                ServiceSnapshot snapshot = snapshots.next();
                host.proxy(true).sync(snapshot, ChangeSet.NONE);
                int generation = host.nft().generation();
                NftablesProxy restarted = host.proxy(true);
                restarted.sync(snapshot, ChangeSet.NONE);
                for (IpFamily family : IpFamily.values()) {
                    assertThat(restarted.stats(family).size().written())
                            .as("seed %d round %d", seed, round)
                            .isZero();
                }
                assertThat(host.nft().generation()).isEqualTo(generation);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void changesTheTimeoutOfAnAffinityWhoseChainGoes(boolean removesAtOnce) throws Exception {
        try (Host host = Host.create();
                Host fresh = Host.create()) {
            NftablesProxy proxy = host.proxy(removesAtOnce);
            proxy.sync(sticky().externalTrafficLocal().affinity(10).build(), ChangeSet.NONE);
            ServiceSnapshot next = sticky().affinity(20).build();
            proxy.sync(next, ChangeSet.of(next.services().keySet()));
            proxy.sync(next, ChangeSet.NONE);
            apply(fresh, next);
            assertThat(host.tables()).isEqualTo(fresh.tables());
            assertThat(proxy.stats(IpFamily.IPV4).partialFailures()).isZero();
        }
    }

    private static Snapshots sticky() {
        return Snapshots.service("ns/sticky", "10.96.1.0", 80)
                .nodePort(30080)
                .endpoint("10.244.1.2:8080", "n1")
                .endpoint("10.244.2.2:8080", "n2");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "flush chain ip kube-proxy services",
                "flush table ip kube-proxy",
                "delete table ip kube-proxy",
                "delete element ip kube-proxy cluster-ips { 10.96.1.0 }",
                "add element ip kube-proxy cluster-ips { 10.96.77.77 }",
                "insert rule ip kube-proxy services drop",
                "add chain ip kube-proxy theirs",
                "add table ip kube-proxy { flags dormant ; }",
                "add set ip kube-proxy theirs { type ipv4_addr ; }",
                "add set ip kube-proxy ranges { type ipv4_addr ; flags interval ; elements = { 10.0.0.0/24 } ; }",
                "flush ruleset"
            })
    void repairsWhatOthersChange(String command) throws Exception {
        ServiceSnapshot snapshot = Snapshots.service("first/first", "10.96.1.0", 80)
                .endpoint("10.244.1.2:8080", "n1")
                .node("n1", "", "172.30.0.1,fd00:30::1", "10.244.1.0/24")
                .build();
        try (Host host = Host.create()) {
            NftablesProxy proxy = host.proxy(true);
            proxy.sync(snapshot, ChangeSet.NONE);
            List<NftTableState> before = host.tables();
            host.namespace().run("nft", command);
            proxy.sync(snapshot, ChangeSet.NONE);
            assertThat(host.tables()).isEqualTo(before);
            assertThat(proxy.stats(IpFamily.IPV4).repairs()).isOne();

            host.namespace().run("nft", command);
            proxy.sync(snapshot, ChangeSet.of(snapshot.services().keySet()));
            host.namespace().run("nft", "add table ip others");
            proxy.sync(snapshot, ChangeSet.NONE);
            assertThat(host.tables()).isEqualTo(before);
            assertThat(proxy.stats(IpFamily.IPV4).repairs()).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void lostAnnouncementsAreAReasonToReadOnlyIfAnotherChangedSomething(long seed) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        RandomSnapshots snapshots = new RandomSnapshots(seed);
        try (Host host = Host.create()) {
            WatchedTables counting = new WatchedTables(host.nft());
            NftablesProxy proxy = new NftablesProxy(CONFIG, List.of(IpFamily.IPV4), counting, true, List::of);
            proxy.sync(snapshots.next(), ChangeSet.NONE);
            counting.loseAnnouncements();
            for (int i = 0; i < 20; i++) {
                int reads = counting.reads();
                boolean another = random.nextInt(3) == 0;
                if (another) {
                    host.namespace().run("nft", "add chain ip kube-proxy theirs");
                }
                ServiceSnapshot snapshot = snapshots.next();
                proxy.sync(snapshot, ChangeSet.of(snapshot.services().keySet()));
                assertThat(counting.reads() > reads).as("reads in round " + i).isEqualTo(another);
                assertThat(host.namespace().run("nft", "list table ip kube-proxy"))
                        .as("round " + i)
                        .doesNotContain("theirs");
            }
        }
    }

    @Test
    void anotherTableIsNoReasonToReadThisOne() throws Exception {
        RandomSnapshots snapshots = new RandomSnapshots(1);
        try (Host host = Host.create()) {
            WatchedTables counting = new WatchedTables(host.nft());
            NftablesProxy proxy = new NftablesProxy(CONFIG, List.of(IpFamily.IPV4), counting, true, List::of);
            ServiceSnapshot snapshot = snapshots.next();
            proxy.sync(snapshot, ChangeSet.NONE);
            assertThat(counting.reads()).isOne();
            for (int i = 0; i < 10; i++) {
                host.namespace().run("nft", "add table ip others" + i);
                proxy.sync(snapshot, ChangeSet.of(snapshot.services().keySet()));
                host.namespace().run("nft", "add table ip6 kube-proxy" + i);
                snapshot = snapshots.next();
                proxy.sync(snapshot, ChangeSet.NONE);
            }
            assertThat(counting.reads()).isOne();
            assertThat(proxy.stats(IpFamily.IPV4).repairs()).isZero();
        }
    }
}
