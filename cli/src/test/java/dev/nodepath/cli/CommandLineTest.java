package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.agent.options.CommandException;
import dev.nodepath.agent.options.ProxyOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

class CommandLineTest {
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

    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void completesCommandsAndOptionsInBash() throws Exception {
        assertThat(run("completion")).isZero();

        Path script = Files.writeString(
                folder.resolve("completion"),
                out + "\nCOMP_WORDS=(nodepath ren); COMP_CWORD=1; _complete_nodepath; echo \"${COMPREPLY[@]}\"\n"
                        + "COMP_WORDS=(nodepath render --clu); COMP_CWORD=2; _complete_nodepath; echo \"${COMPREPLY[@]}\"\n");
        Process bash = new ProcessBuilder("bash", script.toString())
                .redirectErrorStream(true)
                .start();
        assertThat(bash.inputReader(StandardCharsets.UTF_8).lines())
                .contains("render")
                .anyMatch("--cluster-cidr"::equals);
        assertThat(bash.waitFor()).isZero();
    }

    @Test
    void listsTheValuesOfAnOptionAsTheyAreTyped() {
        assertThat(run("render", "--mode=ebpf")).isEqualTo(CommandException.WRONG_USAGE);
        assertThat(err.toString()).contains("iptables", "nftables").doesNotContain("IPTABLES", "case-insensitive");
    }

    @Test
    void rendersTheRulesOfManifests() throws IOException {
        Path file = Files.writeString(folder.resolve("web.yaml"), WEB);

        assertThat(run("render", "--manifests", file.toString(), "--cluster-cidr=10.244.0.0/16"))
                .isZero();
        assertThat(out.toString())
                .contains("-d 10.96.0.10", "--to-destination 10.244.1.2:8080", "! -s 10.244.0.0/16", "COMMIT");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void rendersPoliciesInNftablesMode() throws IOException {
        Path file = Files.writeString(folder.resolve("web.yaml"), WEB + """
                ---
                apiVersion: networking.k8s.io/v1
                kind: NetworkPolicy
                metadata: {name: all, namespace: default}
                spec: {podSelector: {}, ingress: [{from: [{ipBlock: {cidr: 192.0.2.0/24}}]}]}
                """);
        assertThat(run("render", "--mode=nftables", "--manifests", file.toString(), "--cluster-cidr=10.244.0.0/16"))
                .isZero();
        assertThat(out.toString())
                .contains("table ip kube-proxy {", "table ip nodepath-policy {", "ip saddr 192.0.2.0/24 accept");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--detect-local-mode=NodeCIDR --hostname-override=N1 | ! -s 10.244.1.0/24 -j KUBE-MARK-MASQ",
                "--detect-local-mode=BridgeInterface --pod-bridge-interface=cni0 | ! -i cni0 -j KUBE-MARK-MASQ",
                "--detect-local-mode=interfacenameprefix --pod-interface-name-prefix=veth | ! -i veth+ -j KUBE-MARK-MASQ",
                "--nodeport-addresses=primary --hostname-override=n1 | in this chain\" -d 172.30.0.1 -j KUBE-NODEPORTS",
                "--nodeport-addresses=127.0.0.0/8 | in this chain\" -d 127.0.0.1 -j KUBE-NODEPORTS",
                "--mode=nftables --masquerade-all --nftables-masquerade-bit=3 | 0x00000008 comment \"masquerade all clusterIP traffic\"",
                "--mode=nftables --cluster-cidr=10.244.0.0/16 | comment \"masquerade clusterIP traffic from outside cluster\"",
                "--mode=nftables --hostname-override=n1 | elements = { 172.30.0.1 }",
                "--mode=nftables --hostname-override=n1 --nodeport-addresses=primary | elements = { 172.30.0.1 }",
                "--mode=nftables --hostname-override=n1 --nodeport-addresses=172.0.0.0/8 | elements = { 172.30.0.1 }",
                "--mode=nftables --nodeport-addresses=0.0.0.0/0 | != 127.0.0.0/8 meta l4proto . th dport vmap @service-nodeports",
                "--mode=nftables --nftables-connection-counters | meta l4proto tcp counter dnat to 10.244.1.2:8080",
            })
    void takesKubeProxysFlags(String flags, String rule) throws IOException {
        Path file = Files.writeString(folder.resolve("web.yaml"), WEB + """
                ---
                apiVersion: v1
                kind: Node
                metadata: {name: n1}
                spec: {podCIDR: 10.244.1.0/24}
                status: {addresses: [{type: InternalIP, address: 172.30.0.1}]}
                """);

        assertThat(run(("render --manifests " + file + " " + flags).split(" ", -1)))
                .isZero();
        assertThat(out.toString()).contains(rule + "\n");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void tracesAPacketInWords() throws IOException {
        Path file = Files.writeString(folder.resolve("web.yaml"), WEB);

        assertThat(run(("trace --cluster-cidr=10.244.0.0/16 --from 192.0.2.1 --to 10.96.0.10:80 --manifests " + file)
                        .split(" ", -1)))
                .isZero();
        assertThat(out.toString()).isEqualTo("""
                tcp 192.0.2.1 -> 10.96.0.10:80

                Rules that match, those of every endpoint that chance can choose:
                  nat PREROUTING
                    1. -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
                    nat KUBE-SERVICES
                      1. -m comment --comment "default/web:http cluster IP" -p tcp -m tcp -d 10.96.0.10 --dport 80 -j KUBE-SVC-CDGGSHYLG3RE2FKL
                      nat KUBE-SVC-CDGGSHYLG3RE2FKL
                        1. -m comment --comment "default/web:http cluster IP" -p tcp -m tcp -d 10.96.0.10 --dport 80 ! -s 10.244.0.0/16 -j KUBE-MARK-MASQ
                        nat KUBE-MARK-MASQ
                          1. -j MARK --or-mark 0x00004000
                      nat KUBE-SVC-CDGGSHYLG3RE2FKL
                        2. -m comment --comment "default/web:http -> 10.244.1.2:8080" -j KUBE-SEP-UIQK3OSOSTRHRPBX
                        nat KUBE-SEP-UIQK3OSOSTRHRPBX
                          2. -m comment --comment "default/web:http" -p tcp -m tcp -j DNAT --to-destination 10.244.1.2:8080
                  filter FORWARD
                    1. -m conntrack --ctstate NEW -m comment --comment "kubernetes load balancer firewall" -j KUBE-PROXY-FIREWALL
                    2. -m comment --comment "kubernetes forwarding rules" -j KUBE-FORWARD
                    filter KUBE-FORWARD
                      2. -m comment --comment "kubernetes forwarding rules" -m mark --mark 0x00004000/0x00004000 -j ACCEPT
                  nat POSTROUTING
                    1. -m comment --comment "kubernetes postrouting rules" -j KUBE-POSTROUTING
                    nat KUBE-POSTROUTING
                      2. -j MARK --xor-mark 0x00004000
                      3. -m comment --comment "kubernetes service traffic requiring SNAT" -j MASQUERADE --random-fully

                What becomes of it:
                  100.0%  goes to 10.244.1.2:8080, masqueraded: it sees an address of this node as the source
                """);
    }

    @Test
    void tracesAPacketForPrograms() throws IOException {
        Path file = Files.writeString(folder.resolve("web.yaml"), WEB);

        assertThat(run(("trace -o json --from 192.0.2.1 --to 10.96.0.10:80/tcp --manifests " + file).split(" ", -1)))
                .isZero();
        assertThat(out.toString()).startsWith("{").contains("""
                  "outcomes" : [ {
                    "verdict" : "ENDPOINT",
                    "address" : "10.244.1.2",
                    "port" : 8080,
                    "probability" : 1.0,
                    "masqueraded" : false
                  } ]
                """);
    }

    /** A user who sees no rule would look for the mistake elsewhere. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{ports: [{port: 80}]} | IPv4 | web: no rules: spec.clusterIP: missing (expected: an address, which a cluster",
                "{clusterIP: None, ports: [{port: 80}]} | IPv4 | web: no rules: it is headless: DNS names its endpoints",
                "{type: ExternalName, externalName: a.b} | IPv4 | web: no rules: its type is ExternalName",
                "{clusterIP: 10.96.0.9} | IPv4 | web: no rules: spec.ports: none",
                "{clusterIP: 10.96.0.9, ports: [{port: 80}]} | IPv6 | web: no rules: it has no IPv6 address",
                "{clusterIP: 'fd00::9', ports: [{port: 80}]} | IPv4 | web: no rules: it has no IPv4 address",
                "{clusterIP: 10.96.0.9, ports: [{name: a, port: 80}]} | IPv4 | web:a: no IPv4 endpoint that is ready: its traffic",
            })
    void warnsOfAServiceThatGetsNoRulesOrLeadsNowhere(String spec, String family, String warning) throws IOException {
        Path file = Files.writeString(
                folder.resolve("web.yaml"),
                "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: " + spec + "}");
        for (String mode : List.of("iptables", "nftables")) {
            err.getBuffer().setLength(0);
            assertThat(run("render", "--mode=" + mode, "--family=" + family, "--manifests", file.toString()))
                    .isZero();
            assertThat(err.toString())
                    .startsWith("nodepath: warning: Service default/" + warning)
                    .hasLineCount(1);
        }
        assertThat(out.toString()).isNotEmpty();
    }

    @Test
    void warnsOfAServiceThatAnotherProxyServes() throws IOException {
        String label = "service.kubernetes.io/service-proxy-name";
        Path file = Files.writeString(
                folder.resolve("web.yaml"), WEB.replace("{name: web}", "{name: web, labels: {" + label + ": mesh}}"));

        assertThat(run("render", "--manifests", file.toString())).isZero();
        assertThat(err.toString())
                .isEqualTo("nodepath: warning: Service default/web: no rules: its label " + label
                        + " tells proxies to leave it alone\n");
    }

    @Test
    void rendersNoIpv4ServiceForIpv6() throws IOException {
        Path file = Files.writeString(folder.resolve("web.yaml"), WEB);

        assertThat(run("render", "--manifests", file.toString(), "--family=ipv6"))
                .isZero();
        assertThat(out.toString()).contains("KUBE-SERVICES").doesNotContain("10.96.0.10");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "frobnicate | nodepath: 'frobnicate': unknown command; see 'nodepath --help'",
                "frobnicate --help | nodepath: 'frobnicate': unknown command; see 'nodepath --help'",
                "help frobnicate | nodepath: 'frobnicate': unknown command; see 'nodepath --help'",
                "rendr --manifests . | 'rendr': unknown command; did you mean render? See 'nodepath --help'",
                "RENDER | 'RENDER': unknown command; did you mean render? See 'nodepath --help'",
                "clena | 'clena': unknown command; see 'nodepath --help'",
                "claenup | 'claenup': unknown command; did you mean cleanup? See 'nodepath --help'",
                "compl --help | 'compl': unknown command; did you mean completion? See 'nodepath --help'",
                "help porxy | 'porxy': unknown command; did you mean proxy? See 'nodepath --help'",
                "--verison | --verison: unknown option; did you mean --version? See 'nodepath --help'",
                "render --manifest=x | --manifest: unknown option; did you mean --manifests? See 'nodepath render --help'",
                "render -mode=nftables | -mode: unknown option; did you mean --mode? See 'nodepath render --help'",
                "render --manifests . --clutser-cidr=::/0 | --clutser-cidr: unknown option; did you mean --cluster-cidr? See",
                "render --mode=nftable | --mode: nftable (expected: iptables, nftables); did you mean nftables? See",
                "agent --overlay=vxlam | --overlay: vxlam (expected: auto, none, vxlan); did you mean vxlan? See",
                "proxy --mode=userpsace | (expected: userspace, iptables, nftables); did you mean userspace? See",
                "proxy --balancer=roundrobin | --balancer: roundrobin (expected: round-robin, least-connections, random);"
                        + " did you mean round-robin? See",
                "proxy --proxy-mode=ipvs | --proxy-mode: ipvs (expected: userspace, iptables, nftables); see",
                "proxy --mode ipvs | nodepath: --mode: ipvs (expected: userspace, iptables, nftables); see",
                "proxy --masquerade-all=maybe | --masquerade-all: maybe (expected: true or false); see",
                "proxy --portals=iptables | --portals: unknown option; see 'nodepath proxy --help'",
                "proxy --iptables-variant=nftables | (expected: auto, nft, legacy); see 'nodepath proxy --help'",
                "render --detect-local-mode=NodeCDIR | ; did you mean NodeCIDR? See",
                "trace -o jsn | -o: jsn (expected: text, json); did you mean json? See 'nodepath trace --help'",
                "render | --manifests",
                "render --manifests . --family=ipv5 | ipv5",
                "render --manifests . --mode=userspace | --mode: userspace (expected: iptables, nftables)",
                "render --manifests . --cluster-cidr=10.0.0.0/99 | nodepath: --cluster-cidr: \"10.0.0.0/99\" (expected: a",
                "render --manifests . --iptables-masquerade-bit=32 | --iptables-masquerade-bit: 32 (expected: 0 to 31)",
                "render --manifests . --mode=nftables --nftables-masquerade-bit=-1"
                        + " | --nftables-masquerade-bit: -1 (expected: 0 to 31)",
                "render --manifests . --mode=nftables --nftables-single-endpoint=x | x",
                "render --manifests . --iptables-masquerade-bit=x"
                        + " | --iptables-masquerade-bit: x (expected: a whole number of at most 2147483647); see",
                "render --manifests . --iptables-masquerade-bit=1.5 | 1.5 (expected: a whole number",
                "cleanup now | 'now': not taken (expected: options alone); see 'nodepath cleanup --help'",
                "trace a b:80 c | 'c': not taken (expected: FROM TO alone); see 'nodepath trace --help'",
                "render --manifests . --no-such-flag | --no-such-flag",
                "render --manifests . --nodeport-addresses=10.0.0.0 | --nodeport-addresses: \"10.0.0.0\" (expected: ADDRESS/PREFIX-LENGTH)",
                "render --manifests . --nodeport-addresses=primary,10.0.0.0/8 | expected: primary alone, or networks",
                "render --manifests . --detect-local-mode=Guess | Guess",
                "render --manifests . --detect-local-mode=BridgeInterface | --pod-bridge-interface: missing",
                "render --manifests . --detect-local-mode=InterfaceNamePrefix --pod-interface-name-prefix=much-too-long-x"
                        + " | --pod-interface-name-prefix: \"much-too-long-x\" (expected: ",
                "trace --manifests . --from 10.0.0.1 | --to",
                "trace --manifests . --from 10.0.0.1 --to 10.0.0.2 | --to: \"10.0.0.2\" (expected: IP:PORT",
                "trace --manifests . --from 10.0.0.1 --to 10.0.0.2:0 | --to: port: 0 (expected: 1 to 65535)",
                "trace --manifests . --from 10.0.0.1 --to [::1]:80 | destination: ::1 (expected: an IPv4 address",
                "trace --manifests . --from me --to 10.0.0.2:80 | --from: \"me\" (expected: an IPv4 or IPv6 address)",
                "trace --manifests . --from 10.0.0.1 --to 10.0.0.2:80/icmp | --to: \"10.0.0.2:80/icmp\"",
                "trace --manifests . --from 10.0.0.1 --to 10.0.0.2:80 -o xml | xml",
                "proxy --manifests . --iptables-variant=ebtables | ebtables",
                "proxy --manifests . --healthz-bind-address=localhost:1 | --healthz-bind-address: \"localhost:1\" (expected: IP:PORT",
                "proxy --manifests . --metrics-bind-address=1.2.3.4:x | --metrics-bind-address: \"1.2.3.4:x\" (expected: IP:PORT",
                "proxy --manifests . --conntrack-tcp-timeout-established=long | --conntrack-tcp-timeout-established: \"long\"",
                "proxy --manifests . --conntrack-min=many | --conntrack-min",
                "proxy --manifests . --oom-score-adj=-2000 | --oom-score-adj: -2000 (expected: -1000 to 1000)",
                "proxy --manifests . --iptables-sync-period=0s"
                        + " | --iptables-sync-period: 0s (expected: more than 0, and at least --iptables-min-sync-period, which is 0s)",
                "proxy --manifests . --mode=nftables --nftables-sync-period=1s --nftables-min-sync-period=2s"
                        + " | --nftables-sync-period: 1s (expected: more than 0, and at least --nftables-min-sync-period, which is 2s)",
                "proxy --manifests . --conntrack-max-per-core=-1 | --conntrack-max-per-core: -1 (expected: 0 or more)",
                "proxy --manifests . --conntrack-min=-1 | --conntrack-min: -1 (expected: 0 or more)",
                "proxy --manifests . --bind-address=foo | --bind-address: \"foo\" (expected: an IPv4 or IPv6 address)",
                "proxy --config=/nowhere.conf | --config: /nowhere.conf: not found (expected: a file)",
                "proxy --proxy-mode=ipvs --manifests . | ipvs",
                "proxy --manifests . --no-such-flag=1 | --no-such-flag",
                "proxy --mode=userspace --manifests . --bind-address=127.0.0.1"
                        + " | bindAddress: 127.0.0.1 (expected: not a loopback address)",
                "proxy --mode=userspace --manifests . --proxy-port-range=9-1 | port range: 9-1",
                "cleanup --uninstall --host-root=host | folders of the node: host (expected: an absolute path)",
                "proxy --mode=ipvs --manifests . | ipvs",
                "proxy --mode=iptables --manifests . --kubeconfig x"
                        + " | --manifests: given together with --kubeconfig (expected: one source)",
                "proxy --mode=iptables --manifests . --master http://x"
                        + " | --manifests: given together with --master (expected: one source)",
                "proxy --mode=iptables --master http://x --service-proxy-name=a,b"
                        + " | --service-proxy-name: \"a,b\" (expected: a label value)",
                "render --manifests . --kubeconfig x | --kubeconfig",
                "proxy --mode=iptables --manifests . --iptables-min-sync-period=soon"
                        + " | --iptables-min-sync-period: \"soon\" (expected: a duration such as 1s, 250ms or 1m30s)"
            })
    void saysInOneLineWhatIsWrongWithTheUsage(String arguments, String message) {
        assertThat(run(arguments.isEmpty() ? new String[0] : arguments.split(" ", -1)))
                .isEqualTo(2);
        assertThat(err.toString()).startsWith("nodepath: ").contains(message).hasLineCount(1);
        assertThat(out.toString()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"--version", "proxy --version", "cleanup --version"})
    void everyCommandTellsTheVersion(String arguments) {
        assertThat(run(arguments.split(" ", -1))).isZero();
        assertThat(out.toString()).startsWith("nodepath ").hasLineCount(1);
    }

    @Test
    void writesAConfigurationThatSaysTheSame() throws IOException {
        Path first = folder.resolve("first.conf");
        Path second = folder.resolve("second.conf");
        assertThat(run(
                        "proxy",
                        "--mode=userspace",
                        "--cluster-cidr=10.244.0.0/16,fd00::/64",
                        "--nodeport-addresses=10.0.0.0/8,fd00::/8",
                        "--conntrack-min=7",
                        "--oom-score-adj=-5",
                        "--bind-address-hard-fail",
                        "--write-config-to=" + first))
                .isZero();
        assertThat(first)
                .content()
                .contains(
                        "\nkind: KubeProxyConfiguration\n",
                        "\nmode: userspace\n",
                        "\nclusterCIDR: 10.244.0.0/16,fd00::/64\n",
                        "\nnodePortAddresses:\n- 10.0.0.0/8\n- fd00::/8\n",
                        "\n  min: 7\n",
                        "\noomScoreAdj: -5\n");
        assertThat(run("proxy", "--config=" + first, "--write-config-to=" + second))
                .as(err.toString())
                .isZero();
        assertThat(second).hasSameTextualContentAs(first);
        assertThat(run("proxy", "--config=" + first, "--write-config-to=-")).isZero();
        assertThat(out.toString()).isEqualTo(Files.readString(first));
    }

    /** As with kube-proxy, a switch and the text after it are two words. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "--log-json-split-stream --log-text-split-stream --profiling --ipvs-strict-arp",
                "--log-json-split-stream=true --log-text-split-stream=false --profiling=false --ipvs-strict-arp=true",
                "--boot-id-file=/proc/sys/kernel/random/boot_id --machine-id-file /etc/machine-id,/var/lib/dbus/machine-id",
                "--v=2 -v 4 --vmodule=a=1 --logging-format=json",
            })
    void takesFlagsThatMeanNothingHere(String flags) throws IOException {
        Path file = folder.resolve("proxy.conf");
        assertThat(run(("proxy " + flags + " --write-config-to " + file + " --masquerade-all").split(" ", -1)))
                .as(err.toString())
                .isZero();
        Path again = folder.resolve("again.conf");
        assertThat(run(("proxy --config=" + file + " " + flags + " --write-config-to=" + again).split(" ", -1)))
                .as(err.toString())
                .isZero();
        assertThat(again).hasSameTextualContentAs(file).content().contains("masqueradeAll: true", "oomScoreAdj: -999");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--log-json-split-stream", "--log-text-split-stream", "--profiling", "--ipvs-strict-arp"})
    void aSwitchTakesNoWordThatFollows(String flag) {
        assertThat(run("proxy", flag, "word", "--write-config-to=" + folder.resolve("proxy.conf")))
                .isEqualTo(2);
        assertThat(err.toString()).contains("'word'").hasLineCount(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"proxy", "agent"})
    void helpListsWhatMeansNothingHereUnderOneHeading(String command) {
        assertThat(run(command, "--help")).isZero();
        String help = out.toString().replaceAll("\\s+", " ");
        assertThat(help).contains("Options of kube-proxy that are accepted and have no effect here:");
        assertThat(help.substring(help.indexOf("Options of kube-proxy")))
                .contains(
                        "--boot-id-file, ", "--log-json-split-stream, ", "--machine-id-file, ", "--profiling, ", " -v");
        assertThat(help).contains("--oom-score-adj=N", "(default: -999)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"render", "render --family=ipv6"})
    void namesABrokenManifest(String command) throws IOException {
        Path file = Files.writeString(folder.resolve("web.yaml"), WEB.replace("port: 80}", "port: 70000}"));

        assertThat(run((command + " --manifests " + file).split(" ", -1))).isEqualTo(2);
        assertThat(err.toString())
                .contains("web.yaml: document 1: Service default/web: spec.ports[0].port: 70000 (expected: 1 to 65535)")
                .hasLineCount(1);
    }

    @Test
    void namesAManifestThatIsNotThere() {
        assertThat(run("render", "--manifests", "/nowhere.yaml")).isEqualTo(2);
        assertThat(err.toString()).contains("/nowhere.yaml").hasLineCount(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | in-cluster: KUBERNETES_SERVICE_HOST: unset (expected: a pod, or --kubeconfig, --master or --manifests)",
                "--bind-address=127.0.0.1 --proxy-port-range=any --kubeconfig=/nowhere"
                        + " | kubeconfig /nowhere: not found (expected: a kubeconfig file)",
                "--kubeconfig=/nowhere | kubeconfig /nowhere: not found (expected: a kubeconfig file)",
                "--master=nowhere | --master: \"nowhere\" (expected: a URL such as https://10.0.0.1:6443)",
            })
    void saysInOneLineWhyThereIsNoApiServer(String arguments, String message) {
        assertThat(run(("proxy --mode=iptables " + arguments).strip().split(" ", -1)))
                .isEqualTo(1);
        assertThat(err.toString()).isEqualTo("nodepath: " + message + "\n");
    }

    /** Needs the right to list iptables, which is looked at before. */
    @Test
    @Tag("netns")
    void saysInOneLineThatTheApiServerCannotBeReached() {
        assertThat(run("proxy", "--mode=iptables", "--master=http://127.0.0.1:1", "--oom-score-adj=0"))
                .isEqualTo(1);
        assertThat(err.toString())
                .isEqualTo("nodepath: --master: GET http://127.0.0.1:1/apis/discovery.k8s.io/v1: cannot connect"
                        + " (expected: an answer from a Kubernetes API server)\n");
    }

    /** The client is large; commands without it must not wait for it. */
    @Test
    void helpDoesNotLoadTheKubernetesClient() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-verbose:class",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Nodepath.class.getName(),
                        "--help")
                .redirectErrorStream(true)
                .start();
        String loaded = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        assertThat(loaded).contains("dev.nodepath.cli.AgentCommand").doesNotContain("io.fabric8", "databind");
    }

    @Test
    void readsTheOptionsOfTheNamedCommandAlone() {
        assertThat(Nodepath.commandLineFor("render", "proxy").getSubcommands()).containsOnlyKeys("render");
        for (String first : List.of("--help", "renders", "completion", "help")) {
            assertThat(Nodepath.commandLineFor(first).getSubcommands())
                    .as(first)
                    .containsKeys("agent", "proxy", "render", "completion");
        }
        assertThat(Nodepath.commandLineFor().getSubcommands()).containsKeys("agent", "render");
    }

    @Test
    void aCommandIsFoundByItsOwnName() {
        for (String name : Nodepath.commandLine().getSubcommands().keySet()) {
            if (!name.equals("completion") && !name.equals("help")) {
                assertThat(Nodepath.commandLineFor(name).getSubcommands()).containsOnlyKeys(name);
            }
        }
    }

    /** Reading the options of all commands takes most of a start. */
    @Test
    void theListOfCommandsReadsTheOptionsOfNone() {
        assertThat(optionsOfAgent("--help")).isEmpty();
        assertThat(optionsOfAgent("help", "agent")).isNotEmpty();
    }

    private static List<OptionSpec> optionsOfAgent(String... arguments) {
        CommandLine agent = Nodepath.commandLineFor(arguments).getSubcommands().get("agent");
        return Objects.requireNonNull(agent).getCommandSpec().options();
    }

    @ParameterizedTest
    @CsvSource({"1s, 1000", "250ms, 250", "1m30s, 90000", "2h, 7200000", "0s, 0", "1m, 60000"})
    void readsDurationsAsKubeProxyWritesThem(String text, long millis) throws CommandException {
        assertThat(ProxyOptions.duration("--x", text)).isEqualTo(Duration.ofMillis(millis));
    }

    private int run(String... arguments) {
        CommandLine commandLine = Nodepath.commandLineFor(arguments);
        commandLine.setOut(new PrintWriter(out, true));
        commandLine.setErr(new PrintWriter(err, true));
        return commandLine.execute(arguments);
    }
}
