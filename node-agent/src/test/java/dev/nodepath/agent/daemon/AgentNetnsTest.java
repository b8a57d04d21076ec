package dev.nodepath.agent.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.source.kubernetes.TestApiServer;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.IptablesVariant;
import dev.nodepath.linux.iptables.Table;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The process as it runs on a node: its leftovers, its log, and its behaviour without an API server. */
@Tag("netns")
@Timeout(900)
class AgentNetnsTest extends AgentNodeFixture {
    private static final String DROPPED =
            "nodepath_policy_dropped_packets_total{direction=\"egress\",ip_family=\"IPv4\"}";

    private String nat() throws IOException {
        return node.namespace().iptables(IpFamily.IPV4, IptablesVariant.NFT).save(Table.NAT);
    }

    private boolean reaches(String address) throws IOException {
        return node.inside().call(() -> InetAddress.getByName(address).isReachable(5000));
    }

    private void compileClient(Path to) throws Exception {
        Files.createDirectories(to.getParent());
        Process compiler = new ProcessBuilder(
                        "cc", "-O1", "-o", to.toString(), "../cni-bridge/src/main/c/nodepath-bridge.c")
                .inheritIO()
                .start();
        assertThat(compiler.waitFor()).isZero();
    }

    /** A call of the plugin in the node's namespace. */
    private String cni(Path client, String command, String netns) throws IOException {
        return cni(client, command, netns, "c1");
    }

    private String cni(Path client, String command, String netns, String container) throws IOException {
        return cni(client, command, netns, container, "");
    }

    private String cni(Path client, String command, String netns, String container, String args) throws IOException {
        return node.namespace()
                .run(
                        "sh",
                        "-c",
                        "printf '%s' \"$1\" | env NODEPATH_CNI_SOCKET=" + NodepathProcess.socket(folder)
                                + " CNI_COMMAND="
                                + command + " CNI_CONTAINERID=" + container + " CNI_NETNS=" + netns
                                + " CNI_IFNAME=eth0 CNI_PATH=/nowhere 'CNI_ARGS=" + args + "' " + client
                                + " 2>&1 || true",
                        "sh",
                        pluginConfig());
    }

    /** libcni's configuration for the first plugin of the conflist. */
    private String pluginConfig() throws IOException {
        String list = Files.readString(node.conflist());
        int start = list.indexOf('{', list.indexOf("\"plugins\""));
        String plugin = list.substring(start, list.lastIndexOf(']')).strip();
        return plugin.replaceFirst("\\{", "{\"cniVersion\":\"1.0.0\",\"name\":\"nodepath\",");
    }

    @Test
    void aPodGetsItsAddressesWhenItsPoliciesAreInForce() throws Exception {
        Path client = folder.resolve("client");
        compileClient(client);
        node.api().put(TestApiServer.POLICIES, """
                {"metadata":{"namespace":"shop","name":"deny-all"},"spec":{"podSelector":{}}}""");
        node.api().put(TestApiServer.PODS, """
                {"metadata":{"namespace":"shop","name":"web","uid":"u1"},"spec":{"nodeName":"n1"}}""");
        NodepathProcess agent = node.agent("agent", "--network-policy-wait=10s");
        agent.awaitLog("network.configured");
        String pod = node.namespace().name() + "-pod";
        new KernelLinuxNet().create(pod).close();
        try {
            String args = "IgnoreUnknown=1;K8S_POD_NAMESPACE=shop;K8S_POD_NAME=web;K8S_POD_UID=u1";
            StringBuilder added = new StringBuilder();
            // The kubelet tries again too.
            agent.await(() -> {
                added.setLength(0);
                added.append(cni(client, "ADD", "/run/netns/" + pod, "c1", args));
                return !added.toString().contains("\"code\":11,");
            });
            String map = node.namespace().run("nft", "list", "map", "ip", "nodepath-policy", "ingress");
            assertThat(added).contains("10.244.1.");
            String address = added.substring(added.indexOf("10.244.1."), added.indexOf("/24"));
            assertThat(map).contains(address + " comment \"shop/web\" : goto ingress-");
        } finally {
            new KernelLinuxNet().delete(pod);
        }
    }

    private void putDenyAll() {
        node.api().put(TestApiServer.POLICIES, """
                {"metadata":{"namespace":"shop","name":"deny-all"},"spec":{"podSelector":{}}}""");
    }

    private void deletePolicyTables() throws IOException {
        node.namespace().run("nft", "delete table ip nodepath-policy; delete table ip6 nodepath-policy");
    }

    @Test
    void tableAndMarkOfPoliciesGoWithTheLastOneWhileTheAgentRuns() throws Exception {
        putDenyAll();
        NodepathProcess agent = node.agent("agent");
        Path mark = node.conflist().resolveSibling("10-nodepath.policies");
        agent.await(() -> Files.exists(mark) && hasPolicyTable());
        // At first the mark cannot be removed. The agent may write it again before a folder stands in its place.
        Path within = mark.resolve("a file of others");
        agent.await(() -> {
            Files.deleteIfExists(mark);
            try {
                Files.createDirectories(within);
                return true;
            } catch (FileSystemException e) {
                return false;
            }
        });
        node.api().delete(TestApiServer.POLICIES, "shop", "deny-all");
        agent.awaitLog("agent.notice reason=NetworkPolicyLimited note=no policy is in force, but what is left");
        agent.await(() -> status().contains("[+]policy ok") && !hasPolicyTable());
        Files.delete(within);
        agent.await(() -> Files.notExists(mark));
        agent.await(() -> status().contains("[+]policy ok"));
        assertThat(mark).doesNotExist();
        putDenyAll();
        agent.await(() -> Files.exists(mark) && hasPolicyTable());
    }

    private boolean hasPolicyTable() throws IOException {
        return node.namespace().run("nft", "list", "tables").contains("nodepath-policy");
    }

    /** The server does not list them at first, as while its own pods start. */
    @Test
    void clusterPoliciesOfBeforeARestartOfTheNodeAreAwaited() throws Exception {
        node.api().defineClusterPolicies();
        node.api().put(TestApiServer.CLUSTER_POLICIES, """
                {"metadata":{"name":"guard"},"spec":{"tier":"Admin","priority":1,"subject":{"namespaces":{}},
                 "egress":[{"action":"Deny","to":[{"networks":["10.9.0.0/16"]}]}]}}""");
        NodepathProcess agent = node.agent("agent");
        agent.awaitLog("policy.synced");
        agent.kill();
        deletePolicyTables();

        node.api().fail(TestApiServer.CLUSTER_POLICIES, false, 3, 503, "", "");
        NodepathProcess again = node.agent("again");
        again.awaitLog("policy.cluster_policies_awaited sign=mark");
        again.awaitLog("policy.synced policies=0 cluster_policies=1");
        assertThat(node.conflist().resolveSibling("10-nodepath.policies"))
                .content()
                .contains("ClusterNetworkPolicies");
    }

    /** A restart of the node leaves its files and nothing of the kernel's. */
    @Test
    void podsWaitForAnAgentThatEnforcesPoliciesAfterARestartOfTheNode() throws Exception {
        putDenyAll();
        NodepathProcess agent = node.agent("agent");
        agent.awaitLog("network.configured");
        agent.awaitLog("policy.synced");
        agent.kill();
        deletePolicyTables();

        Path plugin = Path.of("../scripts/nodepath-bridge").toAbsolutePath();
        String pod = node.namespace().name() + "-pod";
        new KernelLinuxNet().create(pod).close();
        try {
            String netns = "/run/netns/" + pod;
            Path mark = node.conflist().resolveSibling("10-nodepath.policies");
            assertThat(cni(plugin, "ADD", netns, "c1", ""))
                    .contains("\"code\":11,", "no agent runs", "file " + mark + " is there");

            // At first it cannot be removed.
            Files.delete(mark);
            Path within = Files.createDirectories(mark.resolve("a file of others"));
            NodepathProcess without = node.agent("without", "--network-policy=false");
            without.awaitLog("agent.notice reason=NetworkPolicyLimited note=no policy is in force, but what is left");
            without.await(() -> status().contains("[+]policy ok"));
            Files.delete(within);
            without.await(() -> Files.notExists(mark));
            without.kill();
            assertThat(cni(plugin, "ADD", netns, "c1", "")).contains("10.244.1.");
        } finally {
            new KernelLinuxNet().delete(pod);
        }
    }

    /** A connection of a pod to its node; the egress policy comes later. */
    @ParameterizedTest(name = "strict: {0}")
    @ValueSource(booleans = {true, false})
    void aStrictAgentEndsWhatAChangeForbids(boolean strict) throws Exception {
        Path client = folder.resolve("client");
        compileClient(client);
        NodepathProcess agent = node.agent("agent", "--network-policy-strict=" + strict);
        agent.awaitLog("network.configured");
        String pod = node.namespace().name() + "-pod";
        try (NetworkNamespace inPod = new KernelLinuxNet().create(pod)) {
            assertThat(cni(client, "ADD", "/run/netns/" + pod)).contains("10.244.1.2/24");
            node.api().put(TestApiServer.PODS, """
                    {"metadata":{"namespace":"shop","name":"web"},"spec":{"nodeName":"n1"},
                     "status":{"podIPs":[{"ip":"10.244.1.2"}]}}""");
            try (ServerSocket server = node.inside().call(() -> new ServerSocket(0));
                    Socket here = inPod.call(() -> new Socket("10.244.1.1", server.getLocalPort()));
                    Socket there = server.accept()) {
                here.getOutputStream().write(1);
                assertThat(there.getInputStream().read()).isEqualTo(1);
                node.api().put(TestApiServer.POLICIES, """
                        {"metadata":{"namespace":"shop","name":"deny-all"},
                         "spec":{"podSelector":{},"policyTypes":["Egress"]}}""");
                agent.awaitLog("policy.synced");
                if (strict) {
                    agent.awaitLog("policy.connections_ended connections=1");
                }
                here.getOutputStream().write(2);
                if (strict) {
                    agent.await(() -> node.get("10249/metrics")
                            .lines()
                            .anyMatch(line -> line.startsWith(DROPPED) && !line.endsWith(" 0.0")));
                    assertThat(there.getInputStream().available()).isZero();
                } else {
                    assertThat(there.getInputStream().read()).isEqualTo(2);
                }
            }
        } finally {
            new KernelLinuxNet().delete(pod);
        }
    }

    @Test
    void wiresPodsCarriesServicesAndTellsTheCluster() throws Exception {
        Path client = folder.resolve("client");
        compileClient(client);
        NodepathProcess agent = node.agent("agent");
        agent.awaitLog("node.condition_set");
        agent.awaitLog("proxy.synced");

        // On a busy machine the conflist comes first, and the MTU when the routes have been looked at.
        agent.await(() -> Files.readString(node.conflist()).contains("\"mtu\" : 1500"));
        assertThat(Files.readString(node.conflist()))
                .contains("\"10.244.1.0/24\"", "\"type\" : \"nodepath-bridge\"")
                .contains(folder.resolve("run/ipam").toString());
        assertThat(node.api().get(TestApiServer.NODES, "", "n1").orElseThrow())
                .contains("\"type\":\"NetworkUnavailable\",\"status\":\"False\",\"reason\":\"NodepathIsUp\"");
        assertThat(nat()).contains("--to-destination 172.18.0.2:8080");
        String allUp = """
                        [+]cni ok
                        [+]condition ok
                        [+]events ok
                        [+]forward ok
                        [+]network ok
                        [+]policy ok
                        [+]proxy ok
                        [+]routes ok
                        [+]source ok
                        """;
        // Each part says when it is up, in any order.
        agent.await(() -> status().equals(allUp));

        String pod = node.namespace().name() + "-pod";
        new KernelLinuxNet().create(pod).close();
        try {
            String added = cni(client, "ADD", "/run/netns/" + pod);
            assertThat(added).contains("10.244.1.2/24");
            assertThat(node.namespace().run("nft", "list", "table", "bridge", "nodepath_cni"))
                    .contains(". 10.244.1.2", "goto address");
            assertThat(reaches("10.244.1.2")).isTrue();
            // A call is counted when its caller has the answer.
            agent.await(() -> node.get("10249/metrics").contains("nodepath_cni_calls_total{"));
            assertThat(node.get("10249/metrics"))
                    .contains(
                            "nodepath_cni_calls_total{code=\"0\",command=\"ADD\"} 1.0",
                            "nodepath_agent_part_up{part=\"routes\"} 1.0",
                            "nodepath_routes_wanted 0.0",
                            "nodepath_source_watches_total{kind=\"Node\"} 1.0",
                            "kubeproxy_sync_full_proxy_rules_duration_seconds_count{ip_family=\"IPv4\"} 1");

            NodepathProcess second = node.agent("second");
            assertThat(second.exitCode()).isEqualTo(1);
            assertThat(second.log())
                    .contains(
                            "nodepath: another agent runs on this node: it holds " + folder.resolve("run/agent.lock"));

            assertThat(agent.terminate()).isEqualTo(143);
            assertThat(node.conflist()).exists();
            assertThat(nat()).contains("--to-destination 172.18.0.2:8080");
            assertThat(reaches("10.244.1.2")).isTrue();
        } finally {
            new KernelLinuxNet().delete(pod);
        }
    }

    @Test
    void servesPodsWithoutAnApiServerFromWhatIsOnDisk() throws Exception {
        Path client = folder.resolve("client");
        compileClient(client);
        node.agent("first").awaitLog("network.configured");
        node.close();
        // The same node, started again while the server is away.
        node = new AgentNode(folder);
        node.api().stop();
        NodepathProcess agent = node.agent("again");
        agent.awaitLog("cni.started");
        agent.awaitLog("agent.part_failed part=source");
        agent.await(() -> status().contains("[+]network ok"));
        assertThat(status()).contains("[+]cni ok", "[-]proxy not ready: no sync yet", "[-]source not ready: ");

        String pod = node.namespace().name() + "-pod";
        new KernelLinuxNet().create(pod).close();
        try {
            assertThat(cni(client, "ADD", "/run/netns/" + pod)).contains("10.244.1.2/24");
            assertThat(reaches("10.244.1.2")).isTrue();
        } finally {
            new KernelLinuxNet().delete(pod);
        }
        assertThat(node.get("10256/livez")).contains("\"healthy\":true");
        node.inside().call(() -> {
            node.api().start();
            return true;
        });
        agent.awaitLog("proxy.synced");
        agent.awaitLog("node.condition_set");
        assertThat(nat()).contains("--to-destination 172.18.0.2:8080");
    }

    @Test
    void followsItsPodCidrAndEndsWhenItsNodeGoes() throws Exception {
        NodepathProcess agent = node.agent("agent");
        agent.awaitLog("network.configured");
        agent.awaitLog("node.condition_set");
        Files.setLastModifiedTime(node.conflist(), FileTime.from(Instant.EPOCH));
        node.api().put(TestApiServer.NODES, AgentNode.node("n1", "10.244.7.0/24", "172.18.0.2"));
        agent.await(() -> Files.readString(node.conflist()).contains("10.244.7.0/24"));
        agent.await(() -> node.api().events().stream().anyMatch(event -> event.contains("PodCIDRChanged")));
        assertThat(agent.isAlive()).isTrue();

        node.api().delete(TestApiServer.NODES, "", "n1");
        assertThat(agent.exitCode()).isEqualTo(1);
        assertThat(agent.log()).contains("node.changed node=n1 reason=deleted");
        assertThat(node.conflist()).exists();
    }

    @Test
    void anEarlierPodCidrIsAnothersOnceItsLastPodIsGone() throws Exception {
        Path client = folder.resolve("client");
        compileClient(client);
        NodepathProcess agent = node.agent("agent");
        agent.awaitLog("network.configured");
        String pod = node.namespace().name() + "-pod";
        new KernelLinuxNet().create(pod).close();
        try {
            assertThat(cni(client, "ADD", "/run/netns/" + pod)).contains("10.244.1.2/24");
            node.api().put(TestApiServer.NODES, AgentNode.node("n1", "10.244.7.0/24", "172.18.0.2"));
            agent.await(() -> Files.readString(node.conflist()).contains("10.244.7.0/24"));
            node.api().put(TestApiServer.NODES, AgentNode.node("n2", "10.244.1.0/24", "172.18.0.3"));
            agent.awaitLog(
                    "podCIDR 10.244.1.0/24 overlaps this host's route 10.244.1.0/24 dev cni0 of an earlier podCIDR");
            assertThat(reaches("10.244.1.2")).isTrue();

            cni(client, "DEL", "/run/netns/" + pod);
            agent.awaitLog("network.gateways_removed link=cni0 addresses=[10.244.1.1/24]");
            agent.await(() -> node.namespace().run("ip", "route").contains("10.244.1.0/24 via 172.18.0.3 dev eth0"));
        } finally {
            new KernelLinuxNet().delete(pod);
        }
    }

    @Test
    void endsWhenItsAddressChanges() throws Exception {
        NodepathProcess agent = node.agent("agent");
        agent.awaitLog("network.configured");
        node.api().put(TestApiServer.NODES, AgentNode.node("n1", "10.244.1.0/24", "172.18.0.9"));
        assertThat(agent.exitCode()).isEqualTo(1);
        assertThat(agent.log()).contains("addresses changed from [172.18.0.2] to [172.18.0.9]");
    }

    @Test
    void answersWhatDashboardsOfKubeProxyAskFor() throws Exception {
        NodepathProcess agent = node.agent(
                "agent", "--log-json-split-stream", "--boot-id-file=/boot", NodepathProcess.DEFAULT_OOM_SCORE);
        agent.awaitLog("node.condition_set");
        agent.await(() -> node.get("10249/metrics").contains("git_version=\"v1.36.0+nodepath\""));
        String host = node.api().url().substring("http://".length());
        assertThat(node.get("10249/metrics"))
                .contains(
                        "rest_client_requests_total{code=\"200\",host=\"" + host + "\",method=\"GET\"} ",
                        "rest_client_requests_total{code=\"200\",host=\"" + host + "\",method=\"PATCH\"} 1.0",
                        "rest_client_request_duration_seconds_bucket{host=\"" + host + "\",verb=\"GET\",le=\"+Inf\"} ",
                        "process_max_fds ");
        assertThat(node.get("10249/healthz")).isEqualTo("ok");
        assertThat(node.get("10249/metrics/slis"))
                .contains("kubernetes_healthcheck{name=\"ping\",type=\"healthz\"} 1.0");
        assertThat(node.get("10249/flagz")).contains("\nhostname-override=n1\n", "\noom-score-adj=-999\n");
        assertThat(node.get("10249/statusz")).contains("\nUp: 0 hr 00 min ");
        assertThat(agent.log()).contains("options.without_effect options=[--log-json-split-stream, --boot-id-file]");
        // Root may lower it, a user in a namespace of his own may not.
        String score = Files.readString(Path.of("/proc/" + agent.pid() + "/oom_score_adj"))
                .strip();
        assertThat(score.equals("-999") || agent.log().contains("requested=-999"))
                .as(score)
                .isTrue();
    }

    @Test
    void withoutAProxyItWiresPodsAlone() throws Exception {
        NodepathProcess agent = node.agent("agent", "--proxy-mode=none");
        agent.awaitLog("network.configured");
        agent.awaitLog("node.condition_set");
        assertThat(nat()).doesNotContain("KUBE-");
        assertThat(node.get("10256/healthz")).contains("\"healthy\":true");
        assertThat(node.get("10249/proxyMode")).isEqualTo("none");
        assertThat(node.get("10249/metrics")).contains("nodepath_agent_part_up{part=\"cni\"} 1.0");
    }

    /** In nftables mode no rule of the proxy accepts a packet, so only the agent's chain overrules the policy. */
    @ParameterizedTest
    @ValueSource(strings = {"none", "nftables"})
    void podsReachEachOtherWhereTheHostDropsWhatItForwards(String mode) throws Exception {
        Path client = folder.resolve("client");
        compileClient(client);
        node.api().put(TestApiServer.NODES, AgentNode.node("n1", "10.244.1.0/24\",\"fd00:244:1::/64", "172.18.0.2"));
        for (String command : List.of("iptables", "ip6tables")) {
            node.namespace().run(command, "-P", "FORWARD", "DROP");
        }
        node.setEndpoint("10.244.1.3");
        NodepathProcess agent = node.agent("agent", "--proxy-mode=" + mode);
        agent.awaitLog("network.configured");
        agent.awaitLog("forward.accepted family=IPv6");
        List<String> pods =
                List.of(node.namespace().name() + "-a", node.namespace().name() + "-b");
        try {
            for (String pod : pods) {
                new KernelLinuxNet().create(pod).close();
                assertThat(cni(client, "ADD", "/run/netns/" + pod, pod)).contains("fd00:244:1::");
            }
            try (NetworkNamespace a = new KernelLinuxNet().openNamed(pods.get(0))) {
                assertThat(reaches(a, "10.244.1.3")).isTrue();
                assertThat(reaches(a, "fd00:244:1::3")).isTrue();
                // As the firewalls of hosts do when they are loaded anew.
                node.namespace().run("iptables", "-F", "FORWARD");
                node.namespace().run("ip6tables", "-F", "FORWARD");
                agent.await(() -> reaches(a, "10.244.1.3") && reaches(a, "fd00:244:1::3"));
            }
            assertThat(node.namespace().run("iptables", "-S", "FORWARD"))
                    .isEqualTo(
                            "-P FORWARD DROP\n-A FORWARD -m comment --comment \"nodepath pods\" -j NODEPATH-FORWARD\n");
            if (mode.equals("nftables")) {
                agent.awaitLog("proxy.synced");
                assertThat(answersThroughClusterIp(pods)).isTrue();
                agent.terminate();
                node.namespace().run("iptables", "-F", "FORWARD");
                assertThat(answersThroughClusterIp(pods))
                        .as("without the agent's chain")
                        .isFalse();
            }
        } finally {
            for (String pod : pods) {
                new KernelLinuxNet().delete(pod);
            }
        }
    }

    /** Whether the first pod gets a connection to the Service, whose endpoint is the second pod. */
    private static boolean answersThroughClusterIp(List<String> pods) throws IOException {
        try (NetworkNamespace client = new KernelLinuxNet().openNamed(pods.get(0));
                NetworkNamespace server = new KernelLinuxNet().openNamed(pods.get(1));
                ServerSocket listening = server.call(() -> new ServerSocket(8080));
                Socket socket = new Socket()) {
            return client.call(() -> {
                try {
                    socket.connect(new InetSocketAddress("10.96.0.10", 80), 2000);
                    return listening.isBound();
                } catch (SocketTimeoutException e) {
                    return false;
                }
            });
        }
    }

    private static boolean reaches(NetworkNamespace from, String address) throws IOException {
        return from.call(() -> InetAddress.getByName(address).isReachable(1000));
    }
}
