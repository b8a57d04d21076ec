package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files that {@code page --replay} refuses. */
class ReplayCommandTest {
    @TempDir
    private Path folder;

    @Test
    void saysWhatIsWrongWithAFileOrAnAddress() throws Exception {
        NodepathScript nodepath = new NodepathScript(folder);
        Path file = Files.writeString(folder.resolve("notes.txt"), "hello\n");

        assertThat(nodepath.run("page", "--replay", file.toString()))
                .satisfies(result -> assertThat(result.exitCode()).isEqualTo(2))
                .satisfies(result -> assertThat(result.output())
                        .contains(file + ": line 1: no JSON (expected: an object on each line of a recording)"));
        assertThat(nodepath.run("page", "--replay", folder.resolve("nowhere").toString())
                        .output())
                .contains("nowhere: no such file");
        assertThat(nodepath.run("page", "--replay", file.toString(), "0.0.0.0").output())
                .contains("ADDRESS: \"0.0.0.0\" (expected with --replay: one of loopback)");
    }
}
