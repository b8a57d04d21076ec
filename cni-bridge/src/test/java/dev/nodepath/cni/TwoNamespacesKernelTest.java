package dev.nodepath.cni;

import static dev.nodepath.cni.SharedNode.succeeded;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One container's name for two namespaces, as two runtimes of a node may give it. */
@Tag("netns")
class TwoNamespacesKernelTest {
    @TempDir
    Path dataDir;

    @Test
    void leavesTheFirstItsLinkAndAddress() throws Exception {
        String config = "{\"cniVersion\":\"1.0.0\",\"name\":\"n\",\"type\":\"bridge\",\"bridge\":\"bridge0\","
                + "\"isDefaultGateway\":true,\"ipam\":{\"type\":\"host-local\",\"dataDir\":\"" + dataDir
                + "\",\"subnet\":\"10.1.2.0/24\"}}";
        try (SharedNode node = new SharedNode("np-two");
                NetworkNamespace first = node.pod("first");
                NetworkNamespace second = node.pod("second")) {
            succeeded(node.ours(named("ADD", node, "first"), config));
            assertThat(node.ours(named("ADD", node, "second"), config).stdout()).contains("in another namespace");
            assertThat(second.link("eth0")).isEmpty();
            assertThat(first.addresses()).anyMatch(has -> has.address().equals(Cidr.parse("10.1.2.2/24")));
            assertThat(dataDir.resolve("n").resolve("10.1.2.2")).exists();
            assertThat(succeeded(node.ours(named("DEL", node, "second"), config))
                            .stderr())
                    .contains("link and addresses not removed");
            assertThat(first.addresses()).anyMatch(has -> has.address().equals(Cidr.parse("10.1.2.2/24")));
            assertThat(dataDir.resolve("n").resolve("10.1.2.2")).exists();
            first.setUp(first.link("eth0").orElseThrow().index(), false);
            assertThat(TestCommand.in(first, "ip link set eth0 name renamed")).isEmpty();
            succeeded(node.ours(named("DEL", node, "first"), config));
            assertThat(first.link("renamed")).isEmpty();
            assertThat(dataDir.resolve("n").resolve("10.1.2.2")).doesNotExist();
            succeeded(node.ours(named("ADD", node, "second"), config));
        }
    }

    private static Map<String, String> named(String command, SharedNode node, String namespace) throws Exception {
        Map<String, String> environment = node.environment(command, namespace);
        environment.put("CNI_CONTAINERID", "same");
        return environment;
    }
}
