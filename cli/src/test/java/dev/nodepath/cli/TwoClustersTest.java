package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two clusters of one user side by side; each command acts on the cluster that it names. */
@Tag("netns")
class TwoClustersTest {
    @TempDir
    private Path folder;

    @AfterEach
    void endBoth() throws IOException, InterruptedException {
        NodepathScript nodepath = new NodepathScript(folder);
        nodepath.run("down", "--name=one");
        nodepath.run("down", "--name=two");
        assertThat(NodepathScript.clusterProcesses()).isEmpty();
    }

    @Test
    void runSideBySide() throws IOException, InterruptedException {
        NodepathScript nodepath = new NodepathScript(folder);
        Path more = Files.writeString(folder.resolve("more.yaml"), """
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: of-one}
                ---
                apiVersion: example.com/v1
                kind: Widget
                metadata: {name: once}
                """);
        NodepathScript.Result one = nodepath.run("up", "--name", "one", "--nodes=1", more.toString());
        assertThat(one.exitCode()).as(one.output()).isZero();
        NodepathScript.Result two = nodepath.run("up", "--name=two");
        assertThat(two.exitCode()).as(two.output()).isZero();
        assertThat(one.output())
                .contains("Widget default/once", "no matches for kind \"Widget\" in version \"example.com/v1\"");

        assertThat(ask(nodepath, "status", "--name=one"))
                .contains("cluster one in ")
                .doesNotContain("\nn2 ");
        assertThat(ask(nodepath, "status", "--name=two")).contains("cluster two in ", "n2");
        assertThat(run(nodepath, "kubectl", "--name", "two", "get", "nodes", "-o", "name"))
                .isEqualTo("node/n1\nnode/n2\n");
        assertThat(run(nodepath, "exec", "--name=two", "n2", "--", "echo", "here"))
                .isEqualTo("here\n");
        assertThat(ask(nodepath, "logs", "--name=two", "n2")).contains("proxy.synced");
        assertThat(ask(nodepath, "trace", "--name=two", "n1", "n2:10250")).contains("n2");
        assertThat(ask(nodepath, "page", "--name=two")).startsWith("http://127.0.0.1:");
        NodepathScript.Result none = nodepath.ask("status");
        assertThat(none.exitCode()).isEqualTo(1);
        assertThat(none.output()).contains("no cluster \"default\" is running in /");
        // An option behind kubectl's first argument is kubectl's.
        assertThat(nodepath.run("kubectl", "--name=two", "get", "--name=one").output())
                .contains("unknown flag: --name");

        assertThat(run(nodepath, "down", "--name=two")).isEqualTo("the cluster has ended\n");
        assertThat(run(nodepath, "restart", "--name=one"))
                .contains("the cluster has ended", "nodepath status --name=one");
        assertThat(run(nodepath, "kubectl", "--name=one", "get", "configmap", "of-one", "-o", "name"))
                .isEqualTo("configmap/of-one\n");
    }

    private static String run(NodepathScript nodepath, String... arguments) throws IOException, InterruptedException {
        return output(nodepath.run(arguments));
    }

    private static String ask(NodepathScript nodepath, String... arguments) throws IOException, InterruptedException {
        return output(nodepath.ask(arguments));
    }

    private static String output(NodepathScript.Result result) {
        assertThat(result.exitCode()).as(result.output()).isZero();
        return result.output();
    }
}
