package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.RuntimeCall.Answer;
import dev.nodepath.cni.protocol.CallOutcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One folder of addresses in turns with Debian's host-local, and Debian's plugins as delegates. */
@Tag("netns")
class HostLocalTakeOverTest {
    @TempDir
    Path directory;

    private TestNode node = new TestNode(Path.of(""));
    private String config = "";

    @BeforeEach
    void newNode() {
        node = new TestNode(directory);
        config = node.config(
                "1.0.0", "\"ipam\":{\"type\":\"host-local\",\"dataDir\":\"DATADIR\",\"subnet\":\"10.1.2.0/24\"}");
    }

    @Test
    void giveAndFreeInTurns() throws Exception {
        assertThat(address(theirs("ADD", "a"))).isEqualTo("10.1.2.2");
        assertThat(address(ours("ADD", "b"))).isEqualTo("10.1.2.3");
        assertThat(address(theirs("ADD", "c"))).isEqualTo("10.1.2.4");
        assertThat(theirs("CHECK", "b").exitCode()).isZero();
        assertThat(ours("DEL", "a").exitCode()).isZero();
        assertThat(theirs("DEL", "b").exitCode()).isZero();
        assertThat(node.reserved()).containsExactly("10.1.2.4");
        assertThat(address(ours("ADD", "b"))).isEqualTo("10.1.2.5");
        assertThat(address(theirs("ADD", "d"))).isEqualTo("10.1.2.6");
        for (String container : List.of("b", "c", "d")) {
            assertThat(ours("DEL", container).exitCode()).isZero();
        }
        assertThat(node.reserved()).isEmpty();
    }

    @Test
    void passesOverTheEmptyFileThatBlocksTheOther() throws Exception {
        Files.createDirectories(directory.resolve(TestNode.NETWORK));
        Files.createFile(directory.resolve(TestNode.NETWORK).resolve("10.1.2.2"));
        assertThat(address(theirs("ADD", "a"))).isEqualTo("10.1.2.3");
        assertThat(ours("DEL", "a").exitCode()).isZero();
        Files.delete(directory.resolve(TestNode.NETWORK).resolve("last_reserved_ip.0"));
        assertThat(address(ours("ADD", "b"))).isEqualTo("10.1.2.2");
    }

    @Test
    void worksWithDebiansPluginsAsDelegates() throws Exception {
        Files.createSymbolicLink(directory.resolve("debian-host-local"), KernelNode.DEBIAN.resolve("host-local"));
        config = config.replace("\"host-local\"", "\"debian-host-local\"")
                .replace(directory.toString(), directory + "/data");
        assertThat(address(ours("ADD", "a"))).isEqualTo("10.1.2.2");
        assertThat(address(ours("ADD", "b"))).isEqualTo("10.1.2.3");
        assertThat(ours("DEL", "a").exitCode()).isZero();
        assertThat(ours("DEL", "b").exitCode()).isZero();
        config = node.config(
                "1.0.0",
                "\"ipam\":{\"type\":\"static\",\"addresses\":[{\"address\":\"10.9.0.5/24\",\"gateway\":\"10.9.0.1\"}],"
                        + "\"routes\":[{\"dst\":\"0.0.0.0/0\"}]}");
        Answer answer = ours("ADD", "c");
        assertThat(answer.stdout()).contains("{\"interface\":2,\"address\":\"10.9.0.5/24\",\"gateway\":\"10.9.0.1\"}");
        assertThat(ours("DEL", "c").exitCode()).isZero();
    }

    private Answer theirs(String command, String container) throws Exception {
        Map<String, String> environment = TestNode.environment(command, container, "/run/netns/none");
        return new RuntimeCall(List.of(KernelNode.DEBIAN.resolve("host-local").toString()), environment).call(config);
    }

    private Answer ours(String command, String container) throws Exception {
        if (!node.net.names().contains(container)) {
            node.net.create(container).close();
        }
        Map<String, String> environment = TestNode.environment(command, container, "/run/netns/" + container);
        environment.put("CNI_PATH", directory + ":" + KernelNode.DEBIAN);
        CallOutcome outcome = node.call(config, environment);
        return new Answer(outcome.exitCode(), outcome.stdout(), outcome.stderr());
    }

    private static String address(Answer answer) {
        assertThat(answer.exitCode()).as(answer.stdout()).isZero();
        return answer.stdout().replaceAll("(?s).*\"address\": *\"([0-9.]*)/.*", "$1");
    }
}
