package dev.nodepath.proxy.userspace;

import static dev.nodepath.proxy.userspace.ServiceSnapshots.name;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.linux.FakeLinuxNet;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.FakeConntrack;
import dev.nodepath.linux.iptables.FakeIptables;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.iptables.Table;
import dev.nodepath.proxy.userspace.metrics.RelayCount;
import dev.nodepath.proxy.userspace.relay.RelayConfigTest;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Whose rules a proxy leaves, takes back and removes. */
@ExtendWith(NoLeaks.class)
@Timeout(900)
class PortalTakeoverTest {
    private final FakeLinuxNet net = new FakeLinuxNet();
    private final FakeIptables fake = new FakeIptables(IpFamily.IPV4);

    @Test
    void removesTheRulesOfAProxyThatWasKilledAndLeavesOthers() throws Exception {
        String foreign = "*nat\n:OTHERS - [0:0]\n-A PREROUTING -j OTHERS\nCOMMIT\n";
        fake.restore(foreign);
        String before = fake.save(Table.NAT);
        fake.restore("""
                *nat
                :KUBE-PORTALS-CONTAINER - [0:0]
                :KUBE-NODEPORT-HOST - [0:0]
                -A KUBE-PORTALS-CONTAINER -p tcp -m tcp --dport 80 -j REDIRECT --to-ports 1234
                -I PREROUTING -m comment --comment "handle ClusterIPs" -j KUBE-PORTALS-CONTAINER
                -A OUTPUT -j KUBE-NODEPORT-HOST
                COMMIT
                """);
        UserspaceProxy.removeRules(fake);
        assertThat(fake.save(Table.NAT)).isEqualTo(before);
    }

    @Test
    void standsDownBeforeItsSuccessorAndLeavesItTheRules() throws Exception {
        try (Backend echo = Backend.echo();
                UserspaceProxy successor = proxy()) {
            String rules;
            try (UserspaceProxy old = proxy()) {
                old.sync(UserspaceProxyTest.web(echo), ChangeSet.NONE);
                successor.sync(UserspaceProxyTest.web(echo), ChangeSet.NONE);
                rules = fake.save();
                old.sync(UserspaceProxyTest.web(echo), ChangeSet.NONE);
                old.sync(new ServiceSnapshots().build(), ChangeSet.of(List.of(name("web"))));
                assertThat(fake.save()).isEqualTo(rules);
                assertThat(old.metrics().of(RelayCount.PORTALS_TAKEN_OVER)).isEqualTo(1);
            }
            assertThat(fake.save()).isEqualTo(rules);
            assertThat(successor.metrics().of(RelayCount.PORTALS_TAKEN_OVER)).isZero();
        }
        assertThat(fake.save()).doesNotContain("KUBE-");
    }

    @Test
    void takesThePortalsBackWhenTheOtherIsDead() throws Exception {
        try (Backend echo = Backend.echo();
                UserspaceProxy proxy = proxy()) {
            proxy.sync(UserspaceProxyTest.web(echo), ChangeSet.NONE);
            String own = fake.save();
            try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                leadTo(other.getLocalPort());
                String foreign = fake.save();
                proxy.sync(UserspaceProxyTest.web(echo), ChangeSet.NONE);
                assertThat(fake.save()).isEqualTo(foreign).isNotEqualTo(own);
            }
            proxy.sync(UserspaceProxyTest.web(echo), ChangeSet.NONE);
            assertThat(fake.save()).isEqualTo(own);
        }
    }

    @Test
    void leavesASuccessorTheRulesThatAWatchMayMiss() throws Exception {
        fake.watchInPart();
        try (Backend echo = Backend.echo();
                ServerSocket successor = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String rules;
            try (UserspaceProxy old = proxy()) {
                old.sync(UserspaceProxyTest.web(echo), ChangeSet.NONE);
                leadTo(successor.getLocalPort());
                rules = fake.save();
                assertThat(old.isTakenOver()).isTrue();
            }
            assertThat(fake.save()).isEqualTo(rules).contains("127.0.0.1:" + successor.getLocalPort());
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
        assertThat(fake.save()).doesNotContain("KUBE-");
    }

    @Test
    void endsWithOneListingWhereOthersHave() throws Exception {
        fake.watch();
        int listed;
        try (Backend echo = Backend.echo();
                UserspaceProxy proxy = proxy()) {
            proxy.sync(UserspaceProxyTest.web(echo), ChangeSet.NONE);
            fake.restoreByOther("*nat\n:ALIEN - [0:0]\nCOMMIT\n");
            listed = fake.saves();
        }
        assertThat(fake.saves()).isEqualTo(listed + 1);
        assertThat(fake.save()).contains("ALIEN").doesNotContain("KUBE-");
    }

    private UserspaceProxy proxy() {
        return new UserspaceProxy(
                "node-a",
                RelayConfigTest.CONFIG,
                List.of(fake),
                (client, family) -> UserspaceProxyTest.WEB,
                FakeConntrack::new,
                net::current,
                Optional::empty);
    }

    /** The rules of another process in the place of ours. */
    private void leadTo(int port) throws IptablesException {
        String others = fake.save(Table.NAT).replaceAll("127\\.0\\.0\\.1:\\d+", "127.0.0.1:" + port);
        StringBuilder text = new StringBuilder("*nat\n");
        for (String chain : List.of("KUBE-PORTALS-CONTAINER", "KUBE-PORTALS-HOST")) {
            text.append("-F ").append(chain).append('\n');
        }
        others.lines()
                .filter(line -> line.startsWith("-A KUBE-PORTALS-"))
                .forEach(line -> text.append(line).append('\n'));
        fake.restore(text + "COMMIT\n");
    }
}
