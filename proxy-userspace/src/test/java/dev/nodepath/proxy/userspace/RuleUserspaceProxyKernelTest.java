package dev.nodepath.proxy.userspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.IptablesCommand;
import dev.nodepath.proxy.userspace.metrics.RelayCount;
import dev.nodepath.proxy.userspace.relay.PortalKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** With iptables rules. */
@Tag("netns")
class RuleUserspaceProxyKernelTest extends UserspaceProxyContract {
    @TempDir
    private Path folder;

    RuleUserspaceProxyKernelTest() throws Exception {
        super(PortalKind.IPTABLES);
    }

    /** A table leads first, whatever rules of ours still stand. */
    @Test
    void standsDownForAProcessThatHasATable() throws Exception {
        ServiceSnapshot snapshot = snapshot(first().endpoint());
        proxy().sync(snapshot, ChangeSet.NONE);
        load(first().endpoint().port());

        proxy().sync(snapshot, ChangeSet.NONE);

        assertThat(rules()).contains("table ip nodepath-portals", "KUBE-PORTALS-HOST");
        assertThat(proxy().metrics().of(RelayCount.PORTALS_TAKEN_OVER)).isEqualTo(1);
        proxy().close();
        assertThat(rules()).contains("table ip nodepath-portals");
        UserspaceProxy.removeRules(new IptablesCommand(IpFamily.IPV4));
    }

    @ParameterizedTest
    @ValueSource(strings = {"iptables -t nat -F", "iptables -t nat -F KUBE-PORTALS-HOST", "nft flush ruleset"})
    void repairsWhatOthersHaveRemoved(String change) throws Exception {
        ServiceSnapshot snapshot = snapshot(first().endpoint());
        proxy().sync(snapshot, ChangeSet.NONE);
        Process process = new ProcessBuilder(change.split(" ", -1)).inheritIO().start();
        assertThat(process.waitFor()).isZero();
        assertThatThrownBy(() -> askFromHost(CLUSTER_IP, PORT)).isInstanceOf(IOException.class);

        proxy().sync(snapshot, ChangeSet.NONE);

        assertThat(askFromHost(CLUSTER_IP, PORT)).isEqualTo("first");
    }

    @Test
    void removesTheTableOfAProcessThatHasEnded() throws Exception {
        load(1);

        proxy().sync(snapshot(first().endpoint()), ChangeSet.NONE);

        assertThat(rules()).doesNotContain("nodepath-portals");
        assertThat(askFromHost(CLUSTER_IP, PORT)).isEqualTo("first");
    }

    /** What another process has written. */
    private void load(int port) throws Exception {
        Path file = Files.writeString(folder.resolve("table"), """
                table ip nodepath-portals {
                    map portals {
                        type ipv4_addr . inet_proto . inet_service : inet_service
                        elements = { 10.96.0.10 . tcp . 80 : %d }
                    }
                }
                """.formatted(port));
        Process process =
                new ProcessBuilder("nft", "-f", file.toString()).inheritIO().start();
        assertThat(process.waitFor()).isZero();
    }
}
