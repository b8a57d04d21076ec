package dev.nodepath.proxy.userspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.IptablesCommand;
import dev.nodepath.proxy.userspace.metrics.RelayCount;
import dev.nodepath.proxy.userspace.relay.PortalKind;
import dev.nodepath.proxy.userspace.relay.RelayConfig;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** With a table of nf_tables. */
@Tag("netns")
class TableUserspaceProxyKernelTest extends UserspaceProxyContract {
    TableUserspaceProxyKernelTest() throws Exception {
        super(PortalKind.NFTABLES);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "delete table ip nodepath-portals",
                "flush map ip nodepath-portals portals",
                "flush chain ip nodepath-portals portals-output",
                "add table ip nodepath-portals { flags dormant; }"
            })
    void repairsWhatOthersHaveChanged(String change) throws Exception {
        ServiceSnapshot snapshot = snapshot(first().endpoint());
        proxy().sync(snapshot, ChangeSet.NONE);
        nft(change);
        assertThatThrownBy(() -> askFromHost(CLUSTER_IP, PORT)).isInstanceOf(IOException.class);

        proxy().sync(snapshot, ChangeSet.NONE);

        assertThat(askFromHost(CLUSTER_IP, PORT)).isEqualTo("first");
    }

    @Test
    void leavesNoRulesOfTheOtherKind() throws Exception {
        ServiceSnapshot snapshot = snapshot(first().endpoint());
        RelayConfig byRules =
                RelayConfig.defaults().change().portals(PortalKind.IPTABLES).build();
        try (UserspaceProxy before =
                new UserspaceProxy("node-a", byRules, List.of(new IptablesCommand(IpFamily.IPV4)))) {
            before.sync(snapshot, ChangeSet.NONE);
            assertThat(rules()).contains("KUBE-PORTALS-HOST");

            proxy().sync(snapshot, ChangeSet.NONE);

            assertThat(rules()).doesNotContain("KUBE-PORTALS").contains("KUBE-NODEPORT-NON-LOCAL");
            assertThat(askFromHost(CLUSTER_IP, PORT)).isEqualTo("first");
        }
    }

    @Test
    void standsDownForAProcessThatHasPortalsInIptables() throws Exception {
        ServiceSnapshot snapshot = snapshot(first().endpoint());
        proxy().sync(snapshot, ChangeSet.NONE);
        new IptablesCommand(IpFamily.IPV4)
                .restore("""
                *nat
                :KUBE-PORTALS-HOST - [0:0]
                -A KUBE-PORTALS-HOST -d 10.96.0.10/32 -p tcp -m tcp --dport 80 -j REDIRECT --to-ports %d
                COMMIT
                """.formatted(first().endpoint().port()));

        proxy().sync(snapshot, ChangeSet.NONE);

        assertThat(rules()).contains("KUBE-PORTALS-HOST -d 10.96.0.10");
        assertThat(proxy().metrics().of(RelayCount.PORTALS_TAKEN_OVER)).isEqualTo(1);
        proxy().close();
        assertThat(rules()).contains("KUBE-PORTALS-HOST -d 10.96.0.10").doesNotContain("nodepath-portals");
        UserspaceProxy.removeRules(new IptablesCommand(IpFamily.IPV4));
    }

    private static void nft(String command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder("nft", command).inheritIO().start();
        assertThat(process.waitFor()).isZero();
    }
}
