package dev.nodepath.agent.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** nftables mode takes the families that it serves from the kernel, and needs no program of the host. */
@Tag("netns")
@Timeout(900)
class NftablesFamiliesNetnsTest extends AgentNodeFixture {
    private static final String NFTABLES = "--proxy-mode=nftables";

    /** Programs that a kernel without its part of iptables refuses. */
    private static final String REFUSED_PROGRAMS = """
            mount -t tmpfs none /usr/sbin
            cat >/usr/sbin/iptables <<'END'
            #!/bin/sh
            case "$*" in *-V* | *--version*) echo "iptables v1.8.9 (nf_tables)" && exit ;; esac
            echo "iptables v1.8.9 (nf_tables): Could not fetch rule set generation id: Invalid argument" >&2
            exit 4
            END
            chmod +x /usr/sbin/iptables
            for name in ip6tables iptables-nft ip6tables-nft iptables-legacy ip6tables-legacy; do
                for end in '' -save -restore; do ln -s iptables "/usr/sbin/$name$end"; done
            done
            ln -s iptables /usr/sbin/iptables-save
            ln -s iptables /usr/sbin/iptables-restore
            """;

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
    void servesWhereTheKernelRefusesIptables() throws Exception {
        NodepathProcess agent = node.agentAfter(REFUSED_PROGRAMS, "agent", NFTABLES);
        agent.awaitLog("proxy.synced");
        agent.await(() -> !status().contains("[-]"));
        assertThat(agent.log())
                .containsOnlyOnce("proxy.other_modes_skipped")
                .containsOnlyOnce("forward.skipped")
                .contains("Could not fetch rule set generation id");
    }

    /** No process would keep its table. */
    @Test
    void leavesIpv6OutWhereItIsDisabled() throws Exception {
        node.namespace().run("nft", "add", "table", "ip6", "kube-proxy");
        node.namespace().run("sysctl", "-w", "net.ipv6.conf.all.disable_ipv6=1");
        NodepathProcess agent = node.agent("agent", NFTABLES);
        agent.awaitLog("proxy.synced");
        assertThat(agent.log()).contains("proxy.family_skipped family=IPv6");
        assertThat(tables()).contains("table ip kube-proxy").doesNotContain("table ip6 kube-proxy");
        assertThat(node.get("10256/healthz")).contains("\"healthy\":true");
    }
}
