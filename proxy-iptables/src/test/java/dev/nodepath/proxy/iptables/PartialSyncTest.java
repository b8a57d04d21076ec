package dev.nodepath.proxy.iptables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.Snapshots;
import dev.nodepath.endpoints.SyncException;
import dev.nodepath.endpoints.sync.RuleSyncStats;
import dev.nodepath.linux.FakeLinuxNet;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.FakeIptables;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.iptables.Table;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Syncs of the changed Services, and the reasons for a full sync or for leaving Services out. */
class PartialSyncTest {
    private final FakeIptables ipv4 = new FakeIptables(IpFamily.IPV4);
    private final IptablesProxy proxy;

    PartialSyncTest() throws LinuxNetException {
        proxy = new IptablesProxy(
                IptablesConfig.DEFAULTS, List.of(ipv4), new FakeLinuxNet().current(), Optional.empty());
    }

    static Snapshots twoServices() {
        return Snapshots.service("default/web:http", "10.96.1.1", 80)
                .endpoint("10.244.0.10:8080", "n1")
                .andService("default/other", "10.96.1.2", 443)
                .endpoint("10.244.0.20:8443", "n1");
    }

    @Test
    void sendsOnlyTheRulesOfTheServiceThatChanged() throws SyncException {
        ServiceSnapshot before = twoServices().build();
        ServiceSnapshot after = twoServices().endpoint("10.244.0.21:8443", "n1").build();
        proxy.sync(before, ChangeSet.NONE);
        proxy.sync(after, ChangeSet.of(List.of(after.services().firstKey())));
        proxy.sync(before, ChangeSet.of(List.of(after.services().lastKey())));
        assertThat(ipv4.restored()).hasSize(2);
        assertThat(ipv4.restored().get(1))
                .contains("10.244.0.21:8443")
                .doesNotContain("KUBE-SERVICES", "web:http", "*filter");
        RuleSyncStats<RuleCounts> stats = proxy.stats(IpFamily.IPV4);
        assertThat(stats.fullSyncs()).isEqualTo(1);
        assertThat(stats.partialSyncs()).isEqualTo(2);
        assertThat(stats.lastSync()).isPresent();
        long inForce = ipv4.save(Table.NAT)
                .lines()
                .filter(line -> line.startsWith("-A KUBE-"))
                .count();
        assertThat(stats.size().rules()).containsEntry(Table.NAT, (int) inForce);
    }

    @Test
    void looksAtTheTablesOnlyWhenOthersHaveChangedThem() throws SyncException, IptablesException {
        ipv4.watch();
        ServiceSnapshot snapshot = twoServices().build();
        proxy.sync(snapshot, ChangeSet.NONE);
        String whole = ipv4.save(Table.NAT);
        int saves = ipv4.saves();
        for (int period = 0; period < 5; period++) {
            proxy.sync(snapshot, ChangeSet.NONE);
        }
        assertThat(ipv4.saves()).isEqualTo(saves);
        assertThat(proxy.fullSyncs(IpFamily.IPV4)).isEqualTo(1);

        ipv4.restoreByOther("*nat\n-F KUBE-SERVICES\nCOMMIT\n");
        proxy.sync(snapshot, ChangeSet.NONE);
        assertThat(ipv4.saves()).isEqualTo(saves + 1);
        assertThat(ipv4.save(Table.NAT)).isEqualTo(whole);
        assertThat(proxy.stats(IpFamily.IPV4).repairs()).isEqualTo(1);
        assertThat(proxy.fullSyncs(IpFamily.IPV4)).isEqualTo(2);
    }

    @Test
    void retriesAFailedPartialSyncAsAFullOneAtOnce() throws SyncException {
        ServiceSnapshot after = twoServices().endpoint("10.244.0.21:8443", "n1").build();
        proxy.sync(twoServices().build(), ChangeSet.NONE);
        ipv4.failNext();
        proxy.sync(after, ChangeSet.of(List.of(after.services().firstKey())));
        assertThat(ipv4.save(Table.NAT)).contains("10.244.0.21:8443");
        assertThat(proxy.stats(IpFamily.IPV4).partialFailures()).isEqualTo(1);
        assertThat(proxy.stats(IpFamily.IPV4).fullFailures()).isZero();
    }

    @Test
    void oneServiceThatIsRefusedDoesNotBlockTheOthers() throws SyncException {
        ipv4.refuse("-m recent");
        ServiceSnapshot snapshot = twoServices()
                .affinity(600)
                .andService("default/third", "10.96.1.3", 80)
                .build();
        proxy.sync(snapshot, ChangeSet.NONE);
        assertThat(ipv4.save(Table.NAT)).contains("10.244.0.10:8080").doesNotContain("10.244.0.20:8443");
        assertThat(ipv4.save(Table.FILTER)).contains("default/third has no endpoints");
        assertThat(proxy.stats(IpFamily.IPV4).refusedServicePorts()).isEqualTo(1);

        ServiceSnapshot mended = twoServices().build();
        proxy.sync(mended, ChangeSet.of(snapshot.services().keySet()));
        assertThat(ipv4.save(Table.NAT)).contains("10.244.0.10:8080", "10.244.0.20:8443");
        assertThat(proxy.stats(IpFamily.IPV4).refusedServicePorts()).isZero();
    }

    @Test
    void aPeriodicSyncTriesARefusedServiceAgainWithoutListing() throws SyncException {
        ipv4.watch();
        ipv4.refuse("-m recent");
        ServiceSnapshot snapshot = twoServices().affinity(600).build();
        proxy.sync(snapshot, ChangeSet.NONE);
        int saves = ipv4.saves();
        proxy.sync(snapshot, ChangeSet.NONE);
        assertThat(proxy.stats(IpFamily.IPV4).refusedServicePorts()).isEqualTo(1);
        ipv4.accept();
        proxy.sync(snapshot, ChangeSet.NONE);
        assertThat(ipv4.saves()).isEqualTo(saves);
        assertThat(ipv4.save(Table.NAT)).contains("10.244.0.20:8443").doesNotContain("PROBE");
        assertThat(proxy.stats(IpFamily.IPV4).refusedServicePorts()).isZero();
    }

    @Test
    void aMatchThatTheKernelLacksKeepsOutAllServicesThatNeedIt() throws SyncException {
        ipv4.refuse("-m recent");
        Snapshots snapshots =
                Snapshots.service("default/plain", "10.96.1.1", 80).endpoint("10.244.0.10:8080", "n1");
        for (int i = 0; i < 100; i++) {
            snapshots
                    .andService("default/sticky" + i, "10.96.2." + i, 80)
                    .affinity(600)
                    .endpoint("10.244.2." + i + ":8080", "n1");
        }
        proxy.sync(snapshots.build(), ChangeSet.NONE);
        assertThat(ipv4.save(Table.NAT)).contains("10.244.0.10:8080").doesNotContain("sticky");
        assertThat(ipv4.restored()).hasSizeLessThan(110);
        assertThat(proxy.stats(IpFamily.IPV4).refusedServicePorts()).isEqualTo(100);
    }

    @Test
    void aLargerClusterLosesTheCommentsOfAllItsServices() throws SyncException {
        Snapshots snapshots = twoServices();
        for (int i = 0; i < 999; i++) {
            snapshots.endpoint("10.245." + i / 250 + "." + i % 250 + ":8443", "n1");
        }
        ServiceSnapshot small = twoServices().build();
        ServiceSnapshot large = snapshots.build();
        proxy.sync(small, ChangeSet.NONE);
        assertThat(ipv4.save(Table.NAT)).contains("default/web:http -> 10.244.0.10:8080");
        proxy.sync(large, ChangeSet.of(List.of(large.services().firstKey())));
        assertThat(ipv4.save(Table.NAT)).doesNotContain(" -> ");
        proxy.sync(small, ChangeSet.of(List.of(large.services().firstKey())));
        assertThat(ipv4.save(Table.NAT)).contains("default/web:http -> 10.244.0.10:8080");
    }

    @Test
    void commentsComeBackOnlyWellBelowTheLimit() throws SyncException {
        List<Integer> sizes = List.of(1000, 1001, 901, 900, 1000, 1001);
        List<Boolean> comments = List.of(true, false, false, true, true, false);
        for (int step = 0; step < sizes.size(); step++) {
            Snapshots snapshots = Snapshots.service("default/web", "10.96.1.1", 80);
            for (int i = 0; i < sizes.get(step); i++) {
                snapshots.endpoint("10.245." + i / 250 + "." + i % 250 + ":8443", "n1");
            }
            ServiceSnapshot snapshot = snapshots.build();
            proxy.sync(snapshot, ChangeSet.of(snapshot.services().keySet()));
            assertThat(ipv4.save(Table.NAT).contains(" -> ")).as("step " + step).isEqualTo(comments.get(step));
        }
    }
}
