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
import dev.nodepath.proxy.userspace.relay.PortalKind;
import dev.nodepath.proxy.userspace.relay.RelayConfig;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Real rules, real connection tracking: clients on the node, in a pod and outside. */
@ExtendWith({NoLeaks.class, KernelStateOfFailure.class})
@Timeout(900)
abstract class UserspaceProxyContract {
    static final String CLUSTER_IP = "10.96.0.10";
    private static final String EXTERNAL_IP = "192.0.2.1";
    static final int PORT = 80;
    private static final int NODE_PORT = 30080;

    private final IptablesCommand iptables = new IptablesCommand(IpFamily.IPV4);
    private final KernelTestNode node = new KernelTestNode();
    private final Backend first = backend("first");
    private final Backend second = backend("second");
    private final PortalKind kind;
    private final UserspaceProxy proxy;

    /** A proxy with portals of this kind. */
    UserspaceProxyContract(PortalKind kind) throws Exception {
        this.kind = kind;
        this.proxy = new UserspaceProxy(
                "node-a", RelayConfig.defaults().change().portals(kind).build(), List.of(iptables));
    }

    UserspaceProxy proxy() {
        return proxy;
    }

    Backend first() {
        return first;
    }

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
     * A client on the same machine hears of it with its first retransmission: the ICMP error comes while it still
     * sends.
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
        assertThat(rules()).doesNotContain("-j REJECT");
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
        Matcher port = Pattern.compile(kind == PortalKind.IPTABLES ? "--to-ports (\\d+)" : "ns/web\\S*\" : (\\d+)")
                .matcher(rules());
        assertThat(port.find()).isTrue();
        assertThatThrownBy(() -> askFromHost(KernelTestNode.ADDRESS, Integer.parseInt(port.group(1))))
                .isInstanceOf(IOException.class);
        RelayMetrics counts = proxy.metrics();
        assertThat(counts.of(RelayCount.WITHOUT_PORTAL) + counts.of(RelayCount.WITHOUT_TRANSLATION))
                .isEqualTo(1);
        assertThat(first.connections()).isZero();
    }

    @Test
    void takesOverFromAProxyThatWasKilled() throws Exception {
        iptables.restore("""
                *nat
                :KUBE-PORTALS-HOST - [0:0]
                -A KUBE-PORTALS-HOST -d 10.96.0.10/32 -p tcp -m tcp --dport 80 -j REDIRECT --to-ports 1
                -I OUTPUT -m comment --comment "handle ClusterIPs; NOTE: this must be before the NodePort rules" -j KUBE-PORTALS-HOST
                COMMIT
                """);
        proxy.sync(snapshot(first.endpoint()), ChangeSet.NONE);
        assertThat(askFromHost(CLUSTER_IP, PORT)).isEqualTo("first");
        UserspaceProxy.removeRules(iptables);
        assertThat(rules()).doesNotContain("KUBE-", "nodepath");
    }

    private static ServicePort service() {
        return new ServicePort(name("web"), ips(CLUSTER_IP), PORT, NODE_PORT, ips(EXTERNAL_IP), List.of());
    }

    static ServiceSnapshot snapshot(Endpoint... endpoints) {
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
    String rules() throws Exception {
        return (iptables.save(Table.NAT) + iptables.save(Table.FILTER) + KernelTestNode.tables())
                .lines()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.replaceAll("\\[\\d+:\\d+]", ""))
                .reduce("", (before, line) -> before + line + "\n");
    }
}
