package dev.nodepath.agent.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.source.kubernetes.TestApiServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The warnings of the process on a node about obstacles, and its work without the missing parts. */
@Tag("netns")
@Timeout(900)
class AgentObstaclesNetnsTest extends AgentNodeFixture {
    @Test
    void namesWhatIsInItsWayAndWorksOn() throws Exception {
        Path other = Files.writeString(folder.resolve("net.d/05-kindnet.conflist"), "{}");
        String forbidden = """
                {"kind":"Status","status":"Failure","message":"nodes \\"n1\\" is forbidden","reason":"Forbidden","code":403}""";
        node.api().fail(TestApiServer.NODES + "/n1/status", false, 1, 403, forbidden, "");
        NodepathProcess agent = node.agent("agent");
        agent.awaitLog("agent.part_failed part=condition");
        assertThat(agent.log())
                .contains("the RBAC rule {apiGroups: [\"\"], resources: [nodes/status], verbs: [patch]}");
        agent.awaitLog("proxy.synced");
        agent.awaitLog("node.condition_set");
        agent.await(() -> node.api().events().stream().anyMatch(event -> event.contains("nodes/status")));

        agent.await(() -> node.api().events().stream().anyMatch(event -> event.contains("CNIConfigurationShadowed")));
        assertThat(agent.log())
                .contains("agent.notice reason=CNIConfigurationShadowed", "05-kindnet.conflist sorts before");
        assertThat(other).exists();
        assertThat(node.get("10249/metrics")).contains("nodepath_cni_configuration_first 0.0");
        Files.delete(other);
        agent.await(() -> node.get("10249/metrics").contains("nodepath_cni_configuration_first 1.0"));
    }

    @Test
    void saysThatThePodCidrOverlapsARouteOfTheHost() throws Exception {
        node.namespace().run("ip", "route", "add", "10.244.1.128/25", "via", "172.18.0.1");
        NodepathProcess agent = node.agent("agent");
        agent.await(() -> node.api().events().stream().anyMatch(event -> event.contains("10.244.1.128/25")));
        assertThat(agent.log()).doesNotContain("node.condition_set");
        node.namespace().run("ip", "route", "del", "10.244.1.128/25");
        agent.awaitLog("node.condition_set");
    }

    @Test
    void makesNoNetworkAndEnforcesNoPolicyWhileTheKernelLacksBridgeNetfilter() throws Exception {
        NodepathProcess agent = node.agentAfter("mount -t tmpfs tmpfs /proc/sys/net/bridge", "agent");
        agent.awaitLog("reason=BridgeNetfilterMissing");
        assertThat(agent.log()).contains("'modprobe br_netfilter' on this node");
        agent.awaitLog("proxy.synced");
        assertThat(status()).contains("[-]network not ready: kernel module br_netfilter: not loaded");
        assertThat(node.conflist()).doesNotExist();
        assertThat(node.namespace().run("iptables-save")).doesNotContain("physdev");

        // It asks for pods and the kernel once there is a policy.
        agent.await(() -> status().contains("[+]policy ok"));
        assertThat(node.api().requests()).noneMatch(request -> request.path().equals(TestApiServer.PODS));
        node.api().put(TestApiServer.POLICIES, """
                {"metadata":{"namespace":"shop","name":"deny-all"},"spec":{"podSelector":{}}}""");
        agent.awaitLog("policy.synced policies=1");
        agent.await(() -> status().contains("[-]policy not ready: kernel module br_netfilter: not loaded"));
        agent.awaitLog("agent.notice reason=NetworkPolicyNotEnforced");
        node.api().delete(TestApiServer.POLICIES, "shop", "deny-all");
        agent.await(() -> status().contains("[+]policy ok"));

        // As after modprobe.
        mount(
                "nsenter",
                "--mount=/proc/" + agent.pid() + "/ns/mnt",
                "--net=/run/netns/" + node.namespace().name(),
                "umount",
                "/proc/sys/net/bridge");
        agent.awaitLog("network.configured");
        agent.await(() -> status().contains("[+]network ok"));
    }

    /** The kernel asks for each family: the bridge's own setting, else that of all bridges. */
    @Test
    void saysWhichPacketsOfTheBridgePassNoPolicy() throws Exception {
        node.namespace().run("ip", "link", "add", "cni0", "type", "bridge", "nf_call_iptables", "1");
        node.namespace().run("sysctl", "-qw", "net.bridge.bridge-nf-call-iptables=0");
        node.api().put(TestApiServer.POLICIES, """
                {"metadata":{"namespace":"shop","name":"deny-all"},"spec":{"podSelector":{}}}""");
        NodepathProcess agent = node.agent("agent");
        agent.awaitLog("policy.synced policies=1");
        agent.await(() -> status().contains("[+]policy ok"));
        node.namespace().run("sysctl", "-qw", "net.bridge.bridge-nf-call-ip6tables=0");
        agent.await(() -> status().contains("[-]policy not ready: bridge cni0: its IPv6 packets do not pass"));
        assertThat(status()).contains("nf_call_ip6tables of the bridge, or net.bridge.bridge-nf-call-ip6tables=1");
        node.namespace().run("ip", "link", "set", "cni0", "type", "bridge", "nf_call_ip6tables", "1");
        agent.await(() -> status().contains("[+]policy ok"));
    }

    @Test
    void warnsOnceThatNetworkPoliciesAreNotEnforced() throws Exception {
        NodepathProcess agent = node.agent("agent", "--network-policy=false");
        agent.awaitLog("node.condition_set");
        assertThat(agent.log()).doesNotContain("NetworkPolicyNotEnforced");
        for (String name : List.of("deny-all", "allow-dns")) {
            node.api().put(TestApiServer.POLICIES, "{\"metadata\":{\"namespace\":\"shop\",\"name\":\"" + name + "\"}}");
        }
        agent.awaitLog(
                "agent.notice reason=NetworkPolicyNotEnforced note=NetworkPolicy shop/deny-all: not enforced by");
        agent.await(() -> node.api().events().stream()
                .anyMatch(event -> event.contains("NetworkPolicyNotEnforced") && event.contains("\"Warning\"")));
        agent.await(() -> node.get("10249/metrics").contains("nodepath_source_watches_total{kind=\"NetworkPolicy\"}"));
        assertThat(agent.log()).containsOnlyOnce("reason=NetworkPolicyNotEnforced");
    }

    @Test
    void worksOnWhereItMayNotLookForNetworkPolicies() throws Exception {
        node.api().fail(TestApiServer.POLICIES, false, 1000, 403, """
                {"kind":"Status","status":"Failure","message":"no","reason":"Forbidden","code":403}""", "");
        NodepathProcess agent = node.agent("agent");
        agent.awaitLog("proxy.synced");
        agent.awaitLog("node.condition_set");
        agent.await(() -> node.api().events().stream().anyMatch(event -> event.contains("networkpolicies")));
        agent.await(() -> status().contains("[-]policy not ready"));
        agent.await(() -> status().replace("[-]policy", "").indexOf("[-]") < 0);
        assertThat(agent.log()).contains("resources: [networkpolicies], verbs: [list, watch]");
    }

    @Test
    void namesAFolderThatIsReadOnlyAndTriesAgain() throws Exception {
        for (String program : List.of("nodepath-bridge", "nodepath-bridge-jvm", "archive")) {
            write("image/bin/" + program);
        }
        write("image/lib/cni-bridge-1.jar");
        write("image/lib/native/jni/x86_64-Linux/libjffi.so");
        Files.createDirectories(folder.resolve("opt"));
        mount("mount", "-t", "tmpfs", "-o", "ro", "tmpfs", folder.resolve("opt").toString());
        try {
            NodepathProcess agent = node.agent("agent", "--install=true");
            agent.awaitLog("agent.part_failed part=network");
            assertThat(agent.log()).contains("--install-dir " + folder.resolve("opt") + ": ", "Read-only file system");
            agent.awaitLog("proxy.synced");
            assertThat(node.conflist()).doesNotExist();
            // The agent has a mount namespace of its own, as ip-netns(8) makes one.
            mount(
                    "nsenter",
                    "--mount=/proc/" + agent.pid() + "/ns/mnt",
                    "mount",
                    "-o",
                    "remount,rw",
                    folder.resolve("opt").toString());
            agent.awaitLog("install.done");
            agent.awaitLog("network.configured");
            assertThat(folder.resolve("bin/nodepath-bridge")).exists();
        } finally {
            mount("umount", "-l", folder.resolve("opt").toString());
        }
    }

    private void write(String path) throws IOException {
        Path file = folder.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\n# " + path + "\nexit 1\n");
    }

    /** In this test's own mount namespace, which is the enclosure's. */
    private static void mount(String... command) throws Exception {
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
    }
}
