package dev.nodepath.cni;

import static dev.nodepath.cni.SharedNode.succeeded;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One container's name for two namespaces, as from two runtimes of a node. */
@Tag("netns")
class TwoNamespacesKernelTest {
    @TempDir
    Path dataDir;

    @Test
    void refusesTheSecondAndFreesTheContainersOwnWhateverThePathLeadsTo() throws Exception {
        String config = "{\"cniVersion\":\"1.0.0\",\"name\":\"n\",\"type\":\"bridge\",\"bridge\":\"bridge0\","
                + "\"isDefaultGateway\":true,\"ipMasq\":true,\"macspoofchk\":true,"
                + "\"ipam\":{\"type\":\"host-local\",\"dataDir\":\"" + dataDir
                + "\",\"ranges\":[[{\"subnet\":\"10.1.2.0/24\"}],[{\"subnet\":\"fd00::/64\"}]]}}";
        try (SharedNode node = new SharedNode("np-two");
                NetworkNamespace first = node.pod("first");
                NetworkNamespace second = node.pod("second")) {
            succeeded(node.ours(named("ADD", node, "first"), config));
            assertThat(node.ours(named("ADD", node, "second"), config).stdout()).contains("in another namespace");
            assertThat(second.link("eth0")).isEmpty();
            assertThat(first.addresses()).anyMatch(has -> has.address().equals(Cidr.parse("10.1.2.2/24")));
            Map<String, String> neighbour = node.environment("ADD", "second");
            succeeded(node.ours(neighbour, config));

            succeeded(node.ours(named("DEL", node, "second"), config));
            assertThat(first.link("eth0")).isEmpty();
            assertThat(second.link("eth0")).isPresent();
            assertThat(dataDir.resolve("n").resolve("10.1.2.2")).doesNotExist();
            assertThat(dataDir.resolve("n").resolve("10.1.2.3")).exists();
            assertThat(node.run("nft", "list", "ruleset"))
                    .contains("10.1.2.3/24 second-eth0", "\"second-eth0 ")
                    .doesNotContain("same");
            succeeded(node.ours(named("ADD", node, "first"), config));
        }
    }

    /** The old namespace lives on as long as something holds it, here this test and there the kernel's clean-up. */
    @Test
    void freesAllWhenTheNamespaceWasMadeAgainAtItsPath() throws Exception {
        String config = "{\"cniVersion\":\"1.0.0\",\"name\":\"n\",\"type\":\"bridge\",\"bridge\":\"bridge0\","
                + "\"isDefaultGateway\":true,\"ipMasq\":true,\"macspoofchk\":true,"
                + "\"ipam\":{\"type\":\"host-local\",\"dataDir\":\"" + dataDir
                + "\",\"ranges\":[[{\"subnet\":\"10.1.2.0/24\"}],[{\"subnet\":\"fd00::/64\"}]]}}";
        try (SharedNode node = new SharedNode("np-again");
                NetworkNamespace held = node.pod("first")) {
            succeeded(node.ours(named("ADD", node, "first"), config));
            node.makeAgain("first");
            succeeded(node.ours(named("DEL", node, "first"), config));
            assertThat(held.link("eth0")).isEmpty();
            try (Stream<Path> files = Files.list(dataDir.resolve("n"))) {
                assertThat(files.map(file -> file.getFileName().toString()))
                        .noneMatch(name -> name.matches("10.*|fd.*"));
            }
            assertThat(node.run("nft", "list", "ruleset")).doesNotContain("same");
            succeeded(node.ours(named("ADD", node, "first"), config));
        }
    }

    private static Map<String, String> named(String command, SharedNode node, String namespace) throws Exception {
        Map<String, String> environment = node.environment(command, namespace);
        environment.put("CNI_CONTAINERID", "same");
        return environment;
    }
}
