package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where ports of the node lead ({@code portMappings}), on the real kernel. */
@Tag("netns")
class HostPortsKernelTest {
    private static final KernelLinuxNet KERNEL = new KernelLinuxNet();
    private static final String POD = "10.1.2.2";
    private static final String POD_IPV6 = "fd00:0:0:0:0:0:0:2";

    @TempDir
    Path dataDir;

    private TestNode paths = new TestNode(Path.of(""));
    private NodeOfWorld node = new NodeOfWorld(Path.of(""));

    @BeforeEach
    void makeNode() throws Exception {
        paths = new TestNode(dataDir);
        node = new NodeOfWorld(dataDir);
        node.make();
        node.make("web");
        node.make("client");
    }

    @AfterEach
    void removeNode() throws Exception {
        node.close();
    }

    /**
     * The asking place, the asked address, and the source that the container sees. A container of the same bridge
     * needs br_netfilter.
     */
    @ParameterizedTest
    @CsvSource(textBlock = """
            np-world, 172.30.0.2, 172.30.0.1
            np-world, fd30::2,    fd30:0:0:0:0:0:0:1
            np-node,  172.30.0.2, 172.30.0.2
            np-node,  127.0.0.1,  10.1.2.1
            np-node,  fd30::2,    fd30:0:0:0:0:0:0:2
            web,      172.30.0.2, 10.1.2.1
            web,      10.1.2.1,   10.1.2.1
            """)
    void leadsToTheContainer(String client, String address, String seen) throws Exception {
        succeeded(node.call("ADD", "web", mappings("{\"hostPort\":8081,\"containerPort\":8080,\"protocol\":\"tcp\"}")));
        assertThat(source(client, address, 8081, 8080)).isEqualTo(seen);
    }

    @Test
    void anAddressOfTheNodeIsEnough() throws Exception {
        String own =
                mappings("{\"HostPort\":9091,\"ContainerPort\":9090,\"Protocol\":\"TCP\",\"HostIP\":\"127.0.0.1\"}");
        succeeded(node.call("ADD", "web", own));
        assertThat(source(NodeOfWorld.NODE, "127.0.0.1", 9091, 9090)).isEqualTo("10.1.2.1");
        assertThat(node.rules())
                .doesNotContain(
                        "chain prerouting {\n\t\ttype nat hook prerouting priority dstnat; policy accept;\n\t\tip daddr 127");
    }

    @Test
    void leavesNothingBehind() throws Exception {
        String udp = mappings("{\"hostPort\":53,\"containerPort\":5353,\"protocol\":\"udp\"}");
        String sctp = mappings("{\"hostPort\":132,\"containerPort\":1320,\"protocol\":\"sctp\"}");
        succeeded(node.call("ADD", "web", udp));
        succeeded(node.call("ADD", "client", sctp));
        assertThat(node.rules())
                .contains("udp dport 53 dnat to " + POD + ":5353", "sctp dport 132 dnat to 10.1.2.3:1320")
                .contains("dnat to [fd00::2]:5353");
        succeeded(node.call("ADD", "web", udp));
        assertThat(node.rules().split("udp dport 53 dnat to " + POD, -1)).hasSize(3);
        succeeded(node.call("DEL", "web", mappings("")));
        assertThat(node.rules()).doesNotContain("udp dport").contains("sctp dport");
        succeeded(node.call("GC", "web", mappings("").replaceFirst("\\{", "{\"cni.dev/valid-attachments\":[],")));
        assertThat(node.rules()).doesNotContain("dnat to", "masquerade comment");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"hostPort":0,"containerPort":80}                      | hostPort
            {"hostPort":80,"containerPort":70000}                  | containerPort
            {"hostPort":80,"containerPort":80,"protocol":"icmp"}   | protocol
            {"hostPort":80,"containerPort":80,"hostIP":"node"}     | hostIP
            """)
    void refusesWhatIsNoMapping(String mapping, String field) throws Exception {
        assertThat(node.call("ADD", "web", mappings(mapping)).stdout()).contains("portMappings[0]." + field);
    }

    private static String source(String client, String address, int port, int containerPort) throws Exception {
        String listening = address.indexOf(':') < 0 ? POD : POD_IPV6;
        try (NetworkNamespace web = KERNEL.openNamed("web");
                NetworkNamespace from = KERNEL.openNamed(client)) {
            return TcpProbe.sourceSeen(web, listening, containerPort, from, address, port);
        }
    }

    private String mappings(String mapping) {
        return paths.gatewayConfig("1.1.0", "10.1.2.0/24", "fd00::/64")
                .replace(
                        "\"isDefaultGateway\"",
                        "\"hairpinMode\":true,\"runtimeConfig\":{\"portMappings\":[" + mapping
                                + "]},\"isDefaultGateway\"");
    }

    private static void succeeded(CallOutcome outcome) {
        assertThat(outcome.exitCode()).as(outcome.stdout()).isZero();
    }
}
