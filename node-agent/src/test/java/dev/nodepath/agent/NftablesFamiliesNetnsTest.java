package dev.nodepath.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** nftables mode takes the families that it serves from the kernel, and needs no program of the host. */
@Tag("netns")
@Timeout(240)
class NftablesFamiliesNetnsTest extends AgentNodeFixture {
    private static final String NFTABLES = "--proxy-mode=nftables";

    private String tables() throws IOException {
        return node.namespace().run("nft", "list", "tables");
    }

    @Test
    void servesWithoutIptablesAndNft() throws Exception {
        try (NodeTraffic traffic = new NodeTraffic(node)) {
            NodepathProcess agent = node.agentAfter("mount -t tmpfs none /usr/sbin", "agent", NFTABLES);
            agent.awaitLog("proxy.synced");
            traffic.visitor();
            traffic.visitorOutside();
            traffic.awaitServed(agent, 50);
            assertThat(traffic.failures()).isEmpty();
            assertThat(tables()).contains("table ip kube-proxy", "table ip6 kube-proxy");
            agent.await(() -> !status().contains("[-]"));
            assertThat(agent.log())
                    .containsOnlyOnce("proxy.other_modes_skipped")
                    .containsOnlyOnce("forward.skipped");
        }
    }

    @Test
    void leavesIpv6OutWhereItIsDisabled() throws Exception {
        node.namespace().run("sysctl", "-w", "net.ipv6.conf.all.disable_ipv6=1");
        NodepathProcess agent = node.agent("agent", NFTABLES);
        agent.awaitLog("proxy.synced");
        assertThat(agent.log()).contains("proxy.family_skipped family=IPv6");
        assertThat(tables()).contains("table ip kube-proxy").doesNotContain("table ip6 kube-proxy");
        assertThat(node.get("10256/healthz")).contains("\"healthy\":true");
    }
}
