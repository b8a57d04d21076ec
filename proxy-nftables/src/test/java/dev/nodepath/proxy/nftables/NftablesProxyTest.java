package dev.nodepath.proxy.nftables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.NodePortAddresses;
import dev.nodepath.endpoints.RandomChanges;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.Snapshots;
import dev.nodepath.endpoints.SyncException;
import dev.nodepath.endpoints.sync.ManyLimit;
import dev.nodepath.endpoints.sync.RuleSyncs;
import dev.nodepath.linux.FakeNftTables;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftTransaction;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Syncs into nf_tables in memory: refusals, lost answers, limits, and other programs. */
class NftablesProxyTest {
    private static final NftTable TABLE = NftablesRules.table(IpFamily.IPV4);
    private final FakeNftTables nft = new FakeNftTables();
    private final NftablesProxy proxy = proxy(true);

    private NftablesProxy proxy(boolean removesAtOnce) {
        return new NftablesProxy(NftablesConfig.DEFAULTS, List.of(IpFamily.values()), nft, removesAtOnce, List::of);
    }

    private static Snapshots twoServices() {
        return Snapshots.service("ns/good", "10.96.0.1", 80)
                .endpoint("10.244.1.1:8080", "n1")
                .andService("ns/bad", "10.96.0.2", 80)
                .endpoint("10.244.1.2:8080", "n1");
    }

    private Set<String> chains() {
        return nft.read(TABLE).orElseThrow().chains().keySet();
    }

    private static Predicate<NftChange> chainsOf(String service) {
        return change -> change instanceof NftChange.AddChain chain
                && chain.chain().name().contains(service);
    }

    /** Each expression of rules that all Services share. */
    @ParameterizedTest
    @ValueSource(strings = {"bitwise", "cmp", "ct", "masq", "meta", "payload", "reject", "fib"})
    void namesTheExpressionThatTheKernelLacksAndAModeThatWorks(String expression) throws Exception {
        NftablesProxy everyAddress = new NftablesProxy(
                HardInput.CONFIG.with(draft -> draft.nodePortAddresses = NodePortAddresses.ALL),
                List.of(IpFamily.values()),
                nft,
                true,
                List::of);
        nft.lack(Set.of(expression));
        assertThatThrownBy(() -> everyAddress.sync(twoServices().build(), ChangeSet.NONE))
                .isInstanceOf(SyncException.class)
                .hasMessageStartingWith("IPv4 table: kernel: no expression " + expression
                        + " (expected: a kernel with it, or mode iptables): change table ip kube-proxy: ")
                .hasMessageContaining("ENOENT (no expression " + expression + " in this kernel)");

        nft.lack(Set.of());
        everyAddress.sync(twoServices().build(), ChangeSet.NONE);
        assertThat(chains()).anyMatch(name -> name.contains("ns/good"));
    }

    /** Each expression that some Services need. */
    @ParameterizedTest
    @ValueSource(strings = {"numgen", "nat", "counter"})
    void leavesOutServicesThatNeedAnExpressionThatTheKernelLacks(String expression) throws Exception {
        NftablesWriter rules = new NftablesWriter(IpFamily.IPV4, nft, true);
        RuleSyncs<NftablesConfig, TableSize> sync = new RuleSyncs<>(List.of(rules), "table", TableSize.NONE);
        ServiceSnapshot services =
                twoServices().endpoint("10.244.1.3:8080", "n1").affinity(10).build();
        NftablesConfig counting = HardInput.CONFIG.with(draft -> draft.countsConnections = true);
        nft.lack(Set.of(expression));
        for (int i = 0; i < 2; i++) {
            sync.sync(services, ChangeSet.NONE, () -> counting, family -> {});
            assertThat(sync.stats(IpFamily.IPV4).refusedServicePorts()).isPositive();
            assertThat(rules.advice())
                    .hasValue("no expression " + expression + " (expected: a kernel with it, or mode iptables)");
        }
        nft.lack(Set.of());
        sync.sync(services, ChangeSet.NONE, () -> counting, family -> {});
        assertThat(sync.stats(IpFamily.IPV4).refusedServicePorts()).isZero();
        assertThat(rules.advice()).isEmpty();
    }

    @Test
    void servesTheOthersWhenTheKernelRefusesAService() throws Exception {
        nft.refuse(chainsOf("ns/bad"));
        proxy.sync(twoServices().build(), ChangeSet.NONE);
        assertThat(chains()).anyMatch(name -> name.contains("ns/good")).noneMatch(name -> name.contains("ns/bad"));
        assertThat(proxy.stats(IpFamily.IPV4).refusedServicePorts()).isOne();
        assertThat(proxy.stats(IpFamily.IPV4).fullFailures()).isZero();
    }

    @Test
    void triesARefusedServiceAgain() throws Exception {
        ServiceSnapshot snapshot = twoServices().build();
        nft.refuse(chainsOf("ns/bad"));
        proxy.sync(snapshot, ChangeSet.NONE);
        nft.refuse(change -> false);
        proxy.sync(snapshot, ChangeSet.NONE);
        assertThat(chains()).anyMatch(name -> name.contains("ns/bad"));
        assertThat(proxy.stats(IpFamily.IPV4).refusedServicePorts()).isZero();
    }

    @Test
    void findsTheServiceOfARefusedElement() throws Exception {
        nft.refuse(change -> change instanceof NftChange.AddElements addition
                && addition.set().name().equals("cluster-ips")
                && addition.elements().stream()
                        .anyMatch(element -> element.key().toString().equals("0a600002")));
        proxy.sync(twoServices().build(), ChangeSet.NONE);
        assertThat(chains()).anyMatch(name -> name.contains("ns/good")).noneMatch(name -> name.contains("ns/bad"));
    }

    @Test
    void failsWhenTheFrameIsRefusedAndRecoversAfterwards() throws Exception {
        nft.refuse(change -> change instanceof NftChange.AddChain chain
                && chain.chain().name().equals("services"));
        ServiceSnapshot snapshot = twoServices().build();
        assertThatThrownBy(() -> proxy.sync(snapshot, ChangeSet.NONE)).isInstanceOf(SyncException.class);
        nft.refuse(change -> false);
        proxy.sync(snapshot, ChangeSet.NONE);
        assertThat(chains()).contains("services");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void readsTheTableAgainAfterALostAnswer(boolean removesAtOnce) throws Exception {
        NftablesProxy other = proxy(removesAtOnce);
        other.sync(twoServices().build(), ChangeSet.NONE);
        ServiceSnapshot next = Snapshots.service("ns/good", "10.96.0.1", 80).build();
        nft.loseNextAnswer();
        other.sync(next, ChangeSet.of(twoServices().build().services().keySet()));
        other.sync(next, ChangeSet.NONE);
        assertThat(nft.read(TABLE).orElseThrow()).isEqualTo(desired(next));
        assertThat(other.stats(IpFamily.IPV4).partialFailures()).isOne();
    }

    private static NftTableState desired(ServiceSnapshot snapshot) throws Exception {
        FakeNftTables fresh = new FakeNftTables();
        new NftablesProxy(NftablesConfig.DEFAULTS, List.of(IpFamily.IPV4), fresh, true, List::of)
                .sync(snapshot, ChangeSet.NONE);
        return fresh.read(TABLE).orElseThrow();
    }

    /**
     * With a small send buffer changes take several transactions, and after each one all reachable chains are
     * finished.
     */
    @Test
    void leadsToNoUnfinishedChainWhateverTheLimit() throws Exception {
        long seed = new Random().nextLong();
        RandomChanges changes = new RandomChanges(seed);
        nft.limitTransactions(8 * 1024);
        for (int step = 0; step < 60; step++) {
            RandomChanges.Step next = changes.next();
            proxy.sync(next.snapshot(), next.changed());
            assertThat(nft.read(TABLE).orElseThrow())
                    .as("seed %d step %d", seed, step)
                    .isEqualTo(desired(next.snapshot()));
        }
        assertThat(nft.transactions()).as("seed %d", seed).hasSizeGreaterThan(60);
        assertCompleteAfterEachTransaction("seed " + seed);
    }

    @Test
    void sharedMapsHaveEveryEndpointWhateverTheLimit() throws Exception {
        nft.limitTransactions(32 * 1024);
        for (int endpoints : List.of(3, 1, 2, 0, 2)) {
            ServiceSnapshot snapshot = manyServices(endpoints);
            proxy.sync(snapshot, ChangeSet.of(snapshot.services().keySet()));
            assertThat(nft.read(TABLE).orElseThrow()).isEqualTo(desired(snapshot));
        }
        assertCompleteAfterEachTransaction("shared maps");
    }

    /** A change of all ports at once, from the fields of some of these words to those of the others. */
    @ParameterizedTest
    @CsvSource({"'', affinity", "affinity, ''", "'', local", "local, ''", "affinity local, ''", "affinity, local"})
    void changesAllPortsWithoutAnUnfinishedChain(String before, String after) throws Exception {
        nft.limitTransactions(4 * 1024);
        for (String words : List.of(before, after)) {
            ServiceSnapshot snapshot = nodePorts(words);
            proxy.sync(snapshot, ChangeSet.of(snapshot.services().keySet()));
        }
        assertCompleteAfterEachTransaction(before + " -> " + after);
    }

    private static ServiceSnapshot nodePorts(String words) {
        Snapshots snapshots = Snapshots.service("ns/s0", "10.96.0.1", 80);
        for (int i = 0; i < 40; i++) {
            if (i > 0) {
                snapshots.andService("ns/s" + i, "10.96.0." + (i + 1), 80);
            }
            snapshots.nodePort(30000 + i);
            if (words.contains("affinity")) {
                snapshots.affinity(60);
            }
            if (words.contains("local")) {
                snapshots.externalTrafficLocal();
            }
            snapshots.endpoint("10.244.1.1:8080", "").endpoint("10.244.2.1:8080", "n2");
        }
        return snapshots.build();
    }

    private static ServiceSnapshot manyServices(int endpoints) {
        Snapshots many = Snapshots.service("ns/first", "10.96.0.1", 80);
        for (int i = 0; i <= ManyLimit.MANY; i++) {
            many.andService("ns/s" + i, "10.97." + i / 250 + "." + i % 250, 80);
            many.endpoint("10.244.1.1:8080", "n1");
            for (int endpoint = 0; endpoint < (i % 5 == 0 ? endpoints : 0); endpoint++) {
                many.endpoint("10.244.2." + (endpoint + 1) + ":8080", "n1");
            }
        }
        return many.build();
    }

    private void assertCompleteAfterEachTransaction(String what) throws Exception {
        FakeNftTables again = new FakeNftTables();
        int number = 0;
        for (NftTransaction transaction : nft.transactions()) {
            again.apply(transaction);
            int now = ++number;
            again.read(TABLE)
                    .ifPresent(table -> assertThat(UnfinishedChains.of(table))
                            .as(
                                    "%s, after transaction %d of %d",
                                    what, now, nft.transactions().size())
                            .isEmpty());
        }
    }

    /** More elements than fit one transaction, and their removal. */
    @Test
    void dividesManyElementsAndRemovals() throws Exception {
        Snapshots many = Snapshots.service("ns/first", "10.96.0.1", 80);
        for (int i = 1; i < 900; i++) {
            many.andService("ns/s" + i, "10.97." + i / 250 + "." + i % 250, 80);
        }
        nft.limitTransactions(64 * 1024);
        proxy.sync(many.build(), ChangeSet.NONE);
        assertThat(nft.read(TABLE).orElseThrow()).isEqualTo(desired(many.build()));
        proxy.sync(ServiceSnapshot.EMPTY, ChangeSet.of(many.build().services().keySet()));
        assertThat(nft.read(TABLE).orElseThrow()).isEqualTo(desired(ServiceSnapshot.EMPTY));
        assertThat(proxy.stats(IpFamily.IPV4).partialFailures()).isZero();
    }

    @Test
    void blamesNoServiceForARefusalOfTheFrame() throws Exception {
        proxy.sync(twoServices().build(), ChangeSet.NONE);
        nft.changeAsAnother(new NftChange.DeleteTable(TABLE));
        proxy.sync(
                twoServices().build(),
                ChangeSet.of(twoServices().build().services().keySet()));
        assertThat(proxy.stats(IpFamily.IPV4).refusedServicePorts()).isZero();
        assertThat(nft.read(TABLE).orElseThrow())
                .isEqualTo(desired(twoServices().build()));
    }

    @Test
    void changesNothingAfterARestart() throws Exception {
        proxy.sync(twoServices().build(), ChangeSet.NONE);
        int before = nft.transactions().size();
        proxy(true).sync(twoServices().build(), ChangeSet.NONE);
        assertThat(nft.transactions()).hasSize(before);
    }

    @Test
    void givesAnAddressOfTwoServicesToTheFirstByNameAndThenToTheOther() throws Exception {
        Snapshots both = Snapshots.service("ns/b", "10.96.0.2", 80)
                .externalIps("192.168.99.1")
                .endpoint("10.244.1.2:8080", "n1")
                .andService("ns/a", "10.96.0.1", 80)
                .externalIps("192.168.99.1")
                .endpoint("10.244.1.1:8080", "n1");
        proxy.sync(both.build(), ChangeSet.NONE);
        assertThat(external()).contains("ns/a");
        ServiceSnapshot alone = Snapshots.service("ns/b", "10.96.0.2", 80)
                .externalIps("192.168.99.1")
                .endpoint("10.244.1.2:8080", "n1")
                .build();
        proxy.sync(alone, ChangeSet.of(both.build().services().keySet()));
        assertThat(external()).contains("ns/b");
    }

    private String external() {
        return Objects.requireNonNull(nft.read(TABLE).orElseThrow().sets().get("service-ips"))
                .elements()
                .values()
                .stream()
                .map(element -> element.data().map(Object::toString).orElse(""))
                .filter(data -> data.startsWith("goto external-"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void countsTransactionsByTheirChanges() throws Exception {
        proxy.sync(twoServices().build(), ChangeSet.NONE);
        int sent = nft.transactions().stream()
                .map(NftTransaction::changes)
                .mapToInt(List::size)
                .sum();
        assertThat(proxy.stats(IpFamily.IPV4).size().written()
                        + proxy.stats(IpFamily.IPV6).size().written())
                .isEqualTo(sent);
    }
}
