package dev.nodepath.proxy.userspace;

import static dev.nodepath.proxy.userspace.ServiceSnapshots.ips;
import static dev.nodepath.proxy.userspace.ServiceSnapshots.name;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.ServicePolicy;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.ServiceType;
import dev.nodepath.endpoints.TrafficPolicy;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.IptablesCommand;
import dev.nodepath.linux.iptables.Table;
import dev.nodepath.proxy.userspace.metrics.RelayCount;
import dev.nodepath.proxy.userspace.metrics.RelayMetrics;
import dev.nodepath.proxy.userspace.relay.RelayConfig;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real rules, real connection tracking: clients on the node, in a pod and outside. */
@Tag("netns")
@ExtendWith({NoLeaks.class, KernelStateOfFailure.class})
@Timeout(900)
class UserspaceProxyKernelTest {
    private static final String CLUSTER_IP = "10.96.0.10";
    private static final String EXTERNAL_IP = "192.0.2.1";
    private static final int PORT = 80;
    private static final int NODE_PORT = 30080;

    private final IptablesCommand iptables = new IptablesCommand(IpFamily.IPV4);
    private final KernelTestNode node = new KernelTestNode();
    private final Backend first = backend("first");
    private final Backend second = backend("second");
    private final UserspaceProxy proxy = new UserspaceProxy("node-a", RelayConfig.DEFAULTS, List.of(iptables));

    @TempDir
    private Path folder;

    UserspaceProxyKernelTest() throws Exception {}

    private static Backend backend(String name) throws IOException {
        return Backend.start(
                IpAddress.parse(KernelTestNode.BRIDGE_ADDRESS).toInetAddress(),
                0,
                socket -> socket.getOutputStream().write((name + "\n").getBytes(US_ASCII)));
    }

    @BeforeEach
    void rulesAreEmpty() throws Exception {
        assertThat(rules()).doesNotContain("KUBE-", "nodepath");
    }

    @AfterEach
    void tearDown() throws Exception {
        proxy.close();
        first.close();
        second.close();
        String left = rules();
        node.remove();
        assertThat(left).doesNotContain("KUBE-", "nodepath");
    }

    @Test
    void leadsHostPodAndOutsideToAnEndpoint() throws Exception {
        proxy.sync(snapshot(first.endpoint()), ChangeSet.NONE);
        assertThat(askFromHost(CLUSTER_IP, PORT)).isEqualTo("first");
        assertThat(askFromHost(EXTERNAL_IP, PORT)).isEqualTo("first");
        assertThat(askFromHost(KernelTestNode.ADDRESS, NODE_PORT)).isEqualTo("first");
        assertThat(askFromHost("127.0.0.1", NODE_PORT)).isEqualTo("first");
        assertThat(node.askFromPod(CLUSTER_IP, PORT)).isEqualTo("first");
        assertThat(node.askFromPod(KernelTestNode.ADDRESS, NODE_PORT)).isEqualTo("first");
        assertThat(node.askFromOutside(KernelTestNode.ADDRESS, NODE_PORT)).isEqualTo("first");
        assertThat(node.askFromOutside(EXTERNAL_IP, PORT)).isEqualTo("first");
        assertThat(proxy.metrics().of(RelayCount.CONNECTED)).isEqualTo(8);
        assertThat(first.connections()).isEqualTo(8);
    }

    @Test
    void leadsTheHostByRedirectWhileTheNodeIsUnknown() throws Exception {
        proxy.sync(new ServiceSnapshots().add(service(), first.endpoint()).build(), ChangeSet.NONE);
        assertThat(askFromHost(CLUSTER_IP, PORT)).isEqualTo("first");
        assertThat(askFromHost(KernelTestNode.ADDRESS, NODE_PORT)).isEqualTo("first");
    }

    /** The bridge's address is this host's too, though no Node names it. */
    @Test
    void externalPolicyLocalDoesNotBindTheHostByWhicheverAddress() throws Exception {
        ServicePolicy policy =
                new ServicePolicy(ServiceType.NODE_PORT, TrafficPolicy.CLUSTER, TrafficPolicy.LOCAL, 0, List.of(), 0);
        Endpoint elsewhere =
                Endpoint.ready(first.endpoint().address(), first.endpoint().port(), "node-b");
        proxy.sync(
                new ServiceSnapshots()
                        .node("node-a", KernelTestNode.ADDRESS)
                        .add(
                                new ServicePort(
                                        name("web"), ips(CLUSTER_IP), PORT, NODE_PORT, List.of(), List.of(), policy),
                                elsewhere)
                        .build(),
                ChangeSet.NONE);
        assertThat(askFromHost(KernelTestNode.BRIDGE_ADDRESS, NODE_PORT)).isEqualTo("first");
        assertThat(node.askFromOutside(KernelTestNode.ADDRESS, NODE_PORT)).doesNotContain("first");
    }

    /**
     * A client on the same machine learns it with its first retransmission: the ICMP error comes while it still sends.
     */
    @Test
    void refusesWithoutEndpoints() throws Exception {
        proxy.sync(snapshot(), ChangeSet.NONE);
        assertThatThrownBy(() -> askFromHost(CLUSTER_IP, PORT)).isInstanceOf(ConnectException.class);
        assertThatThrownBy(() -> askFromHost(KernelTestNode.ADDRESS, NODE_PORT)).isInstanceOf(ConnectException.class);
        assertThat(node.askFromPod(CLUSTER_IP, PORT)).contains("Connection refused");
        assertThat(node.askFromPod(KernelTestNode.ADDRESS, NODE_PORT)).contains("Connection refused");
        assertThat(node.askFromOutside(KernelTestNode.ADDRESS, NODE_PORT)).contains("Connection refused");
        assertThat(node.askFromOutside(EXTERNAL_IP, PORT)).contains("Connection refused");
        assertThat(proxy.metrics().of(RelayCount.ACCEPTED)).isZero();
    }

    @Test
    void servesAgainAfterTheFirstEndpointComes() throws Exception {
        proxy.sync(snapshot(), ChangeSet.NONE);
        proxy.sync(snapshot(first.endpoint()), ChangeSet.NONE);
        assertThat(askFromHost(CLUSTER_IP, PORT)).isEqualTo("first");
        assertThat(rules()).as("in no set").doesNotContainPattern("ns/web:http\"(?! :)");
    }

    @Test
    void changesNoRuleWhenOnlyEndpointsChange() throws Exception {
        proxy.sync(snapshot(first.endpoint()), ChangeSet.NONE);
        String before = rules();
        proxy.sync(snapshot(second.endpoint()), ChangeSet.of(List.of(name("web"))));
        assertThat(rules()).isEqualTo(before);
        assertThat(askFromHost(CLUSTER_IP, PORT)).isEqualTo("second");
    }

    @Test
    void resetsWhoComesWithoutARule() throws Exception {
        proxy.sync(snapshot(first.endpoint()), ChangeSet.NONE);
        Matcher port = Pattern.compile("ns/web\\S*\" : (\\d+)").matcher(rules());
        assertThat(port.find()).isTrue();
        assertThatThrownBy(() -> askFromHost(KernelTestNode.ADDRESS, Integer.parseInt(port.group(1))))
                .isInstanceOf(IOException.class);
        RelayMetrics counts = proxy.metrics();
        assertThat(counts.of(RelayCount.WITHOUT_PORTAL) + counts.of(RelayCount.WITHOUT_TRANSLATION))
                .isEqualTo(1);
        assertThat(first.connections()).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "delete table ip nodepath-portals",
                "flush map ip nodepath-portals portals",
                "flush chain ip nodepath-portals portals-output",
                "add table ip nodepath-portals { flags dormant; }",
                "flush ruleset"
            })
    void repairsWhatOthersHaveChanged(String change) throws Exception {
        ServiceSnapshot snapshot = snapshot(first.endpoint());
        proxy.sync(snapshot, ChangeSet.NONE);
        nft(change);
        assertThatThrownBy(() -> askFromHost(CLUSTER_IP, PORT)).isInstanceOf(IOException.class);

        proxy.sync(snapshot, ChangeSet.NONE);

        assertThat(askFromHost(CLUSTER_IP, PORT)).isEqualTo("first");
        assertThat(rules()).contains("KUBE-NODEPORT-NON-LOCAL");
    }

    @Test
    void takesOverTheTableOfAProcessThatHasEnded() throws Exception {
        writeTable(1);

        proxy.sync(snapshot(first.endpoint()), ChangeSet.NONE);

        assertThat(askFromHost(CLUSTER_IP, PORT)).isEqualTo("first");
    }

    @Test
    void standsDownForAProcessWithATableOfItsOwn() throws Exception {
        ServiceSnapshot snapshot = snapshot(first.endpoint());
        proxy.sync(snapshot, ChangeSet.NONE);
        nft("delete table ip nodepath-portals");
        writeTable(first.endpoint().port());

        proxy.sync(snapshot, ChangeSet.NONE);

        String others = "tcp . 80 : " + first.endpoint().port();
        assertThat(rules()).contains(others);
        assertThat(proxy.metrics().of(RelayCount.PORTALS_TAKEN_OVER)).isEqualTo(1);
        proxy.close();
        assertThat(rules()).contains(others);
        UserspaceProxy.removeRules(iptables);
    }

    /** As an earlier version, or kube-proxy, that takes its place. */
    @Test
    void standsDownForAProcessThatHasPortalsInIptables() throws Exception {
        ServiceSnapshot snapshot = snapshot(first.endpoint());
        proxy.sync(snapshot, ChangeSet.NONE);
        iptables.restore("""
            *nat
            :KUBE-PORTALS-HOST - [0:0]
            -A KUBE-PORTALS-HOST -d 10.96.0.10/32 -p tcp -m tcp --dport 80 -j REDIRECT --to-ports %d
            COMMIT
            """.formatted(first.endpoint().port()));

        proxy.sync(snapshot, ChangeSet.NONE);

        assertThat(rules()).contains("KUBE-PORTALS-HOST -d 10.96.0.10");
        assertThat(proxy.metrics().of(RelayCount.PORTALS_TAKEN_OVER)).isEqualTo(1);
        proxy.close();
        assertThat(rules()).contains("KUBE-PORTALS-HOST -d 10.96.0.10").doesNotContain("nodepath-portals");
        UserspaceProxy.removeRules(iptables);
    }

    @Test
    void takesOverFromAProxyThatWasKilledAndHadRulesInIptables() throws Exception {
        iptables.restore("""
                *nat
                :KUBE-PORTALS-HOST - [0:0]
                -A KUBE-PORTALS-HOST -d 10.96.0.10/32 -p tcp -m tcp --dport 80 -j REDIRECT --to-ports 1
                -I OUTPUT -m comment --comment "handle ClusterIPs; NOTE: this must be before the NodePort rules" -j KUBE-PORTALS-HOST
                COMMIT
                """);
        proxy.sync(snapshot(first.endpoint()), ChangeSet.NONE);
        assertThat(rules()).doesNotContain("KUBE-PORTALS").contains("KUBE-NODEPORT-NON-LOCAL");
        assertThat(askFromHost(CLUSTER_IP, PORT)).isEqualTo("first");
        UserspaceProxy.removeRules(iptables);
        assertThat(rules()).doesNotContain("KUBE-", "nodepath");
    }

    /** A table of another process. */
    private void writeTable(int port) throws Exception {
        Path file = Files.writeString(folder.resolve("table"), """
            table ip nodepath-portals {
                map portals {
                    type ipv4_addr . inet_proto . inet_service : inet_service
                    elements = { 10.96.0.10 . tcp . 80 : %d }
                }
            }
            """.formatted(port));
        nft("-f", file.toString());
    }

    private static void nft(String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("nft"));
        command.addAll(List.of(words));
        Process process = new ProcessBuilder(command).inheritIO().start();
        assertThat(process.waitFor()).isZero();
    }

    private static ServicePort service() {
        return new ServicePort(name("web"), ips(CLUSTER_IP), PORT, NODE_PORT, ips(EXTERNAL_IP), List.of());
    }

    private static ServiceSnapshot snapshot(Endpoint... endpoints) {
        return new ServiceSnapshots()
                .node("node-a", KernelTestNode.ADDRESS)
                .add(service(), endpoints)
                .build();
    }

    static String askFromHost(String address, int port) throws IOException {
        try (Socket client = new Socket()) {
            client.setSoTimeout(5_000);
            client.connect(new InetSocketAddress(IpAddress.parse(address).toInetAddress(), port), 5_000);
            String line = new BufferedReader(new InputStreamReader(client.getInputStream(), US_ASCII)).readLine();
            return line == null ? "" : line;
        }
    }

    /** All rules, without counters and remarks, and our table. */
    private String rules() throws Exception {
        return (iptables.save(Table.NAT) + iptables.save(Table.FILTER) + KernelTestNode.tables())
                .lines()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.replaceAll("\\[\\d+:\\d+]", ""))
                .reduce("", (before, line) -> before + line + "\n");
    }
}
