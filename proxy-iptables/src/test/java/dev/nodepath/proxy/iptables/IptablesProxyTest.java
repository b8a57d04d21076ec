package dev.nodepath.proxy.iptables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.NodePortAddresses;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.Snapshots;
import dev.nodepath.endpoints.SyncException;
import dev.nodepath.linux.FakeLinuxNet;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.PacketCounters;
import dev.nodepath.linux.iptables.FakeIptables;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.iptables.Table;
import dev.nodepath.linux.link.BridgeSpec;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class IptablesProxyTest {
    private static final String ROUTE_LOCALNET = "net/ipv4/conf/all/route_localnet";
    private static final ServiceSnapshot WEB = Snapshots.service("default/web:http", "10.96.1.1,fd00:10:96::1", 80)
            .nodePort(30001)
            .endpoint("10.244.0.10:8080", "n1")
            .endpoint("[fd00:10:244::10]:8080", "n1")
            .build();

    private final FakeIptables ipv4 = new FakeIptables(IpFamily.IPV4);
    private final FakeIptables ipv6 = new FakeIptables(IpFamily.IPV6);
    private final FakeLinuxNet kernel = new FakeLinuxNet();
    private final NetworkNamespace namespace;
    private final IptablesProxy proxy;

    IptablesProxyTest() throws LinuxNetException {
        namespace = kernel.current();
        proxy = proxy(IptablesConfig.DEFAULTS);
    }

    private IptablesProxy proxy(IptablesConfig config) {
        return new IptablesProxy(config, List.of(ipv4, ipv6), namespace, Optional.empty());
    }

    @Test
    void writesEachFamilyItsRules() throws SyncException {
        proxy.sync(WEB, ChangeSet.NONE);
        assertThat(ipv4.save(Table.NAT))
                .contains("-j DNAT --to-destination 10.244.0.10:8080")
                .doesNotContain("fd00");
        assertThat(ipv6.save(Table.NAT))
                .contains("-j DNAT --to-destination [fd00:10:244::10]:8080")
                .doesNotContain("10.244");
    }

    /** The node's zone chooses endpoints of every Service, not only of a Service that changes with it. */
    @Test
    void aNodeThatMovesToAnotherZoneChangesTheRulesOfAllServices() throws SyncException {
        IptablesProxy here = proxy(IptablesConfig.DEFAULTS.with(draft -> draft.nodeName = "n1"));
        Snapshots web = Snapshots.service("default/web:http", "10.96.1.1", 80)
                .hintedEndpoint("10.244.0.10:8080", "n1", "a", "")
                .hintedEndpoint("10.244.0.11:8080", "n2", "b", "");
        ChangeSet node = new ChangeSet(new TreeSet<>(), true, new TreeMap<>(), 0, 0);
        here.sync(web.node("n1", "a", "172.30.0.11", "10.244.0.0/24").build(), ChangeSet.NONE);
        assertThat(ipv4.save(Table.NAT)).contains("10.244.0.10:8080").doesNotContain("10.244.0.11:8080");
        here.sync(web.node("n1", "b", "172.30.0.11", "10.244.0.0/24").build(), node);
        assertThat(ipv4.save(Table.NAT)).contains("10.244.0.11:8080").doesNotContain("10.244.0.10:8080");
        assertThat(here.stats(IpFamily.IPV4).fullSyncs()).isEqualTo(2);
    }

    private IptablesProxy counting(PacketCounters counters) {
        return new IptablesProxy(IptablesConfig.DEFAULTS, List.of(ipv4, ipv6), namespace, Optional.of(counters));
    }

    @Test
    void countsWhatKubeProxyCounts() throws SyncException {
        FakePacketCounters counters = new FakePacketCounters();
        IptablesProxy proxy = counting(counters);
        proxy.sync(WEB, ChangeSet.NONE);
        assertThat(ipv4.save(Table.FILTER))
                .contains(
                        "-A KUBE-FORWARD -m conntrack --ctstate INVALID -m nfacct --nfacct-name ct_state_invalid_dropped_pkts -j DROP\n")
                .doesNotContain("NODEPATH-PROBE");
        assertThat(ipv4.save(Table.NAT)).containsSubsequence("""
                -A KUBE-NODEPORTS -m comment --comment "default/web:http" -p tcp -m tcp --dport 30001 -d 127.0.0.0/8 \
                -m nfacct --nfacct-name localhost_nps_accepted_pkts -j KUBE-EXT-""", """
                -A KUBE-NODEPORTS -m comment --comment "default/web:http" -p tcp -m tcp --dport 30001 -j KUBE-EXT-""");
        assertThat(ipv6.save(Table.NAT)).doesNotContain("nfacct");
        assertThat(counters.packets("ct_state_invalid_dropped_pkts")).hasValue(0);
        assertThat(proxy.packets(CountedPackets.INVALID_DROPPED)).hasValue(0);
    }

    @Test
    void countsNothingOnLocalhostWhereNodePortsAreNotServedThere() throws SyncException {
        new IptablesProxy(
                        IptablesConfig.DEFAULTS.with(draft -> draft.localhostNodePorts = false),
                        List.of(ipv4),
                        namespace,
                        Optional.of(new FakePacketCounters()))
                .sync(WEB, ChangeSet.NONE);
        assertThat(ipv4.save(Table.NAT)).doesNotContain("nfacct");
        assertThat(ipv4.save(Table.FILTER)).contains("nfacct");
    }

    @Test
    void goesWithoutCountersWhereTheKernelHasNone() throws SyncException {
        FakePacketCounters counters = new FakePacketCounters();
        counters.fail(true);
        IptablesProxy proxy = counting(counters);
        proxy.sync(WEB, ChangeSet.NONE);
        assertThat(ipv4.save(Table.NAT) + ipv4.save(Table.FILTER))
                .contains("INVALID -j DROP")
                .doesNotContain("nfacct");
        assertThat(proxy.packets(CountedPackets.INVALID_DROPPED)).isEmpty();
    }

    @Test
    void goesWithoutCountersWhereTheirMatchIsRefused() throws SyncException {
        ipv4.refuse("nfacct");
        counting(new FakePacketCounters()).sync(WEB, ChangeSet.NONE);
        assertThat(ipv4.save(Table.NAT) + ipv4.save(Table.FILTER))
                .contains("INVALID -j DROP")
                .doesNotContain("nfacct");
        assertThat(ipv6.save(Table.FILTER)).contains("nfacct");
    }

    /** The kernel would refuse a rule whose counter was removed together with the rules. */
    @Test
    void makesCountersAgainThatSomebodyRemoved() throws SyncException, LinuxNetException {
        FakePacketCounters counters = new FakePacketCounters();
        IptablesProxy proxy = counting(counters);
        proxy.sync(WEB, ChangeSet.NONE);
        CountedPackets.deleteAll(counters);
        proxy.sync(WEB, ChangeSet.NONE);
        assertThat(counters.packets("localhost_nps_accepted_pkts")).hasValue(0);
    }

    @Test
    void runsNoCommandWhenNothingChanged() throws SyncException {
        proxy.sync(WEB, ChangeSet.NONE);
        proxy.sync(WEB, ChangeSet.NONE);
        assertThat(ipv4.restored()).hasSize(1);
        assertThat(ipv6.restored()).hasSize(1);
    }

    @Test
    void periodicSyncBringsBackWhatOthersRemoved() throws SyncException, IptablesException {
        proxy.sync(WEB, ChangeSet.of(WEB.services().keySet()));
        String whole = ipv4.save(Table.NAT);
        ipv4.restore("*nat\n-F KUBE-SERVICES\n-F PREROUTING\nCOMMIT\n");

        proxy.sync(WEB, ChangeSet.NONE);

        assertThat(ipv4.save(Table.NAT)).isEqualTo(whole);
    }

    @Test
    void doesNotWriteASettingThatIsRightAlready() throws SyncException, LinuxNetException {
        namespace.setSysctl(ROUTE_LOCALNET, "1");
        kernel.failNext("setSysctl", Errno.EROFS);

        proxy.sync(WEB, ChangeSet.NONE);
    }

    @Test
    void goesOnWhereSettingsAreReadOnly() throws SyncException {
        kernel.failNext("setSysctl", Errno.EROFS);
        proxy.sync(WEB, ChangeSet.NONE);
        assertThat(ipv6.restored()).isNotEmpty();
    }

    @Test
    void letsLocalhostBeRoutedWhereNodePortsAreServedThere() throws SyncException, LinuxNetException {
        proxy.sync(WEB, ChangeSet.NONE);
        assertThat(namespace.sysctl(ROUTE_LOCALNET)).isEqualTo("1");
    }

    @Test
    void leavesLocalhostAloneWhereNodePortsAreNotServedThere() throws SyncException, LinuxNetException {
        proxy(IptablesConfig.DEFAULTS.with(draft -> draft.localhostNodePorts = false))
                .sync(WEB, ChangeSet.NONE);
        assertThat(namespace.sysctl(ROUTE_LOCALNET)).isEqualTo("0");
    }

    @Test
    void leavesLocalhostAloneWhereNodePortAddressesDoNotIncludeIt() throws SyncException, LinuxNetException {
        proxy(IptablesConfig.DEFAULTS.with(
                        draft -> draft.nodePortAddresses = NodePortAddresses.parse(List.of("172.30.0.0/24"))))
                .sync(WEB, ChangeSet.NONE);
        assertThat(namespace.sysctl(ROUTE_LOCALNET)).isEqualTo("0");
    }

    @Test
    void servesNodePortsOnTheHostsAddressesInTheNetworksGiven() throws SyncException, LinuxNetException {
        Link link = namespace.createBridge(new BridgeSpec("br0", Optional.empty(), Optional.empty(), false));
        namespace.addAddress(link.index(), Cidr.parse("172.30.0.7/16"));
        namespace.addAddress(link.index(), Cidr.parse("172.31.0.7/16"));
        proxy(IptablesConfig.DEFAULTS.with(
                        draft -> draft.nodePortAddresses = NodePortAddresses.parse(List.of("172.30.0.0/24"))))
                .sync(WEB, ChangeSet.NONE);
        assertThat(ipv4.save(Table.NAT))
                .contains("-d 172.30.0.7 -j KUBE-NODEPORTS")
                .doesNotContain("172.31");
    }

    @Test
    void anAddressThatServesNoNodePortsLeavesASyncPartial() throws SyncException, LinuxNetException {
        Link link = namespace.createBridge(new BridgeSpec("br0", Optional.empty(), Optional.empty(), false));
        namespace.addAddress(link.index(), Cidr.parse("172.30.0.7/16"));
        IptablesProxy some = proxy(IptablesConfig.DEFAULTS.with(
                draft -> draft.nodePortAddresses = NodePortAddresses.parse(List.of("172.30.0.0/24"))));
        some.sync(PartialSyncTest.twoServices().build(), ChangeSet.NONE);
        namespace.addAddress(link.index(), Cidr.parse("fe80::1/64"));
        ServiceSnapshot after =
                PartialSyncTest.twoServices().endpoint("10.244.0.21:8443", "n1").build();
        some.sync(after, ChangeSet.of(after.services().keySet()));
        for (IpFamily family : IpFamily.values()) {
            assertThat(some.stats(family).fullSyncs()).isEqualTo(1);
            assertThat(some.stats(family).partialSyncs()).isEqualTo(1);
        }
    }

    @Test
    void aServiceWhoseRulesCannotBeWorkedOutDoesNotBlockTheOthers() throws SyncException {
        Snapshots bad = PartialSyncTest.twoServices().andService("default/" + "x".repeat(300), "10.96.1.3", 80);
        ServiceSnapshot snapshot = bad.endpoint("10.244.0.30:80", "n1").build();
        proxy.sync(snapshot, ChangeSet.NONE);
        assertThat(ipv4.save(Table.NAT)).contains("10.244.0.10:8080", "10.244.0.20:8443");
        assertThat(proxy.stats(IpFamily.IPV4).refusedServicePorts()).isEqualTo(1);
        proxy.sync(
                PartialSyncTest.twoServices().build(),
                ChangeSet.of(snapshot.services().keySet()));
        assertThat(proxy.stats(IpFamily.IPV4).refusedServicePorts()).isZero();
    }

    @Test
    void doesNotLetLocalhostBeRoutedBeforeTheRulesProtectIt() throws LinuxNetException {
        ipv4.failNext();
        assertThatThrownBy(() -> proxy.sync(WEB, ChangeSet.NONE)).isInstanceOf(SyncException.class);
        assertThat(namespace.sysctl(ROUTE_LOCALNET)).isEqualTo("0");
    }

    @Test
    void goesOnWhenTheSettingCannotBeWrittenAndTriesItAgain() throws SyncException, LinuxNetException {
        kernel.failNext("setSysctl", Errno.EPERM);
        proxy.sync(WEB, ChangeSet.NONE);
        assertThat(namespace.sysctl(ROUTE_LOCALNET)).isEqualTo("0");
        proxy.sync(WEB, ChangeSet.NONE);
        assertThat(namespace.sysctl(ROUTE_LOCALNET)).isEqualTo("1");
    }

    @Test
    void bringsTheOtherFamilyInLineWhenOneFails() {
        ipv4.failNext();
        assertThatThrownBy(() -> proxy.sync(WEB, ChangeSet.NONE))
                .isInstanceOfSatisfying(
                        SyncException.class, e -> assertThat(e.inForce()).containsExactly(IpFamily.IPV6))
                .hasMessage("IPv4 rules: fake-restore: failed on purpose");
        assertThat(ipv4.save(Table.NAT)).isEmpty();
        assertThat(ipv6.save(Table.NAT)).contains("DNAT");
    }

    /** Not by a failed command: by a fault of ours. */
    @Test
    void bringsTheOtherFamilyInLineWhenOneBreaks() throws SyncException {
        ipv4.afterRestore(() -> {
            throw new IllegalStateException("broken on purpose");
        });
        assertThatThrownBy(() -> proxy.sync(WEB, ChangeSet.NONE))
                .isInstanceOf(SyncException.class)
                .hasMessage("IPv4 rules: java.lang.IllegalStateException: broken on purpose");
        assertThat(ipv6.save(Table.NAT)).contains("-j DNAT");
        assertThat(proxy.stats(IpFamily.IPV4).fullFailures()).isEqualTo(1);
        ipv4.afterRestore(() -> {});
        proxy.sync(WEB, ChangeSet.NONE);
        assertThat(proxy.stats(IpFamily.IPV4).fullSyncs()).isEqualTo(1);
    }

    @Test
    void readsTheTablesAgainAfterAFailureAndMendsThem() throws Exception {
        proxy.sync(WEB, ChangeSet.NONE);
        String whole = ipv4.save(Table.NAT);
        ipv4.restore("*nat\n:KUBE-SERVICES - [0:0]\n:KUBE-SEP-STALE - [0:0]\nCOMMIT\n");
        ipv4.failNext();
        assertThatThrownBy(() -> proxy.sync(ServiceSnapshot.EMPTY, ChangeSet.NONE))
                .isInstanceOf(SyncException.class);
        proxy.sync(WEB, ChangeSet.NONE);
        assertThat(ipv4.save(Table.NAT)).isEqualTo(whole);
    }

    @Test
    void leavesTheRulesWhenItIsClosed() throws SyncException {
        proxy.sync(WEB, ChangeSet.NONE);
        proxy.close();
        assertThat(ipv4.save(Table.NAT)).contains("10.244.0.10:8080");
    }

    @Test
    void removesAllRulesOfTheModeButTheChainOfTheKubelet() throws SyncException, IptablesException {
        proxy.sync(WEB, ChangeSet.NONE);
        ipv4.restore("*mangle\n:KUBE-PROXY-CANARY - [0:0]\nCOMMIT\n");
        IptablesProxy.removeRules(ipv4);
        assertThat(ipv4.save(Table.NAT)).doesNotContain("KUBE");
        assertThat(ipv4.save(Table.MANGLE)).doesNotContain("KUBE");
        assertThat(ipv4.save(Table.FILTER).lines().filter(line -> line.contains("KUBE")))
                .hasSize(4)
                .allMatch(line -> line.contains("KUBE-FIREWALL"));
    }
}
