package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** A cluster that stays: up, status, exec, down. Tests that look at one share it. */
@Tag("netns")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ClusterCommandsTest {
    @TempDir
    private static Path folder;

    private static NodepathScript nodepath = new NodepathScript(Path.of("/"));
    private static String before = "";
    private static boolean isUp;

    @BeforeAll
    static void prepare() throws IOException, InterruptedException {
        nodepath = new NodepathScript(folder);
        before = NodepathScript.hostState();
    }

    /** The cluster of the tests that look at one. */
    private static void shareCluster() throws IOException, InterruptedException {
        if (!isUp) {
            NodepathScript.Result up = nodepath.run("up", "--mode=userspace");
            assertThat(up.exitCode()).as(up.output()).isZero();
            isUp = true;
        }
    }

    @AfterAll
    static void endCluster() throws IOException, InterruptedException {
        isUp = false;
        nodepath.down();
        assertThat(NodepathScript.hostState()).isEqualTo(before);
    }

    @Test
    @Order(1)
    void everyJvmStartsWithTheArchiveOfClasses() throws IOException, InterruptedException {
        shareCluster();

        // The process of the cluster, and an agent of each of its two nodes. Other processes may end while grep looks.
        String mapped = "for archive in nodepath nodepath-agent; do"
                + " grep -ls \"/$archive.jsa\" /proc/[0-9]*/maps | wc -l; done";
        assertThat(nodepath.ask("exec", "n1", "--", "bash", "-c", mapped).output())
                .isEqualTo("1\n2\n");
    }

    @Test
    @Order(2)
    void showsTheClusterRunsCommandsInItAndEndsIt() throws IOException, InterruptedException {
        shareCluster();

        assertThat(nodepath.run("status").output())
                .contains("cluster default in /", "n1", "web-1", "userspace", "default/web");
        assertThat(nodepath.ask("exec", "client-1", "--", "ip", "-4", "-o", "addr", "show", "eth0")
                        .output())
                .contains("10.244.1.");
        assertThat(nodepath.ask("exec", "n1", "--", "nft", "list", "tables").output())
                .contains("nodepath-portals");
        assertThat(nodepath.ask("exec", "n1", "--", "ip", "netns", "list").output())
                .contains("n2", "switch");
        assertThat(nodepath.ask("exec", "switch", "--", "ip", "-br", "link").output())
                .contains("sw0");
        assertThat(nodepath.run("exec", "web-1", "--", "sh", "-c", "exit 7").exitCode())
                .isEqualTo(7);
        assertThat(nodepath.ask("exec", "client", "--", "cat", "/proc/1/cmdline")
                        .output())
                .contains("enclosed-cluster");

        assertThat(nodepath.ask("exec", "web-1", "--", "cat", "/etc/hostname").output())
                .isEqualTo("web-1\n");
        assertThat(nodepath.ask("logs", "web-1").output()).contains("listening on port 8080");
        assertThat(nodepath.ask("logs", "n1").output()).contains("proxy.synced");
        assertThat(nodepath.ask("status", "-o", "json").output())
                .contains("\"name\" : \"web-1\"", "\"cluster\" : \"default\"", "\"folder\" : \"");

        NodepathScript.Result unknown = nodepath.run("exec", "nobody", "--", "true");
        assertThat(unknown.exitCode()).isEqualTo(2);
        assertThat(unknown.output())
                .contains("\"nobody\" (expected: one of [client, client-1,")
                .hasLineCount(1);
        NodepathScript.Result twice = nodepath.run("up");
        assertThat(twice.exitCode()).isEqualTo(1);
        assertThat(twice.output())
                .contains(
                        "the cluster \"default\" is already running",
                        "(expected: run '" + nodepath.program() + " down' first, or another --name)");
        assertThat(nodepath.ask("exec", "web_1", "--", "true").output()).contains("; did you mean web-1");
        assertThat(nodepath.run("exec", "-c", "other", "web-1", "--", "true").output())
                .isEqualTo("nodepath: --container: \"other\" (expected: one of [server])\n");
        assertThat(nodepath.ask("logs", "-c", "other", "web-1").output())
                .isEqualTo("nodepath: --container: \"other\" (expected: one of [server])\n");
        assertThat(nodepath.run("logs", "--previous", "web-1").output())
                .isEqualTo(
                        "nodepath: --previous: web-1 has no run before this one (expected: one that has restarted)\n");
        assertThat(nodepath.ask("logs", "web_1").output()).contains("; did you mean web-1");

        assertThat(nodepath.run("down").output()).isEqualTo("the cluster has ended\n");
        endCluster();
        assertThat(nodepath.run("down").output()).isEqualTo("no cluster \"default\" is running: nothing to end\n");
    }

    @Test
    @Order(1)
    void aSignalToExecEndsItsCommand() throws IOException, InterruptedException {
        shareCluster();
        Path output = Files.createTempFile(folder, "exec", ".txt");
        Process exec = nodepath.start(output, "exec", "n1", "--", "sh", "-c", "echo begun; exec sleep 54321");
        Eventually.isTrue("the command runs", () -> Files.readString(output).contains("begun"));

        exec.destroy();

        Eventually.isTrue(
                () -> NodepathScript.clusterProcesses().toString(),
                () -> NodepathScript.clusterProcesses().stream().noneMatch(command -> command.contains("sleep 54321")));
        assertThat(exec.waitFor()).isEqualTo(143);
    }

    @Test
    @Order(3)
    void ofTwoThatStartAtOnceOneStartsAndRunsCommandsThatItsTopologyNames() throws Exception {
        endCluster();
        Path topology = Files.writeString(folder.resolve("mine.yaml"), """
                apiVersion: v1
                kind: Node
                metadata: {name: alone}
                spec: {podCIDR: 10.10.0.0/24}
                status: {addresses: [{type: InternalIP, address: 192.168.7.1}]}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: worker, labels: {app: worker}}
                spec:
                  nodeName: alone
                  containers: [{name: main, image: none, command: [sh, -c], args: ["echo started >&2; exec sleep 1000"]}]
                ---
                apiVersion: v1
                kind: Service
                metadata: {name: worker}
                spec: {clusterIP: 10.96.0.20, selector: {app: worker}, ports: [{port: 80}]}
                """);
        Path first = Files.createTempFile(folder, "first", ".txt");
        Path second = Files.createTempFile(folder, "second", ".txt");
        Process one = nodepath.start(first, "up", topology.toString());
        Process other = nodepath.start(second, "up", topology.toString());

        List<Integer> exitCodes = List.of(one.waitFor(), other.waitFor());
        String output = Files.readString(first) + Files.readString(second);
        assertThat(exitCodes).as(output).containsExactlyInAnyOrder(0, 1);
        assertThat(output).containsAnyOf("a cluster is already starting", "is already running");
        assertThat(nodepath.ask("logs", "worker").output()).isEqualTo("started\n");
        assertThat(nodepath.ask("status").output()).containsPattern("default/worker +10.96.0.20 +80/tcp +worker");
    }

    @Test
    @Order(4)
    void aCommandThatNeedsAClusterSaysHowToStartOne() throws IOException, InterruptedException {
        endCluster();
        NodepathScript.Result without = nodepath.run("trace", "client-1", "web:80");
        assertThat(without.exitCode()).isEqualTo(1);
        assertThat(without.output())
                .startsWith("nodepath: no cluster \"default\" is running in /")
                .endsWith(" (expected: run '" + nodepath.program() + " up' first)\n");
    }

    @Test
    @Order(5)
    void createsNothingForATopologyThatIsWrong() throws IOException, InterruptedException {
        endCluster();
        Path topology =
                Files.writeString(folder.resolve("broken.yaml"), "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n");

        NodepathScript.Result up = nodepath.run("up", topology.toString());

        assertThat(up.exitCode()).isEqualTo(2);
        assertThat(up.output())
                .contains(
                        "broken.yaml: line 1: document 1: Node n1: status.addresses: [] (expected: an IPv4 address of type InternalIP first,"
                                + " and at most one of IPv6)")
                .hasLineCount(1);
        assertThat(nodepath.run("up", folder.resolve("none.yaml").toString()).output())
                .contains("none.yaml: no such file or folder (expected: manifests)");
        assertThat(NodepathScript.clusterProcesses()).isEmpty();
    }
}
