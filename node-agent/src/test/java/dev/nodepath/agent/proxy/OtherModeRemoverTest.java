package dev.nodepath.agent.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.FakeIptables;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.iptables.Table;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OtherModeRemoverTest {
    private final FakeIptables iptables = new FakeIptables(IpFamily.IPV4);
    private long fullSyncs = 1;
    private Instant now = Instant.EPOCH;
    private final OtherModeRemover remover = new OtherModeRemover(
            ProxyMode.USERSPACE,
            rules -> rules.restore("*nat\n:KUBE-PORTALS-HOST - [0:0]\n-X KUBE-PORTALS-HOST\nCOMMIT\n"),
            List.of(iptables),
            family -> fullSyncs,
            () -> true,
            () -> now);

    @BeforeEach
    void writeRulesOfAnotherMode() throws IptablesException {
        iptables.restore("*nat\n:KUBE-PORTALS-HOST - [0:0]\nCOMMIT\n");
    }

    private String afterSync(Set<IpFamily> inForce) {
        remover.ended(ServiceSnapshot.EMPTY, ChangeSet.NONE, inForce);
        return iptables.save(Table.NAT);
    }

    @Test
    void removesThemOnceTheFamilyIsInForce() {
        assertThat(afterSync(Set.of(IpFamily.IPV6))).contains("KUBE-PORTALS-HOST");
        assertThat(remover.isDue(IpFamily.IPV4)).isTrue();
        assertThat(afterSync(Set.of(IpFamily.IPV4))).doesNotContain("KUBE-PORTALS-HOST");
        assertThat(remover.isDue(IpFamily.IPV4)).isFalse();
    }

    @Test
    void looksAgainAfterAFullLookAndNotAfterOtherSyncs() throws IptablesException {
        String removed = afterSync(Set.of(IpFamily.IPV4));
        assertThat(removed).doesNotContain("KUBE-PORTALS-HOST");
        writeRulesOfAnotherMode();
        assertThat(afterSync(Set.of(IpFamily.IPV4))).contains("KUBE-PORTALS-HOST");
        fullSyncs++;
        assertThat(afterSync(Set.of(IpFamily.IPV4))).doesNotContain("KUBE-PORTALS-HOST");
    }

    @Test
    void triesAgainSomeTimeAfterAFailure() {
        iptables.failNext();
        assertThat(afterSync(Set.of(IpFamily.IPV4))).contains("KUBE-PORTALS-HOST");
        assertThat(remover.isDue(IpFamily.IPV4)).isTrue();
        assertThat(afterSync(Set.of(IpFamily.IPV4))).as("at once").contains("KUBE-PORTALS-HOST");
        now = now.plus(OtherModeRemover.RETRY.first());
        assertThat(afterSync(Set.of(IpFamily.IPV4))).doesNotContain("KUBE-PORTALS-HOST");
        assertThat(remover.isDue(IpFamily.IPV4)).isFalse();
    }

    /** Each try takes seconds in a large cluster, and a sync may come each second. */
    @Test
    void triesLessAndLessOftenWhileItFails() {
        int before = iptables.restored().size();
        for (int second = 0; second < 3600; second++) {
            iptables.failNext();
            assertThat(afterSync(Set.of(IpFamily.IPV4))).contains("KUBE-PORTALS-HOST");
            now = now.plusSeconds(1);
        }
        assertThat(iptables.restored().size() - before).isBetween(10, 25);
    }
}
