package dev.nodepath.proxy.userspace;

import static dev.nodepath.proxy.userspace.ServiceSnapshots.name;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.linux.FakeLinuxNet;
import dev.nodepath.linux.FakeNftTables;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.FakeConntrack;
import dev.nodepath.linux.iptables.FakeIptables;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftElement;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftText;
import dev.nodepath.linux.nftables.NftValue;
import dev.nodepath.proxy.userspace.metrics.RelayCount;
import dev.nodepath.proxy.userspace.relay.RelayConfigTest;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The rules that a proxy leaves, takes over and removes. */
@ExtendWith(NoLeaks.class)
@Timeout(900)
class PortalTakeoverTest {
    /** As an earlier version, or kube-proxy, has them. */
    private static final String IN_IPTABLES = """
        *nat
        :KUBE-PORTALS-HOST - [0:0]
        -A KUBE-PORTALS-HOST -d 10.96.0.10 -p tcp -m tcp --dport 80 -j DNAT --to-destination 127.0.0.1:%d
        COMMIT
        """;

    private final FakeLinuxNet net = new FakeLinuxNet();
    private final FakeIptables fake = new FakeIptables(IpFamily.IPV4);
    private final FakeNftTables nft = new FakeNftTables();

    @Test
    void standsDownBeforeItsSuccessorAndLeavesItTheRules() throws Exception {
        try (Backend echo = Backend.echo();
                UserspaceProxy successor = proxy()) {
            String rules;
            try (UserspaceProxy old = proxy()) {
                old.sync(UserspaceProxyTest.web(echo), ChangeSet.NONE);
                successor.sync(UserspaceProxyTest.web(echo), ChangeSet.NONE);
                rules = state();
                old.sync(UserspaceProxyTest.web(echo), ChangeSet.NONE);
                old.sync(new ServiceSnapshots().build(), ChangeSet.of(List.of(name("web"))));
                assertThat(state()).isEqualTo(rules);
                assertThat(old.metrics().of(RelayCount.PORTALS_TAKEN_OVER)).isEqualTo(1);
            }
            assertThat(state()).isEqualTo(rules);
            assertThat(successor.metrics().of(RelayCount.PORTALS_TAKEN_OVER)).isZero();
        }
        assertThat(state()).doesNotContain("KUBE-", "portals");
    }

    @Test
    void takesThePortalsBackWhenTheOtherIsDead() throws Exception {
        try (Backend echo = Backend.echo();
                UserspaceProxy proxy = proxy()) {
            proxy.sync(UserspaceProxyTest.web(echo), ChangeSet.NONE);
            String own = state();
            try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                leadTo(other.getLocalPort());
                String foreign = state();
                proxy.sync(UserspaceProxyTest.web(echo), ChangeSet.NONE);
                assertThat(state()).isEqualTo(foreign).isNotEqualTo(own);
            }
            proxy.sync(UserspaceProxyTest.web(echo), ChangeSet.NONE);
            assertThat(state()).isEqualTo(own);
        }
    }

    @Test
    void leavesASuccessorTheRulesOfIptablesThatAWatchMayMiss() throws Exception {
        fake.watchInPart();
        try (Backend echo = Backend.echo();
                ServerSocket successor = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String rules;
            try (UserspaceProxy old = proxy()) {
                old.sync(UserspaceProxyTest.web(echo), ChangeSet.NONE);
                fake.restore(IN_IPTABLES.formatted(successor.getLocalPort()));
                rules = fake.save();
                assertThat(old.isTakenOver()).isTrue();
            }
            assertThat(fake.save()).isEqualTo(rules);
            assertThat(nft.read(UserspaceProxyTest.TABLE)).isEmpty();
        }
    }

    @Test
    void endsWithoutAListingWhereNobodyHasChangedATable() throws Exception {
        fake.watch();
        int listed;
        try (Backend echo = Backend.echo();
                UserspaceProxy proxy = proxy()) {
            proxy.sync(UserspaceProxyTest.web(echo), ChangeSet.NONE);
            listed = fake.saves();
        }
        assertThat(fake.saves()).isEqualTo(listed);
        assertThat(state()).doesNotContain("KUBE-", "portals");
    }

    @Test
    void leavesChainsOfOthers() throws Exception {
        fake.watch();
        try (Backend echo = Backend.echo();
                UserspaceProxy proxy = proxy()) {
            proxy.sync(UserspaceProxyTest.web(echo), ChangeSet.NONE);
            fake.restoreByOther("*nat\n:ALIEN - [0:0]\nCOMMIT\n");
        }
        assertThat(state()).contains("ALIEN").doesNotContain("KUBE-", "portals");
    }

    private UserspaceProxy proxy() {
        return new UserspaceProxy(
                "node-a",
                RelayConfigTest.CONFIG,
                List.of(fake),
                (client, family) -> UserspaceProxyTest.WEB,
                FakeConntrack::new,
                net::current,
                () -> nft);
    }

    /** The table of another process in the place of ours. */
    private void leadTo(int port) {
        NftTableState.Elements portals = Objects.requireNonNull(
                nft.read(UserspaceProxyTest.TABLE).orElseThrow().sets().get("portals"));
        NftElement own = portals.elements().values().iterator().next();
        nft.changeAsAnother(
                new NftChange.DeleteElements(portals.set(), List.of(own.key())),
                new NftChange.AddElements(
                        portals.set(),
                        List.of(new NftElement(own.key(), Optional.of(NftValue.ofPort(port)), own.comment()))));
    }

    /** Both tables. */
    private String state() {
        return fake.save()
                + nft.read(UserspaceProxyTest.TABLE).map(NftText::table).orElse("");
    }
}
