package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("netns")
class RestartCommandTest {
    @TempDir
    private Path folder;

    /** The cluster is a process that sleeps, and its manifest is gone. */
    @Test
    void runsDownAndUpWithTheNameAndTheArgumentsOfTheRecord() throws Exception {
        Path missing = folder.resolve("is gone\n.yaml");
        Process cluster = new ProcessBuilder("sleep", "1000").start();
        try {
            ClusterFiles files = ClusterFiles.of(ClusterFilesTest.name("--name=again"));
            files.write(
                    new ClusterRecord(
                            cluster.pid(), cluster.info().startInstant().orElseThrow()),
                    List.of("--mode=nftables", missing.toString()));

            NodepathScript.Result restart = new NodepathScript(folder).run("restart", "--name=again");

            assertThat(restart.output())
                    .isEqualTo("the cluster has ended\nnodepath: "
                            + missing.toString().replace('\n', ' ')
                            + ": no such file or folder (expected: manifests)\n");
            assertThat(restart.exitCode()).isEqualTo(2);
            assertThat(cluster.isAlive()).isFalse();
            assertThat(files.folder()).doesNotExist();
        } finally {
            cluster.destroyForcibly();
        }
    }
}
