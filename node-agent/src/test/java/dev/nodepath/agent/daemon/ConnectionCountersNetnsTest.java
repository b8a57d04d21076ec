package dev.nodepath.agent.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code /metrics/connections} of nftables mode, whose rules count only on demand. */
@Tag("netns")
@Timeout(900)
class ConnectionCountersNetnsTest extends AgentNodeFixture {
    private static final String NFTABLES = "--proxy-mode=nftables";
    private static final String COUNTERS = "--nftables-connection-counters";
    private static final Pattern OF_ENDPOINT = Pattern.compile(
            "nodepath_endpoint_connections_total\\{endpoint=\"172.18.0.2:8080\",ip_family=\"IPv4\",.*} ([0-9]+)\\.0");

    private String listing() throws IOException {
        return node.namespace().run("nft", "list", "table", "ip", "kube-proxy");
    }

    private long counted() throws IOException {
        Matcher line = OF_ENDPOINT.matcher(node.get("10249/metrics/connections"));
        assertThat(line.find()).isTrue();
        return Long.parseLong(line.group(1));
    }

    @Test
    void countsNothingUnlessAskedTo() throws Exception {
        NodepathProcess agent = node.agent("agent", NFTABLES);
        agent.awaitLog("proxy.synced");
        assertThat(listing()).contains("dnat ip to").doesNotContain("counter");
        assertThat(node.get("10249/metrics/connections")).contains("404");
    }

    /** A restart finds the counters as it wants them, and leaves them. Nothing is repaired while they count. */
    @Test
    void countsEachConnectionOnceAndAcrossRestarts() throws Exception {
        NodepathProcess first = node.agent("first", NFTABLES, COUNTERS, "--nftables-sync-period=1s");
        first.awaitLog("proxy.synced");
        try (NodeTraffic traffic = new NodeTraffic(node)) {
            traffic.connection().close();
            traffic.connectionFromOutside().close();
            traffic.connectionFromOutside().close();
        }
        assertThat(counted()).isEqualTo(3);
        assertThat(listing()).contains("counter packets 3 bytes ");
        int syncs = NodepathProcess.syncs(node.namespace());
        first.await(() -> NodepathProcess.syncs(node.namespace()) > syncs + 3);
        assertThat(first.log()).doesNotContain("rules.repaired");
        first.terminate();

        NodepathProcess second = node.agent("second", NFTABLES, COUNTERS);
        second.awaitLog("proxy.synced");
        assertThat(counted()).isEqualTo(3);

        second.terminate();
        NodepathProcess third = node.agent("third", NFTABLES);
        third.awaitLog("proxy.synced");
        assertThat(listing()).doesNotContain("counter");
    }
}
