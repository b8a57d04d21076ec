package dev.nodepath.agent.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceProxy;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.Snapshots;
import dev.nodepath.endpoints.SyncException;
import dev.nodepath.linux.FakeLinuxNet;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.FakeIptables;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.iptables.Table;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.proxy.iptables.IptablesConfig;
import dev.nodepath.proxy.iptables.IptablesProxy;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class KernelHandoverTest {
    private static final ServiceSnapshot OLD = snapshot("10.96.0.10");
    private static final ServiceSnapshot NEW = snapshot("10.96.0.20");

    private final FakeIptables iptables = new FakeIptables(IpFamily.IPV4);
    private final NetworkNamespace namespace;
    private final ServiceProxy rules;
    private boolean takenOver;
    private boolean removalDue;

    KernelHandoverTest() throws LinuxNetException {
        namespace = new FakeLinuxNet().current();
        rules = new IptablesProxy(IptablesConfig.DEFAULTS, List.of(iptables), namespace, Optional.empty());
    }

    @AfterEach
    void close() {
        namespace.close();
    }

    private static ServiceSnapshot snapshot(String clusterIp) {
        return Snapshots.service("a/web", clusterIp, 80)
                .endpoint("10.244.0.3:80", "n1")
                .build();
    }

    private KernelHandover handover(ServiceProxy proxy) {
        return new KernelHandover(() -> takenOver, proxy, List.of(iptables), () -> NEW, family -> removalDue);
    }

    /** The nat table after the end of a proxy whose last sync was of these families. */
    private String left(ServiceProxy proxy, Set<IpFamily> inForce) {
        KernelHandover handover = handover(proxy);
        handover.ended(OLD, ChangeSet.NONE, inForce);
        handover.close();
        return iptables.save(Table.NAT);
    }

    private String left() {
        return left(rules, EnumSet.allOf(IpFamily.class));
    }

    @Test
    void leavesTheNewestThatIsKnown() {
        assertThat(left()).contains("10.96.0.20").doesNotContain("10.96.0.10");
    }

    @Test
    void leavesNothingIfItNeverSynced() {
        assertThat(left(rules, Set.of())).isEmpty();
    }

    @Test
    void leavesNothingWhereAnotherCarriesTheServices() {
        takenOver = true;
        assertThat(left()).isEmpty();
    }

    @Test
    void leavesTheRulesOfAnotherAsTheyAre() throws IptablesException {
        iptables.restore("*nat\n:KUBE-SERVICES - [0:0]\nCOMMIT\n");
        String others = iptables.save(Table.NAT);
        assertThat(left()).isEqualTo(others);
    }

    @Test
    void writesOverLeftoversThatItHasYetToRemove() throws IptablesException {
        iptables.restore("*nat\n:KUBE-SERVICES - [0:0]\n:KUBE-SVC-STALE - [0:0]\nCOMMIT\n");
        removalDue = true;
        assertThat(left()).contains("10.96.0.20").doesNotContain("STALE");
    }

    @Test
    void takesItsRulesBackWhereAnotherBeganMeanwhile() {
        iptables.afterRestore(() -> takenOver = true);
        assertThat(left()).doesNotContain("KUBE-");
    }

    @Test
    void takesThemBackAlsoIfTheyWereWrittenInPart() {
        ServiceProxy failing = new ServiceProxy() {
            @Override
            public void sync(ServiceSnapshot desired, ChangeSet changed) throws SyncException {
                rules.sync(desired, changed);
                takenOver = true;
                throw new SyncException("the other family failed", new IOException("on purpose"));
            }

            @Override
            public long fullSyncs(IpFamily family) {
                return 0;
            }

            @Override
            public void close() {}
        };
        assertThat(left(failing, EnumSet.allOf(IpFamily.class))).doesNotContain("KUBE-");
    }
}
