package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.RuntimeCall.Answer;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Containers of one bridge on a node whose firewall drops forwarded packets, like Docker's. */
@Tag("netns")
class SameBridgeKernelTest {
    @TempDir
    Path dataDir;

    /** Switched frames are not forwarded, unless the node or the configuration passes them to iptables. */
    @ParameterizedTest(name = "{0}, bridge-nf-call-iptables={1}, {2}")
    @CsvSource(
            delimiter = '|',
            value = {
                "theirs | 0 | false | true",
                "ours   | 0 | false | true",
                "theirs | 1 | false | false",
                "ours   | 1 | false | false",
                "ours   | 0 | true  | false",
            })
    void meetTheFirewallAsTheNodesSettingSays(String plugin, String setting, boolean asked, boolean reachable)
            throws Exception {
        String config = "{\"cniVersion\":\"1.0.0\",\"name\":\"n\",\"type\":\"bridge\",\"bridge\":\"bridge0\","
                + (asked ? "\"bridgeNetfilter\":true," : "")
                + "\"isDefaultGateway\":true,\"ipam\":{\"type\":\"host-local\",\"dataDir\":\"" + dataDir
                + "\",\"subnet\":\"10.1.2.0/24\"}}";
        try (SharedNode node = new SharedNode("np-same");
                NetworkNamespace a = node.pod("a");
                NetworkNamespace b = node.pod("b")) {
            node.run("iptables", "-P", "FORWARD", "DROP");
            node.run("sysctl", "-qw", "net.bridge.bridge-nf-call-iptables=" + setting);
            for (String container : new String[] {"a", "b"}) {
                Answer answer = plugin.equals("ours")
                        ? node.ours("ADD", container, config)
                        : node.debians("ADD", container, config);
                SharedNode.succeeded(answer);
            }
            assertThat(TcpProbe.isReachable(b, "10.1.2.3", a)).isEqualTo(reachable);
        }
    }
}
