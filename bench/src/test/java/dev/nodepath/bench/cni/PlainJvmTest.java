package dev.nodepath.bench.cni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The floor of a call in a JVM of its own, with an installed copy of the plugin's launcher. */
class PlainJvmTest {
    private static final Path LAUNCHER =
            Path.of(System.getProperty("nodepath.home", ".."), "scripts", "nodepath-bridge");

    @TempDir
    private Path folder;

    private Path installed = Path.of("");

    @BeforeEach
    void install() throws IOException {
        Path bin = Files.createDirectories(folder.resolve("plugin/bin"));
        installed = Files.copy(LAUNCHER, bin.resolve("nodepath-bridge-jvm"), StandardCopyOption.COPY_ATTRIBUTES);
        Files.createDirectories(folder.resolve("plugin/lib"));
    }

    @Test
    void hasTheLaunchersFlagsAndPrintsItsVersion() throws Exception {
        Files.createFile(folder.resolve("plugin/lib/cni-bridge-1.jar"));
        PluginContender java = PlainJvm.of(installed, folder.resolve("jdk"));
        assertThat(java.command())
                .contains("-Xlog:disable", "-XX:TieredStopAtLevel=1", "-Djnr.ffi.asm.enabled=false")
                .doesNotContain("dev.nodepath.cni.Main")
                .endsWith("-version");
        assertThat(java.call("", "", "", "")).isPositive();
    }

    @Test
    void aLauncherThatDoesNotStartIsNamedWithItsReason() {
        assertThatThrownBy(() -> PlainJvm.of(installed, folder.resolve("jdk")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(installed.toString())
                .hasMessageContaining("no jars in ");
    }
}
