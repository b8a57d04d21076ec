package dev.nodepath.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The traces of an agent on a node after scripts/kind/remove.yaml. */
@Tag("docker")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class RemovalTest {
    @ParameterizedTest
    @CsvSource({"iptables, :KUBE-SERVICES", "nftables, table ip6 kube-proxy", "userspace, table ip6 nodepath-portals"})
    void leavesNothingOfTheAgent(String mode, String rules) throws Exception {
        try (DockerCluster cluster = new DockerCluster()) {
            DockerNode node = cluster.addNode("n1", 0, 1);
            cluster.addNode("n2", 1, 2);
            node.with(start -> start.withMode(mode)).startAgent().awaitReady();
            cluster.addPod(node, "web");
            cluster.addClient(node, "client");
            node.await(
                    "rules and routes",
                    () -> state(node).contains(rules)
                            && state(node).contains("nodepath-vxlan")
                            && state(node).contains("table inet nodepath {"));
            node.await("condition", () -> cluster.api().conditions().containsKey("n1"));
            assertThat(node.files("etc/cni/net.d")).containsExactly("10-nodepath.conflist");
            assertThat(node.files("opt/cni/bin")).contains("nodepath-bridge", "nodepath-bridge-jvm");
            Files.createFile(node.opt().resolve("cni/bin/portmap"));
            node.stopAgent();

            for (int i = 0; i < 2; i++) {
                node.run(AgentContainer.ofRemoval());
                assertThat(cluster.api().conditions()).doesNotContainKey("n1");
                assertThat(node.files("etc/cni/net.d")).isEmpty();
                assertThat(node.files("opt/cni/bin")).containsExactly("portmap");
                assertThat(node.files("opt/nodepath")).isEmpty();
                assertThat(state(node).replace("KUBE-FIREWALL", ""))
                        .doesNotContain(
                                "KUBE-",
                                "kube-proxy",
                                "proto 110",
                                "nodepath-vxlan",
                                "table inet nodepath {",
                                "nodepath-portals")
                        .contains("cni0");
            }
        }
    }

    private static String state(DockerNode node) throws Exception {
        return node.inNetwork("ip", "-br", "link")
                + node.inNetwork("ip", "route")
                + node.inNetwork("ip", "-6", "route")
                + node.inNetwork("nft", "list", "tables")
                + node.inNetwork("nft", "list", "ruleset", "inet")
                + node.inNetwork("iptables-save")
                + node.inNetwork("ip6tables-save");
    }
}
