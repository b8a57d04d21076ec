package dev.nodepath.agent.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.io.FileLock;
import dev.nodepath.linux.iptables.IptablesNamespace;
import dev.nodepath.linux.iptables.IptablesVariant;
import dev.nodepath.linux.iptables.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The process as it runs on a node: its rules, its ports, its end, and cleaning up after it. */
@Tag("netns")
class ProxyNetnsTest {
    /** Counted when a sync is over, which is after it was logged. */
    private static final String SYNCS = "\nkubeproxy_sync_proxy_rules_duration_seconds_count{ip_family=\"IPv4\"} 1\n";

    private static final String ALIEN = """
            *filter
            :ALIEN - [0:0]
            -A ALIEN -p tcp -j RETURN
            -A FORWARD -j ALIEN
            COMMIT
            """;
    private static final String WEB = """
            apiVersion: v1
            kind: Service
            metadata: {name: web}
            spec: {clusterIP: 10.96.0.10, ports: [{name: http, port: 80}]}
            ---
            apiVersion: discovery.k8s.io/v1
            kind: EndpointSlice
            metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}
            addressType: IPv4
            ports: [{name: http, port: 8080}]
            endpoints: [{addresses: [10.244.1.2], nodeName: n1}]
            """;

    private static final String NODE_PORT = """
            apiVersion: v1
            kind: Node
            metadata: {name: n1}
            status: {addresses: [{type: InternalIP, address: 172.18.0.2}]}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: outside}
            spec: {type: NodePort, clusterIP: 10.96.0.20, ports: [{name: http, port: 80, nodePort: 30080}]}
            """;

    private final IptablesNamespace namespace = IptablesNamespace.create();

    @TempDir
    private Path folder;

    ProxyNetnsTest() throws IOException {}

    @BeforeEach
    void write() throws IOException {
        namespace.run("ip", "link", "set", "lo", "up");
        Files.writeString(folder.resolve("web.yaml"), WEB);
    }

    @AfterEach
    void close() throws IOException {
        namespace.close();
    }

    private NodepathProcess proxy(String... arguments) throws IOException {
        return proxy(List.of(), arguments);
    }

    /** With a program in between that changes its surroundings. */
    private NodepathProcess proxy(List<String> wrapper, String... arguments) throws IOException {
        List<String> launcher = new ArrayList<>(namespace.launcher());
        launcher.addAll(wrapper);
        return NodepathProcess.proxy(launcher, folder.resolve("log"), List.of(arguments));
    }

    /** The page of metrics, once the first sync is among them. */
    private String metrics(NodepathProcess process, String url) throws Exception {
        process.await(() -> namespace.run("curl", "-sf", url).contains(SYNCS));
        return namespace.run("curl", "-sf", url);
    }

    private String nat(IptablesVariant variant) throws IOException {
        return namespace.iptables(IpFamily.IPV4, variant).save(Table.NAT);
    }

    private String ruleset() throws IOException {
        return namespace.run("nft", "list", "ruleset");
    }

    @ParameterizedTest
    @EnumSource(names = {"NFT", "LEGACY"})
    void takesTheVariantThatIsInUseAndCleansUpEither(IptablesVariant used) throws Exception {
        IptablesVariant other = used == IptablesVariant.NFT ? IptablesVariant.LEGACY : IptablesVariant.NFT;
        namespace.iptables(IpFamily.IPV4, used).restore(ALIEN);
        NodepathProcess process =
                proxy("--manifests", folder.resolve("web.yaml").toString());
        try {
            process.awaitLog("proxy.synced");
            assertThat(nat(used)).contains("--to-destination 10.244.1.2:8080");
            assertThat(nat(other)).doesNotContain("KUBE-");
        } finally {
            process.terminate();
        }
        assertThat(nat(used)).as("rules stay").contains("--to-destination 10.244.1.2:8080");

        NodepathProcess cleanup = proxy("--cleanup");
        assertThat(cleanup.exitCode()).isZero();
        assertThat(nat(used)).doesNotContain("KUBE-");
        assertThat(namespace.iptables(IpFamily.IPV4, used).save(Table.FILTER))
                .contains("-A FORWARD -j ALIEN\n", "-A ALIEN -p tcp -j RETURN\n");
    }

    /** The fields of the section iptables, which say the opposite, have no effect in this mode. */
    @Test
    void followsTheNftablesSectionOfKubeProxysFile() throws Exception {
        namespace.run("ip", "addr", "add", "172.18.0.2/32", "dev", "lo");
        Files.writeString(folder.resolve("web.yaml"), NODE_PORT + "---\n" + WEB);
        Path config = Files.writeString(folder.resolve("config.conf"), """
                apiVersion: kubeproxy.config.k8s.io/v1alpha1
                kind: KubeProxyConfiguration
                mode: nftables
                iptables: {masqueradeAll: false, masqueradeBit: 4, minSyncPeriod: 1h, syncPeriod: 2h}
                nftables: {masqueradeAll: true, masqueradeBit: 3, minSyncPeriod: 100ms, syncPeriod: 500ms}
                nodePortAddresses: [primary]
                clusterCIDR: 10.244.0.0/16
                oomScoreAdj: 0
                """);
        try (NodepathProcess process = proxy(
                "--config=" + config,
                "--hostname-override=n1",
                "--manifests",
                folder.resolve("web.yaml").toString())) {
            process.awaitLog("proxy.synced");
            assertThat(namespace.run("nft", "list", "chain", "ip", "kube-proxy", "services"))
                    .contains("ip daddr @cluster-ips meta mark set meta mark | 0x00000008"
                            + " comment \"masquerade all clusterIP traffic\"");
            assertThat(namespace.run("nft", "list", "chain", "ip", "kube-proxy", "masquerading"))
                    .contains("meta mark & 0x00000008 != 0x00000000");
            assertThat(namespace.run("nft", "list", "set", "ip", "kube-proxy", "nodeport-ips"))
                    .contains("elements = { 172.18.0.2 }");
            namespace.run("nft", "flush", "chain", "ip", "kube-proxy", "services");
            process.awaitLog("rules.repaired");
            process.await(() -> namespace
                    .run("nft", "list", "chain", "ip", "kube-proxy", "services")
                    .contains("@service-nodeports"));
        }
    }

    @Test
    void runsAsKubeadmRunsKubeProxy() throws Exception {
        Path config = Files.writeString(folder.resolve("config.conf"), """
                apiVersion: kubeproxy.config.k8s.io/v1alpha1
                kind: KubeProxyConfiguration
                mode: ""
                iptables: {masqueradeBit: 15}
                clusterCIDR: 10.244.0.0/16
                configSyncPeriod: 1m
                oomScoreAdj: 0
                metricsBindAddress: 127.0.0.1:10999
                """);
        NodepathProcess process = proxy(
                "--config=" + config,
                "--hostname-override=N1",
                "--iptables-masquerade-bit=3",
                "--feature-gates=A=true",
                "--v=2",
                "--manifests",
                folder.resolve("web.yaml").toString());
        try {
            process.awaitLog("proxy.synced");
            assertThat(process.log())
                    .contains("options.without_effect options=[--feature-gates, --v]")
                    .contains("config.options_ignored options=[--iptables-masquerade-bit]")
                    .contains("config.fields_unused fields=[configSyncPeriod]")
                    .contains("node=n1");
            assertThat(nat(IptablesVariant.NFT)).contains("0x8000").doesNotContain("0x4000");
            assertThat(namespace.run("curl", "-sf", "http://127.0.0.1:10999/proxyMode"))
                    .isEqualTo("iptables");
            assertThat(namespace.run("curl", "-sf", "http://127.0.0.1:10256/healthz"))
                    .contains("\"healthy\":true");
            assertThat(namespace.run("curl", "-sf", "http://127.0.0.1:10999/configz"))
                    .contains("\"masqueradeBit\":15", "\"clusterCIDR\":\"10.244.0.0/16\"");
            assertThat(namespace.run("curl", "-sf", "http://127.0.0.1:10999/metrics/connections"))
                    .contains("nodepath_endpoint_connections_total{endpoint=\"10.244.1.2:8080\"");
            assertThat(metrics(process, "http://127.0.0.1:10999/metrics"))
                    .contains(
                            "\nkubeproxy_sync_full_proxy_rules_duration_seconds_count{ip_family=\"IPv4\"} 1\n",
                            "\nkubeproxy_sync_proxy_rules_service_changes_total 1.0\n",
                            "\nkubeproxy_sync_proxy_rules_service_changes_pending 0.0\n",
                            "\nkubeproxy_proxy_healthz_total{code=\"200\"} 1.0\n",
                            "\nprocess_cpu_seconds_total ")
                    .containsPattern(
                            "\nkubeproxy_sync_proxy_rules_iptables_total\\{ip_family=\"IPv4\",table=\"nat\"} [1-9]")
                    .containsPattern("\nkubeproxy_sync_proxy_rules_last_timestamp_seconds\\{ip_family=\"IPv4\"} 1\\.");
        } finally {
            process.terminate();
        }
    }

    @Test
    void theHealthCheckTellsThatTheNodeIsLeaving() throws Exception {
        Files.writeString(folder.resolve("node.yaml"), """
                apiVersion: v1
                kind: Node
                metadata: {name: n1}
                spec: {taints: [{key: ToBeDeletedByClusterAutoscaler, effect: NoSchedule}]}
                """);
        NodepathProcess process = proxy("--hostname-override=n1", "--manifests", folder.toString());
        try {
            process.awaitLog("proxy.synced");
            assertThat(namespace.run("curl", "-s", "-w", "%{http_code}", "http://127.0.0.1:10256/livez"))
                    .endsWith("200");
            assertThat(namespace.run("curl", "-s", "-w", "%{http_code}", "http://127.0.0.1:10256/healthz"))
                    .contains("\"nodeEligible\":false,\"healthy\":true")
                    .endsWith("503");
        } finally {
            process.terminate();
        }
    }

    @Test
    void initOnlyWritesTheKernelsSettingsAndNoRules() throws Exception {
        NodepathProcess process = proxy(
                "--init-only",
                "--conntrack-udp-timeout=77s",
                "--manifests",
                folder.resolve("web.yaml").toString());
        assertThat(process.exitCode()).isZero();
        assertThat(namespace.run("cat", "/proc/sys/net/netfilter/nf_conntrack_udp_timeout"))
                .startsWith("77");
        assertThat(nat(IptablesVariant.NFT)).doesNotContain("KUBE-");
    }

    @Test
    void namesTheMissingCapability() throws Exception {
        NodepathProcess process = proxy(
                List.of("setpriv", "--bounding-set=-net_admin", "--inh-caps=-net_admin"),
                "--manifests",
                folder.resolve("web.yaml").toString());
        assertThat(process.exitCode()).isEqualTo(1);
        assertThat(process.log())
                .isEqualTo("nodepath: CAP_NET_ADMIN: missing (expected: root, or a container with the capability"
                        + " NET_ADMIN)\n");
    }

    /** The version comes from the JVM. */
    @ParameterizedTest
    @ValueSource(strings = {"nftables", "userspace"})
    void namesIptablesModeWhereTheKernelIsTooOldForTables(String mode) throws Exception {
        NodepathProcess process = proxy(
                List.of("env", "JAVA_TOOL_OPTIONS=-Dos.version=5.10.0-36-amd64"),
                "--mode=" + mode,
                "--manifests",
                folder.resolve("web.yaml").toString());
        assertThat(process.exitCode()).isEqualTo(1);
        assertThat(process.log().lines().filter(line -> line.startsWith("nodepath: ")))
                .containsExactly("nodepath: --mode " + mode + ": kernel 5.10.0-36-amd64 (expected: 5.13 or later, or"
                        + " --mode iptables; with KUBE_PROXY_NFTABLES_SKIP_KERNEL_VERSION_CHECK in the environment it"
                        + " is not checked)");
    }

    @Test
    void saysThatThereIsNoIptables() throws Exception {
        NodepathProcess process = proxy(
                List.of("unshare", "--mount", "sh", "-c", "mount -t tmpfs none /usr/sbin && exec \"$@\"", "sh"),
                "--manifests",
                folder.resolve("web.yaml").toString());
        assertThat(process.exitCode()).isEqualTo(1);
        assertThat(process.log()).contains("nodepath: ", "iptables", "not found");
    }

    @Test
    void servesWhereSettingsCannotBeWritten() throws Exception {
        NodepathProcess process = proxy(
                List.of("unshare", "--mount", "sh", "-c", "mount -o bind,ro /proc/sys /proc/sys && exec \"$@\"", "sh"),
                "--manifests",
                folder.resolve("web.yaml").toString());
        try {
            process.awaitLog("proxy.synced");
            assertThat(process.log()).contains("conntrack.setting_not_set", "proxy.localhost_node_ports_off");
            assertThat(nat(IptablesVariant.NFT)).contains("--to-destination 10.244.1.2:8080");
        } finally {
            process.terminate();
        }
    }

    @ParameterizedTest
    @EnumSource
    void userspaceModeTakesEitherVariant(IptablesVariant variant) throws Exception {
        NodepathProcess process = proxy(
                "--mode=userspace",
                "--iptables-variant=" + variant.name().toLowerCase(Locale.ROOT),
                "--manifests",
                folder.resolve("web.yaml").toString());
        try {
            process.awaitLog("proxy.synced");
            assertThat(ruleset()).contains("map portals", "10.96.0.10");
            assertThat(metrics(process, "http://127.0.0.1:10249/metrics"))
                    .doesNotContain("kubeproxy_sync_proxy_rules_iptables_total");
        } finally {
            process.terminate();
        }
        assertThat(nat(variant))
                .as("others carry its Services")
                .contains("-d 10.96.0.10/32", "--to-destination 10.244.1.2:8080");
        assertThat(ruleset()).doesNotContain("nodepath-portals");
    }

    @ParameterizedTest
    @EnumSource
    void anIdleProxyLogsNothing(ProxyMode mode) throws Exception {
        try (NodepathProcess process = proxy(
                "--mode=" + mode,
                "--iptables-min-sync-period=0s",
                "--iptables-sync-period=300ms",
                "--nftables-min-sync-period=0s",
                "--nftables-sync-period=300ms",
                "--manifests",
                folder.resolve("web.yaml").toString())) {
            process.awaitLog("proxy.synced");
            // The second full sync removes leftovers of other modes.
            process.await(() -> NodepathProcess.syncs(namespace) > 5);
            String started = process.log();
            process.await(() -> NodepathProcess.syncs(namespace) > 20);
            assertThat(process.log()).isEqualTo(started);
        }
    }

    /**
     * Longer than a command waits for it. Then both families are served, and a proxy of nftables mode does not wait at
     * all.
     */
    @Test
    void startsWhenTheLockOfLegacyTablesIsFree() throws Exception {
        String manifests = folder.resolve("web.yaml").toString();
        KernelLinuxNet net = new KernelLinuxNet();
        NodepathProcess process;
        try (FileLock held = net.tryLock(Path.of("/run/xtables.lock")).orElseThrow()) {
            assertThat(held).isNotNull();
            process = proxy("--iptables-variant=legacy", "--mode=nftables", "--manifests", manifests);
            process.awaitLog("proxy.synced");
            assertThat(process.log()).doesNotContain("proxy.other_modes_skipped");
            process.terminate();

            process = proxy("--iptables-variant=legacy", "--manifests", manifests);
            process.awaitLog("proxy.start_failed");
            assertThat(process.log()).contains("holding the xtables lock");
            process.terminate();
            assertThat(process.log()).doesNotContain("proxy.synced");

            process = proxy("--iptables-variant=legacy", "--manifests", manifests);
            process.awaitLog("proxy.start_failed");
        }
        try (NodepathProcess started = process) {
            started.awaitLog("proxy.synced");
            assertThat(started.log()).doesNotContain("proxy.family_skipped");
            assertThat(nat(IptablesVariant.LEGACY)).contains("--to-destination 10.244.1.2:8080");
            assertThat(namespace.iptables(IpFamily.IPV6, IptablesVariant.LEGACY).save(Table.NAT))
                    .contains("KUBE-SERVICES");
        }
    }

    @Test
    void aPortThatIsTakenEndsItOnlyIfAskedTo() throws Exception {
        String manifests = folder.resolve("web.yaml").toString();
        NodepathProcess first = proxy("--manifests", manifests);
        try {
            first.awaitLog("proxy.synced");
            NodepathProcess second = proxy("--bind-address-hard-fail", "--manifests", manifests);
            assertThat(second.exitCode()).isEqualTo(1);
            assertThat(second.log())
                    .contains(
                            "nodepath: healthz address 0.0.0.0:10256: Address already in use (expected: a free port)\n");
            NodepathProcess third = proxy("--manifests", manifests);
            third.awaitLog("proxy.synced");
            assertThat(third.log()).contains("http.not_bound for=healthz", "http.not_bound for=metrics");
            third.terminate();
        } finally {
            first.terminate();
        }
    }
}
