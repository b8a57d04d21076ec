package dev.nodepath.agent.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.IptablesVariant;
import dev.nodepath.linux.iptables.Table;
import java.io.IOException;
import java.net.Socket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** An agent is killed, or another one takes its place, while clients come and go. */
@Tag("netns")
@Tag("faults")
@Timeout(900)
class AgentRestartNetnsTest extends AgentNodeFixture {
    @SuppressWarnings("NullAway.Init") // lives from @BeforeEach
    private NodeTraffic traffic;

    @BeforeEach
    void startTraffic() throws IOException {
        traffic = new NodeTraffic(node);
    }

    @AfterEach
    void endTraffic() throws IOException {
        traffic.close();
    }

    private String nat() throws IOException {
        return node.namespace().iptables(IpFamily.IPV4, IptablesVariant.NFT).save(Table.NAT);
    }

    private String tables() throws IOException {
        return node.namespace().run("nft", "list", "tables");
    }

    @ParameterizedTest
    @EnumSource(names = {"IPTABLES", "NFTABLES"})
    void whereTheKernelForwardsNobodyNoticesThatTheAgentIsKilled(ProxyMode mode) throws Exception {
        NodepathProcess first = node.agent("first", "--proxy-mode=" + mode);
        first.awaitLog("proxy.synced");
        Socket open = traffic.connection();
        traffic.visitor();
        traffic.awaitServed(first, 50);

        first.kill();
        NodeTraffic.exchange(open);
        NodepathProcess second = node.agent("second", "--proxy-mode=" + mode);
        second.awaitLog("proxy.synced");
        traffic.awaitServed(second, 50);
        assertThat(second.terminate()).isEqualTo(143);
        NodeTraffic.exchange(open);
        NodepathProcess third = node.agent("third", "--proxy-mode=" + mode);
        third.awaitLog("proxy.synced");
        traffic.awaitServed(third, 50);
        NodeTraffic.exchange(open);
        assertThat(traffic.failures()).isEmpty();
    }

    @Test
    void inUserspaceModeNewConnectionsWorkAgainWhenTheAgentIs() throws Exception {
        NodepathProcess first = node.agent("first", "--proxy-mode=userspace");
        first.awaitLog("proxy.synced");
        traffic.visitor();
        traffic.awaitServed(first, 50);

        first.kill();
        NodepathProcess second = node.agent("second", "--proxy-mode=userspace");
        second.awaitLog("proxy.synced");
        traffic.awaitServed(second, 50);
        traffic.failures().clear();
        traffic.awaitServed(second, 200);
        assertThat(traffic.failures()).isEmpty();
    }

    /** The ending agent leaves rules of iptables mode behind, which the next one removes. */
    @Test
    void inUserspaceModeNobodyNoticesThatTheAgentIsReplaced() throws Exception {
        NodepathProcess first = node.agent("first", "--proxy-mode=userspace");
        first.awaitLog("proxy.synced");
        traffic.visitor();
        traffic.visitorOutside();
        traffic.awaitServed(first, 50);

        assertThat(first.terminate()).isEqualTo(143);
        assertThat(first.log()).contains("proxy.handed_over services=1");
        assertThat(nat()).contains("KUBE-SVC-");
        assertThat(tables()).doesNotContain("nodepath-portals");
        int before = traffic.served();
        NodepathProcess second = node.agent("second", "--proxy-mode=userspace");
        second.awaitLog("proxy.synced");
        assertThat(traffic.served()).isGreaterThan(before);
        second.await(() -> !nat().contains("KUBE-SVC-"));
        assertThat(tables()).contains("nodepath-portals");
        traffic.awaitServed(second, 50);
        assertThat(traffic.failures()).isEmpty();
    }

    /** The old process keeps its connections until they end, and lets the new one begin meanwhile. */
    @ParameterizedTest
    @CsvSource({"iptables, :KUBE-SVC-", "nftables, table ip kube-proxy"})
    void theModeChangesFromUserspaceWhileTheOldOneDrains(String mode, String rules) throws Exception {
        NodepathProcess first = node.agent("first", "--proxy-mode=userspace", "--drain-timeout=60s");
        first.awaitLog("proxy.synced");
        Socket open = traffic.connection();
        NodeTraffic.exchange(open);

        Thread ending = new Thread(() -> {
            try {
                first.terminate();
            } catch (IOException | InterruptedException e) {
                traffic.failed(e);
            }
        });
        traffic.visitor();
        traffic.awaitServed(first, 50);
        ending.start();
        first.awaitLog("proxy.handed_over");
        NodepathProcess second = node.agent("second", "--proxy-mode=" + mode);
        second.awaitLog("proxy.synced");
        traffic.awaitServed(second, 50);
        for (int i = 0; i < 20; i++) {
            NodeTraffic.exchange(open);
        }
        second.await(() -> !tables().contains("nodepath-portals"));
        assertThat(nat() + tables()).contains(rules);
        assertThat(first.isAlive()).isTrue();
        assertThat(traffic.failures()).isEmpty();
        open.close();
        ending.join();
        traffic.awaitServed(second, 50);
        assertThat(traffic.failures()).isEmpty();
    }
}
