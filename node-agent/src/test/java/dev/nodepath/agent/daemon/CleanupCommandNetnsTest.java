package dev.nodepath.agent.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.endpoints.source.kubernetes.TestApiServer;
import dev.nodepath.linux.BuiltNodepath;
import dev.nodepath.linux.conntrack.PacketCounters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules that an explicit cleanup removes of an ended agent, and rules of other programs that stay. */
@Tag("netns")
@Timeout(900)
class CleanupCommandNetnsTest {
    private static final String FORBIDDEN = """
            {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","reason":"Forbidden","code":403,\
            "message":"nodes \\"n1\\" is forbidden"}""";

    /** The printed and logged text is the output, or the error if the command fails. */
    private static final String BOTH_OUTPUTS = "all=$(\"$@\" 2>&1) || { echo \"$all\" >&2; exit 1; }; echo \"$all\"";

    /** Hides iptables and nft from later commands in the same shell. */
    private static final String WITHOUT_PROGRAMS = "mount -t tmpfs none /usr/sbin; ";

    @TempDir
    private Path folder;

    @Test
    void leavesNothingOfAnAgentAndAllOfOthers() throws Exception {
        try (AgentNode node = new AgentNode(folder)) {
            node.namespace().run("ip", "route", "add", "10.99.0.0/16", "via", "172.18.0.1", "proto", "111");
            node.namespace().run("ip", "link", "add", "other-vxlan", "type", "vxlan", "id", "1", "dstport", "8472");
            node.namespace()
                    .run("nft", "add table inet other; add chain inet other some; add rule inet other some accept");
            String before = state(node);
            node.api().put(TestApiServer.NODES, AgentNode.node("n2", "10.244.2.0/24", "172.18.0.3"));
            node.api().put(TestApiServer.NODES, AgentNode.node("n3", "10.244.3.0/24", "192.0.2.3"));
            NodepathProcess agent = node.agent("agent");
            agent.awaitLog("proxy.synced");
            agent.await(() -> routes(node).contains("10.244.2.0/24 via 172.18.0.3")
                    && routes(node).contains("10.244.3.0/24 via 10.244.3.0 dev nodepath-vxlan"));
            agent.await(() -> state(node).contains("table inet nodepath {"));
            agent.awaitLog("forward.accepted family=IPv6");
            assertThat(agent.terminate()).isEqualTo(143);
            assertThat(state(node))
                    .contains(
                            "KUBE-SERVICES",
                            "nodepath-vxlan",
                            "proto 110",
                            "chain pod-masquerade",
                            "-j NODEPATH-FORWARD");

            assertThat(dropped(node)).hasValue(0);

            run(node, "proxy --cleanup");
            assertThat(state(node))
                    .doesNotContain("KUBE-SERVICES")
                    .contains("nodepath-vxlan", "proto 110", "chain pod-masquerade", "-j NODEPATH-FORWARD");

            run(node, "cleanup");
            assertThat(state(node)).isEqualTo(before);
            assertThat(dropped(node)).isEmpty();
            run(node, "cleanup");
        }
    }

    /** Its node's configuration, plugin and Java would be the machine's. */
    @Test
    void leavesTheMachineAloneInAnEmulatedNode() throws Exception {
        Path nodes = Files.createDirectories(Path.of("/run/nodepath/nodes"));
        try (AgentNode node = new AgentNode(folder)) {
            assertThatThrownBy(() -> run(node, "cleanup --uninstall"))
                    .hasMessageContaining(
                            "is of an emulated cluster, and has the machine's files (expected: a real node;");
        } finally {
            Files.delete(nodes);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", WITHOUT_PROGRAMS})
    void removesTheTablesOfNftablesModeAndSaysOnlyThat(String before) throws Exception {
        try (AgentNode node = new AgentNode(folder)) {
            node.namespace().run("nft", "add table ip other; add table ip6 other");
            String tables = node.namespace().run("nft", "list", "tables");
            NodepathProcess proxy = node.proxy("proxy", "--mode=nftables");
            proxy.await(() -> node.namespace().run("nft", "list", "tables").contains("table ip6 kube-proxy"));
            proxy.terminate();
            assertThat(node.namespace().run("nft", "list", "tables"))
                    .contains("table ip kube-proxy", "table ip6 kube-proxy");

            String said = runAfter(before, node, "cleanup");
            assertThat(node.namespace().run("nft", "list", "tables")).isEqualTo(tables);
            assertThat(said.contains("cleanup.iptables_skipped")).isEqualTo(!before.isEmpty());
            String again = runAfter(before, node, "cleanup");
            assertThat(again.lines().filter(line -> !line.contains("cleanup.iptables_skipped") && !line.isEmpty()))
                    .singleElement()
                    .asString()
                    .startsWith("cleanup: no Service's rule of Nodepath or kube-proxy is left");
            assertThat(node.namespace().run("nft", "list", "tables")).isEqualTo(tables);
        }
    }

    /** Another program may have removed the chains by which a cleanup recognises a mode. */
    @Test
    void removesTheTablesOfUserspaceModeWithoutItsChains() throws Exception {
        try (AgentNode node = new AgentNode(folder)) {
            NodepathProcess proxy = node.proxy("proxy", "--mode=userspace");
            proxy.await(() -> node.namespace().run("nft", "list", "tables").contains("table ip6 nodepath-portals"));
            proxy.kill();
            node.namespace()
                    .run(
                            "sh",
                            "-c",
                            "for f in ip ip6; do for t in nat filter mangle; do nft delete table $f $t || true; done; done");
            assertThat(node.namespace().run("nft", "list", "tables"))
                    .contains("ip nodepath-portals", "ip6 nodepath-portals");

            run(node, "cleanup");
            assertThat(node.namespace().run("nft", "list", "tables")).doesNotContain("nodepath-portals");
        }
    }

    /** The configuration too, but not under an agent that would write it again. */
    @Test
    void uninstallsWhereNoAgentRuns() throws Exception {
        try (AgentNode node = new AgentNode(folder)) {
            String uninstall = "cleanup --uninstall --hostname-override=n1 --master="
                    + node.api().url() + " --install-dir=" + folder.resolve("opt") + " --cni-bin-dir="
                    + folder.resolve("bin") + " --cni-conf-dir=" + folder.resolve("net.d") + " --cni-socket="
                    + NodepathProcess.socket(folder);
            String before = state(node);
            NodepathProcess agent = node.agent("agent");
            agent.awaitLog("proxy.synced");
            agent.await(() -> Files.exists(node.conflist()));
            agent.await(() -> state(node).contains("table inet nodepath {"));
            agent.awaitLog("forward.accepted family=IPv6");
            agent.await(() -> condition(node).contains("NodepathIsUp"));
            String running = state(node);
            assertThatThrownBy(() -> run(node, uninstall)).hasMessageContaining("another agent runs on this node");
            assertThat(state(node)).isEqualTo(running);
            assertThat(node.conflist()).exists();
            assertThat(condition(node)).contains("NodepathIsUp");
            agent.terminate();

            Path mark = node.conflist().resolveSibling("10-nodepath.policies");
            Files.writeString(mark, "");
            run(node, uninstall);
            assertThat(mark).doesNotExist();
            Files.writeString(mark, "");
            run(node, "cleanup --cni-conf-dir=" + mark.getParent());
            assertThat(mark).doesNotExist();
            assertThat(node.conflist()).doesNotExist();
            assertThat(state(node)).isEqualTo(before);
            assertThat(condition(node)).doesNotContain("NetworkUnavailable");

            // Without its API server all else is removed all the same: the only way to it may have been the removed
            // rules.
            for (String server : List.of("http://127.0.0.1:1", "http://127.0.0.1:99999")) {
                Files.writeString(node.conflist(), "{}");
                node.namespace().run("ip", "route", "add", "10.98.0.0/16", "via", "172.18.0.1", "proto", "110");
                assertThat(run(node, uninstall.replace(node.api().url(), server)))
                        .contains("condition=NetworkUnavailable error=", "--kubeconfig", "node.condition_not_removed");
                assertThat(node.conflist()).doesNotExist();
                assertThat(state(node)).isEqualTo(before);
            }
            node.api().fail("/api/v1/nodes/n1", false, 1, 403, FORBIDDEN, "");
            assertThat(run(node, uninstall)).contains("RBAC rule", "node.condition_not_removed");
        }
    }

    /** The Node as the API server has it. */
    private static String condition(AgentNode node) {
        return node.api().get(TestApiServer.NODES, "", "n1").orElseThrow();
    }

    /** The count of a counter in the rules. */
    private static OptionalLong dropped(AgentNode node) throws IOException {
        try (PacketCounters counters = node.namespace().packetCounters()) {
            return counters.packets("ct_state_invalid_dropped_pkts");
        }
    }

    private static String routes(AgentNode node) throws IOException {
        return node.namespace().run("ip", "route", "show", "proto", "110");
    }

    /**
     * Links, routes and rules; of iptables without its own chains, and without KUBE-FIREWALL, which is the kubelet's.
     */
    private static String state(AgentNode node) throws IOException {
        StringBuilder state = new StringBuilder();
        for (String command : List.of(
                "ip -br link", "ip route", "ip -6 route", "nft list ruleset inet", "iptables-save", "ip6tables-save")) {
            state.append(node.namespace()
                    .run(command.split(" ", -1))
                    .replaceAll("(?m)^(#|\\*|COMMIT|:[A-Z]+ ACCEPT|.*KUBE-FIREWALL).*\n", ""));
        }
        return state.toString();
    }

    /** The printed and logged text; fails if the command does. */
    private static String run(AgentNode node, String command) throws IOException {
        return runAfter("", node, command);
    }

    /** The same, after these words of a shell. */
    private static String runAfter(String shell, AgentNode node, String command) throws IOException {
        List<String> words = new ArrayList<>(List.of("sh", "-c", shell + BOTH_OUTPUTS, "sh"));
        words.addAll(BuiltNodepath.command(List.of()));
        words.addAll(List.of(command.split(" ", -1)));
        return node.namespace().run(words.toArray(String[]::new));
    }
}
