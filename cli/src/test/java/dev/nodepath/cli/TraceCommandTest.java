package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class TraceCommandTest {
    private static final String OBJECTS = """
            apiVersion: v1
            kind: Node
            metadata: {name: n1}
            spec: {podCIDRs: [10.244.1.0/24]}
            status: {addresses: [{type: InternalIP, address: 172.30.0.11}]}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: web, namespace: default}
            spec:
              type: LoadBalancer
              clusterIP: 10.96.0.10
              ports: [{name: http, port: 80, nodePort: 30080}]
            status:
              loadBalancer:
                ingress: [{ip: 203.0.113.1, ipMode: VIP}, {ip: 203.0.113.2, ipMode: Proxy}]
            ---
            apiVersion: discovery.k8s.io/v1
            kind: EndpointSlice
            metadata: {name: web-1, namespace: default, labels: {kubernetes.io/service-name: web}}
            addressType: IPv4
            ports: [{name: http, port: 8080}]
            endpoints: [{addresses: [10.244.1.2], nodeName: n1}, {addresses: [10.244.2.2], nodeName: n2}]
            ---
            apiVersion: networking.k8s.io/v1
            kind: ServiceCIDR
            metadata: {name: kubernetes}
            spec: {cidrs: [10.96.0.0/16]}
            """;

    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private Path objects = Path.of("");

    @BeforeEach
    void writeObjects() throws IOException {
        objects = Files.writeString(folder.resolve("objects.yaml"), OBJECTS);
    }

    private int trace(String arguments) {
        List<String> words =
                new ArrayList<>(List.of("trace", "--manifests", objects.toString(), "--hostname-override=n1"));
        words.addAll(List.of(arguments.split(" +", -1)));
        CommandLine commandLine = Nodepath.commandLine();
        commandLine.setOut(new PrintWriter(out, true));
        commandLine.setErr(new PrintWriter(err, true));
        return commandLine.execute(words.toArray(String[]::new));
    }

    @Test
    void printsRulesAndTheElementsThatDecide() {
        assertThat(trace("--mode=nftables --cluster-cidr=10.244.0.0/16 --from=198.51.100.1 --to=172.30.0.11:30080"))
                .isZero();
        assertThat(out.toString()).isEqualTo("""
                tcp 198.51.100.1 -> 172.30.0.11:30080

                Rules that match, those of every endpoint that chance can choose:
                  ip kube-proxy filter-prerouting-pre-dnat
                    1. ct state new jump firewall-check
                  ip kube-proxy nat-prerouting
                    1. jump services
                    ip kube-proxy services
                      3. ip daddr @nodeport-ips meta l4proto . th dport vmap @service-nodeports
                        @nodeport-ips has 172.30.0.11
                        @service-nodeports has tcp . 30080 : goto external-SUSTUHLJ-default/web/tcp/http
                      ip kube-proxy external-SUSTUHLJ-default/web/tcp/http
                        1. meta mark set meta mark | 0x00004000 comment "masquerade"
                        2. goto service-SUSTUHLJ-default/web/tcp/http
                        ip kube-proxy service-SUSTUHLJ-default/web/tcp/http
                          1. meta l4proto tcp dnat ip to numgen random mod 2 map { 0 : 10.244.1.2 . 8080, 1 : 10.244.2.2 . 8080 }
                  ip kube-proxy filter-forward
                    1. ct state new jump service-endpoints-check
                    2. ct state new jump cluster-ips-check
                  ip kube-proxy nat-postrouting
                    1. jump masquerading
                    ip kube-proxy masquerading
                      1. meta mark & 0x00004000 != 0x00000000 meta mark set meta mark ^ 0x00004000 masquerade fully-random

                What becomes of it:
                   50.0%  goes to 10.244.1.2:8080, masqueraded: it sees an address of this node as the source
                   50.0%  goes to 10.244.2.2:8080, masqueraded: it sees an address of this node as the source
                """);
        assertThat(err.toString()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            nftables | --to=10.96.0.10:80                          | goes to 10.244.1.2:8080, not masqueraded
            nftables | --to=10.96.0.10:80 --masquerade-all         | goes to 10.244.1.2:8080, masqueraded
            nftables | --to=10.96.0.10:80 --detect-local-mode=NodeCIDR | goes to 10.244.1.2:8080, masqueraded
            nftables | --to=203.0.113.1:80                         | goes to 10.244.1.2:8080
            nftables | --to=203.0.113.2:80                         | goes on to 203.0.113.2:80: no rule changes
            nftables | --to=10.96.0.10:81                          | is rejected
            nftables | --to=10.96.0.99:80                          | is dropped
            nftables | --to=172.30.0.11:30080 --nftables-masquerade-bit=3 | 0x00000008
            nftables | --to=172.30.9.9:30080 --host-addresses=172.30.0.11,172.30.9.9 | goes on to 172.30.9.9:30080
            nftables | --to=172.30.9.9:30080 --host-addresses=172.30.0.11,172.30.9.9 --nodeport-addresses=172.30.9.0/24 | goes to 10.244.1.2:8080
            iptables | --to=172.30.9.9:30080 --host-addresses=172.30.0.11,172.30.9.9 | goes to 10.244.1.2:8080
            iptables | --to=10.96.0.10:80                          | nat KUBE-SERVICES
            iptables | --to=10.96.0.99:80                          | goes on to 10.96.0.99:80
            """)
    void takesTheOptionsOfTheMode(String mode, String options, String expected) {
        assertThat(trace("--mode=" + mode + " --from=198.51.100.1 " + options)).isZero();
        assertThat(out.toString()).contains(expected);
    }

    @ParameterizedTest
    @CsvSource({"iptables, nat, 0", "nftables, ip kube-proxy, 1"})
    void printsJson(String mode, String table, int elements) {
        assertThat(trace("--mode=" + mode + " -o=json --from=10.244.1.4 --to=10.96.0.10:80"))
                .isZero();
        assertThat(out.toString()).contains("\"table\" : \"" + table + "\"", "\"verdict\" : \"ENDPOINT\"");
        assertThat(out.toString().split("\"set\" : \"service-ips\"", -1)).hasSize(elements + 1);
    }

    @Test
    void userspaceModeHasNoTrace() {
        assertThat(trace("--mode=userspace --from=10.244.1.4 --to=10.96.0.10:80"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("--mode: userspace (expected: iptables, nftables)");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            trace                           | 2 | --manifests, --from, --to: missing (expected: --manifests, --from and --to; or FROM TO in the running cluster)
            trace --manifests x --from ::1  | 2 | --to: missing (expected: --manifests, --from and --to; or FROM TO in the running cluster)
            trace client-1                  | 2 | TO: missing (expected: SERVICE:PORT, POD:PORT, NODE:NODEPORT or IP:PORT after FROM)
            trace client-1 web:80 --to=1    | 2 | --to: not with FROM and TO (expected: these alone, as the running cluster says the rest)
            """)
    void saysWhatIsMissing(String line, int code, String expected) {
        CommandLine commandLine = Nodepath.commandLine();
        commandLine.setErr(new PrintWriter(err, true));
        assertThat(commandLine.execute(line.split(" +", -1))).isEqualTo(code);
        assertThat(err.toString()).isEqualTo("nodepath: " + expected + "\n");
    }

    private static final String POLICIES = """
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: web-1, namespace: default, labels: {app: web}}
            spec: {nodeName: n1, containers: [{name: web}]}
            status: {podIP: 10.244.1.2, podIPs: [{ip: 10.244.1.2}]}
            ---
            apiVersion: networking.k8s.io/v1
            kind: NetworkPolicy
            metadata: {name: web, namespace: default}
            spec:
              podSelector: {matchLabels: {app: web}}
              ingress: [{from: [{ipBlock: {cidr: 10.244.7.0/24}}], ports: [{port: 8080}]}]
            """;

    @ParameterizedTest
    @CsvSource({
        "10.244.7.7, rule ingress[0] of default/web allows 10.244.7.7 (TCP port 8080)., goes to 10.244.1.2:8080",
        "10.244.8.8, no rule of it allows 10.244.8.8 (TCP port 8080)., is dropped: the sender gets no answer"
    })
    void saysWhatThePoliciesOfTheNodesPodsDo(String from, String sentence, String outcome) throws IOException {
        Files.writeString(objects, OBJECTS + POLICIES);
        for (String mode : List.of("iptables", "nftables")) {
            assertThat(trace("--mode=" + mode + " --cluster-cidr=10.244.0.0/16 --from=" + from + " --to=10.96.0.10:80"))
                    .as(err::toString)
                    .isZero();
            assertThat(out.toString())
                    .contains("Ingress: default/web-1 is isolated by default/web; " + sentence, outcome)
                    .contains("goes to 10.244.2.2:8080");
            out.getBuffer().setLength(0);
        }
    }

    @Test
    void namesTheLineOfAPolicyThatCannotBeRead() throws IOException {
        Files.writeString(objects, OBJECTS + POLICIES.replace("10.244.7.0/24", "10.244.7.0/99"));
        assertThat(trace("--from=10.244.7.7 --to=10.96.0.10:80 --cluster-cidr=10.244.0.0/16"))
                .isZero();
        assertThat(err.toString()).contains("warning: ", "objects.yaml", "10.244.7.0/99");
        assertThat(out.toString()).contains("no rule of it allows 10.244.7.7");
    }

    @Test
    void saysWhyNoPolicyIsAsked() throws IOException {
        Files.writeString(objects, OBJECTS + POLICIES.replace("nodeName: n1, ", ""));
        assertThat(trace("--from=10.244.7.7 --to=10.96.0.10:80 --cluster-cidr=10.244.0.0/16"))
                .isZero();
        assertThat(err.toString()).contains("warning: ", "Pod default/web-1", "spec.nodeName: missing");

        err.getBuffer().setLength(0);
        Files.writeString(objects, OBJECTS + POLICIES.replace("nodeName: n1, ", "nodeName: n8, "));
        assertThat(trace("--from=10.244.7.7 --to=10.96.0.10:80 --cluster-cidr=10.244.0.0/16"))
                .isZero();
        assertThat(err.toString())
                .contains("warning: --hostname-override: \"n1\" has no pod that policies isolate (expected: n8)");
    }
}
