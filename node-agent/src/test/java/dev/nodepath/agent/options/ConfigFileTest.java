package dev.nodepath.agent.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.endpoints.source.ManifestException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigFileTest {
    private static final String HEAD = "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n";

    @TempDir
    private Path folder;

    private ConfigFile read(String fields) throws IOException, ManifestException {
        return read(fields, Optional.empty());
    }

    private ConfigFile read(String fields, Optional<String> mode) throws IOException, ManifestException {
        return ConfigFile.read(Files.writeString(folder.resolve("config.conf"), HEAD + fields), mode);
    }

    /** As kubeadm 1.36 puts it into the ConfigMap kube-proxy. */
    @Test
    void readsWhatKubeadmWrites() throws Exception {
        Path file = Path.of(getClass().getResource("kubeadm-config.conf").toURI());
        ConfigFile config = ConfigFile.read(file, Optional.empty());
        assertThat(config.arguments())
                .containsExactly(
                        "--bind-address=0.0.0.0",
                        "--bind-address-hard-fail=false",
                        "--kubeconfig=/var/lib/kube-proxy/kubeconfig.conf",
                        "--cluster-cidr=10.244.0.0/16",
                        "--conntrack-tcp-be-liberal=false",
                        "--conntrack-udp-timeout-stream=0s",
                        "--conntrack-udp-timeout=0s",
                        "--masquerade-all=false");
        assertThat(config.unused()).containsExactly("logging", "winkernel");
    }

    @Test
    void readsEveryFieldThatMatters() throws Exception {
        assertThat(read("""
                        bindAddressHardFail: true
                        clusterCIDR: 10.244.0.0/16, fd00:244::/56
                        conntrack: {maxPerCore: 0, min: 1000, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 1h2m3s}
                        detectLocalMode: BridgeInterface
                        detectLocal: {bridgeInterface: cni0}
                        healthzBindAddress: "[::]:10256"
                        metricsBindAddress: 0.0.0.0:10249
                        hostnameOverride: n1
                        iptables: {masqueradeAll: true, masqueradeBit: 0, minSyncPeriod: 0s, syncPeriod: 15m0s, localhostNodePorts: false}
                        mode: iptables
                        nodePortAddresses: [10.0.0.0/8, "fd00::/8"]
                        oomScoreAdj: -999
                        featureGates: {A: true}
                        """).arguments())
                .containsExactly(
                        "--bind-address-hard-fail=true",
                        "--cluster-cidr=10.244.0.0/16,fd00:244::/56",
                        "--conntrack-max-per-core=0",
                        "--conntrack-min=1000",
                        "--conntrack-tcp-timeout-close-wait=1h2m3s",
                        "--conntrack-tcp-timeout-established=0s",
                        "--pod-bridge-interface=cni0",
                        "--detect-local-mode=BridgeInterface",
                        "--healthz-bind-address=[::]:10256",
                        "--hostname-override=n1",
                        "--iptables-localhost-nodeports=false",
                        "--masquerade-all=true",
                        "--iptables-masquerade-bit=0",
                        "--iptables-sync-period=15m0s",
                        "--metrics-bind-address=0.0.0.0:10249",
                        "--mode=iptables",
                        "--nodeport-addresses=10.0.0.0/8,fd00::/8",
                        "--oom-score-adj=-999");
    }

    @Test
    void readsEveryFieldOfNftablesMode() throws Exception {
        assertThat(read("""
                        mode: nftables
                        nftables: {masqueradeAll: true, masqueradeBit: 3, minSyncPeriod: 2s, syncPeriod: 1m0s}
                        nodePortAddresses: [primary]
                        """).arguments())
                .containsExactly(
                        "--mode=nftables",
                        "--masquerade-all=true",
                        "--nftables-masquerade-bit=3",
                        "--nftables-min-sync-period=2s",
                        "--nftables-sync-period=1m0s",
                        "--nodeport-addresses=primary");
    }

    /** As kube-proxy; the command line of an agent may override the mode of the file. */
    @ParameterizedTest
    @CsvSource({
        "nftables, '', nftables",
        "iptables, '', iptables",
        "'', '', iptables",
        "iptables, nftables, nftables",
        "nftables, iptables, iptables"
    })
    void masqueradesAllIfTheSectionOfTheModeSaysSo(String mode, String override, String section) throws Exception {
        for (String masquerading : List.of("iptables", "nftables")) {
            String fields = "mode: \"" + mode + "\"\niptables: {masqueradeAll: " + masquerading.equals("iptables")
                    + "}\nnftables: {masqueradeAll: " + masquerading.equals("nftables") + "}\n";
            ConfigFile file = read(fields, Optional.of(override).filter(text -> !text.isEmpty()));
            boolean all = masquerading.equals(section);
            assertThat(file.arguments()).contains("--masquerade-all=" + all).doesNotContain("--masquerade-all=" + !all);
            assertThat(file.unused()).isEqualTo(all ? List.of() : List.of(masquerading + ".masqueradeAll"));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "nftables:\\n  masqueradeAll: 1 | line 4: document 1: KubeProxyConfiguration: nftables.masqueradeAll: 1"
                        + " (expected: true or false)",
                "nftables:\\n  masqueradeBit: 32 | line 4: document 1: KubeProxyConfiguration: nftables.masqueradeBit: 32"
                        + " (expected: 0 to 31)",
                "nftables:\\n  masqueradeBit: x | line 4: document 1: KubeProxyConfiguration: nftables.masqueradeBit: \"x\"",
                "nftables:\\n  minSyncPeriod: x | line 4: document 1: KubeProxyConfiguration: nftables.minSyncPeriod: \"x\"",
                "nftables:\\n  syncPeriod: x | line 4: document 1: KubeProxyConfiguration: nftables.syncPeriod: \"x\"",
                "iptables: 5 | line 3: document 1: KubeProxyConfiguration: iptables: 5 (expected: an object)",
                "iptables:\\n  syncPeriod: soon | line 4: document 1: KubeProxyConfiguration: iptables.syncPeriod: \"soon\""
                        + " (expected: a duration such as 30s or 1h2m3s)",
                "iptables:\\n  masqueradeAll: maybe | line 4: document 1: KubeProxyConfiguration: iptables.masqueradeAll: \"maybe\""
                        + " (expected: true or false)",
                "conntrack:\\n\\n  maxPerCore: many | line 5: document 1: KubeProxyConfiguration: conntrack.maxPerCore: \"many\"",
                "healthzBindAddress: localhost | line 3: document 1: KubeProxyConfiguration: healthzBindAddress: \"localhost\""
                        + " (expected: IP:PORT)",
                "nodePortAddresses: [10.0.0.0/8, all] | line 3: document 1: KubeProxyConfiguration: nodePortAddresses[1]: \"all\"",
                "clusterCIDR: 10.244.0.0 | line 3: document 1: KubeProxyConfiguration: clusterCIDR: \"10.244.0.0\" (expected: networks",
                "mode: ipvs | line 3: document 1: KubeProxyConfiguration: mode: \"ipvs\" (expected: iptables, nftables, userspace;"
                        + " nftables serves as many Services as ipvs)",
                "mode: kernelspace | line 3: document 1: KubeProxyConfiguration: mode: \"kernelspace\" (expected: iptables, nftables,",
                "mode: [iptables] | line 3: document 1: KubeProxyConfiguration: mode: a list (expected: a string)",
            })
    void namesTheLineOfWhatIsWrong(String fields, String message) {
        assertThatThrownBy(() -> read(fields.replace("\\n", "\n")))
                .isInstanceOf(ManifestException.class)
                .hasMessageStartingWith(folder.resolve("config.conf") + ": " + message);
    }

    /** As kube-proxy, which decodes leniently after strict decoding has failed. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "clusterCidr: 10.244.0.0/16 | line 3: clusterCidr | ''",
                "iptables:\\n  syncPeriods: 1s\\n  syncPeriod: 2s | line 4: iptables.syncPeriods | --iptables-sync-period=2s",
                "conntrack: {max: 0, maxPerCore: 7}\\nresourceContainer: /kube-proxy"
                        + " | line 3: conntrack.max, line 4: resourceContainer | --conntrack-max-per-core=7",
                "mode: nftables\\nmode: iptables | 'line 4, column 1: key \"mode\" occurs twice' | --mode=iptables",
                "conntrack:\\n  min: 1\\n  min: 2\\nfoo: {bar: [1]}"
                        + " | 'line 5, column 3: key \"min\" occurs twice, line 6: foo' | --conntrack-min=2",
            })
    void ignoresFieldsThatItDoesNotKnowAndNamesThem(String fields, String unknown, String arguments) throws Exception {
        ConfigFile file = read(fields.replace("\\n", "\n"));
        assertThat(String.join(", ", file.unknown())).isEqualTo(unknown);
        assertThat(String.join(" ", file.arguments())).isEqualTo(arguments);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "apiVersion: kubeproxy.config.k8s.io/v1beta1\nkind: KubeProxyConfiguration\n",
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"
            })
    void refusesOtherKinds(String text) throws IOException {
        Path file = Files.writeString(folder.resolve("other.yaml"), text);
        assertThatThrownBy(() -> ConfigFile.read(file, Optional.empty()))
                .hasMessageContaining("(expected: one KubeProxyConfiguration of kubeproxy.config.k8s.io/v1alpha1)");
    }

    @ParameterizedTest
    @CsvSource({
        "1s, 1000",
        "250ms, 250",
        "1m30s, 90000",
        "2h, 7200000",
        "0s, 0",
        "0, 0",
        "1m, 60000",
        "15m0s, 900000",
        "1h2m3s, 3723000",
        "1.5h, 5400000",
        "1500us, 1"
    })
    void readsDurationsAsGoWritesThem(String text, long millis) {
        assertThat(GoDuration.parse(text).toMillis()).isEqualTo(millis);
        assertThat(GoDuration.parse("1s")).isEqualTo(Duration.ofSeconds(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "soon", "1", "-1s", "1s ", "1x", "s", "9999999999h"})
    void refusesOtherDurations(String text) {
        assertThatThrownBy(() -> GoDuration.parse(text))
                .hasMessage("\"" + text + "\" (expected: a duration such as 1s, 250ms or 1m30s)");
    }

    @ParameterizedTest
    @CsvSource({
        "0.0.0.0:10256, 0.0.0.0, 10256",
        "127.0.0.1, 127.0.0.1, 99",
        "[::]:1, ::, 1",
        "[fd00::1], fd00::1, 99",
        "fd00::1, fd00::1, 99",
    })
    void readsAddresses(String text, String ip, int port) {
        InetSocketAddress address = BindAddress.parse(text, 99);
        assertThat(dev.nodepath.linux.address.IpAddress.of(address.getAddress()).toString())
                .isEqualTo(ip);
        assertThat(address.getPort()).isEqualTo(port);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ":80", "localhost:80", "1.2.3.4:", "1.2.3.4:-1", "1.2.3.4:70000", "[::1", "[::1]80"})
    void refusesOtherAddresses(String text) {
        assertThatThrownBy(() -> BindAddress.parse(text, 99)).hasMessageContaining("(expected: IP:PORT");
    }
}
