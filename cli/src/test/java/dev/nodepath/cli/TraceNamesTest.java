package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code trace FROM TO} on a running cluster tells the way of real requests. */
@Tag("netns")
class TraceNamesTest {
    @TempDir
    private Path folder;

    private NodepathScript nodepath = new NodepathScript(Path.of("/"));
    private boolean hasStarted;

    @BeforeEach
    void prepare() {
        nodepath = new NodepathScript(folder);
    }

    @AfterEach
    void endCluster() throws IOException, InterruptedException {
        if (hasStarted) {
            nodepath.down();
        }
    }

    @Test
    void followsTheOverlayBetweenNetworksInBothFamilies() throws IOException, InterruptedException {
        Path topology = Path.of(System.getProperty("nodepath.home"), "docs/topologies/two-networks.yaml");
        hasStarted = true;
        SharedCluster cluster =
                SharedCluster.up(folder, "--mode=userspace", "--keep-client-address", topology.toString());
        TracedRequests requests = new TracedRequests(nodepath);
        NodepathScript.Result unknown = nodepath.ask("trace", "nobody", "web:80");
        assertThat(unknown.exitCode()).isEqualTo(2);
        assertThat(unknown.output())
                .contains("FROM: \"nobody\" (expected: one of [")
                .hasLineCount(1);
        for (String mode : List.of("userspace", "nftables")) {
            cluster.whole(mode);
            requests.check("n1", "web:80", "10.96.0.20");
            requests.check("web-3", "web:80", "10.96.0.20");
            requests.check("n1", "[fd96::20]:80", "http://[fd96::20]");
            requests.check("web-3", "n1:30080", "172.30.0.11:30080");
            requests.check("n1", "web-3:http", requests.address("web-3") + ":8080");
        }
    }

    @Test
    void saysHowToStartACluster() throws IOException, InterruptedException {
        NodepathScript.Result without = nodepath.run("trace", "client-1", "web:80");
        assertThat(without.exitCode()).isEqualTo(1);
        assertThat(without.output())
                .startsWith("nodepath: no cluster \"default\" is running in /")
                .endsWith(" (expected: run '" + nodepath.program() + " up' first)\n");
    }
}
