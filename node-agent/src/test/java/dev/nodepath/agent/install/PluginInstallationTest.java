package dev.nodepath.agent.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PluginInstallationTest {
    private static final Instant NOW = Instant.parse("2026-11-20T20:00:00Z");

    @TempDir
    private Path folder;

    @BeforeEach
    void image() throws IOException {
        for (String program : List.of("nodepath-bridge", "nodepath-bridge-jvm", "archive")) {
            Path file = write("image/bin/" + program, program);
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        write("image/lib/cni-bridge-1.jar", "plugin");
        write("image/lib/linux-net-1.jar", "net");
        write("image/lib/jffi-1.jar", "native");
        write("image/lib/node-agent-1.jar", "not for the plugin");
        write("image/lib/native/jni/x86_64-Linux/libjffi-1.2.so", "library");
        write("image/runtime/bin/java", "java");
        write("image/runtime/lib/modules", "modules");
        write("image/runtime/legal/java.base/LICENSE", "text");
        Files.createDirectories(folder.resolve("host"));
    }

    private Path write(String path, String text) throws IOException {
        Path file = folder.resolve(path);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    private PluginInstallation installation(Instant now) throws IOException {
        HostFolders folders = new HostFolders(
                folder.resolve("host"), Path.of("/opt/nodepath"), Path.of("/opt/cni/bin"), Path.of("/etc/cni/net.d"));
        PluginFiles files = PluginFiles.of(folder.resolve("image/bin"), folder.resolve("image/runtime"));
        return new PluginInstallation(folders, files, "1.2", InstantSource.fixed(now));
    }

    private Path host(Path onHost) {
        return folder.resolve("host").resolve(Path.of("/").relativize(onHost));
    }

    private List<String> versions() throws IOException {
        try (Stream<Path> all = Files.list(host(Path.of("/opt/nodepath")))) {
            return all.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void putsAllThatThePluginNeedsOnTheNode() throws Exception {
        PluginInstallation.Installed done = installation(NOW).install();

        assertThat(done.changed()).isTrue();
        assertThat(done.version().toString()).startsWith("/opt/nodepath/1.2-");
        Path version = host(done.version());
        try (Stream<Path> tree = Files.walk(version)) {
            assertThat(tree.filter(Files::isRegularFile)
                            .map(file -> version.relativize(file).toString())
                            .sorted())
                    .containsExactly(
                            "bin/archive",
                            "bin/nodepath-bridge",
                            "bin/nodepath-bridge-jvm",
                            "jre/bin/java",
                            "jre/lib/modules",
                            "lib/cni-bridge-1.jar",
                            "lib/jffi-1.jar",
                            "lib/linux-net-1.jar",
                            "lib/native/jni/x86_64-Linux/libjffi-1.2.so");
        }
        assertThat(Files.readSymbolicLink(host(Path.of("/opt/nodepath/current"))))
                .isEqualTo(done.version().getFileName());
        Path client = host(Path.of("/opt/cni/bin/nodepath-bridge"));
        assertThat(client).hasContent("nodepath-bridge").isExecutable();
        assertThat(Files.readSymbolicLink(host(Path.of("/opt/cni/bin/nodepath-bridge-jvm"))))
                .isEqualTo(Path.of("/opt/nodepath/current/bin/nodepath-bridge-jvm"));
    }

    @Test
    void touchesNothingThatIsThere() throws Exception {
        Path version = host(installation(NOW).install().version());
        Path jar = version.resolve("lib/cni-bridge-1.jar");
        Path client = host(Path.of("/opt/cni/bin/nodepath-bridge"));
        for (Path file : List.of(jar, client)) {
            Files.setLastModifiedTime(file, FileTime.from(Instant.EPOCH));
        }
        assertThat(installation(NOW).install().changed()).isFalse();
        assertThat(Files.getLastModifiedTime(jar).toInstant()).isEqualTo(Instant.EPOCH);
        assertThat(Files.getLastModifiedTime(client).toInstant()).isEqualTo(Instant.EPOCH);
    }

    @Test
    void mendsWhatAPowerCutLeft() throws Exception {
        Path version = host(installation(NOW).install().version());
        Files.writeString(version.resolve("lib/cni-bridge-1.jar"), "");
        Files.delete(version.resolve("jre/lib/modules"));
        Files.createDirectories(host(Path.of("/opt/nodepath/.nodepath-staging-1.2-0123456789ab/lib")));

        assertThat(installation(NOW).install().changed()).isFalse();
        assertThat(version.resolve("lib/cni-bridge-1.jar")).hasContent("plugin");
        assertThat(version.resolve("jre/lib/modules")).hasContent("modules");
        assertThat(versions()).containsExactly(version.getFileName().toString(), "current");
    }

    @Test
    void keepsTheReplacedVersionWhileItMayRunAndNothingOfOthers() throws Exception {
        Path old = installation(NOW).install().version();
        write("host/opt/nodepath/somebodys-0123456789ab/file", "");
        write("image/lib/cni-bridge-1.jar", "plugim"); // the same size, other content
        Instant later = NOW.plus(Duration.ofDays(30));
        PluginInstallation.Installed done = installation(later).install();

        assertThat(done.changed()).isTrue();
        assertThat(done.version()).isNotEqualTo(old);
        assertThat(Files.readSymbolicLink(host(Path.of("/opt/nodepath/current"))))
                .isEqualTo(done.version().getFileName());
        assertThat(versions()).contains(old.getFileName().toString());
        assertThat(installation(later.plus(PluginInstallation.KEPT).minusSeconds(1))
                        .install()
                        .changed())
                .isFalse();
        assertThat(versions()).contains(old.getFileName().toString());
        installation(later.plus(PluginInstallation.KEPT).plusSeconds(1)).install();
        assertThat(versions())
                .doesNotContain(old.getFileName().toString())
                .contains(done.version().getFileName().toString(), "somebodys-0123456789ab");
    }

    /** A copy of it would look for Java and jars in the runtime's folder. */
    @Test
    void linksALauncherThatStandsForTheClient() throws Exception {
        Path client = host(Path.of("/opt/cni/bin/nodepath-bridge"));
        String compiled = Files.readString(folder.resolve("image/bin/nodepath-bridge"));
        for (int i = 0; i < 2; i++) {
            write("image/bin/nodepath-bridge", "nodepath-bridge-jvm");
            installation(NOW).install();
            assertThat(Files.readSymbolicLink(client))
                    .isEqualTo(Path.of("/opt/nodepath/current/bin/nodepath-bridge-jvm"));
            write("image/bin/nodepath-bridge", compiled);
            installation(NOW).install();
            assertThat(Files.isSymbolicLink(client)).isFalse();
            assertThat(client).hasContent(compiled).isExecutable();
        }
    }

    /**
     * The client may run while it is replaced: the new client is another file, not other bytes in the same file.
     */
    @Test
    void replacesTheClientByRenaming() throws Exception {
        installation(NOW).install();
        Path client = host(Path.of("/opt/cni/bin/nodepath-bridge"));
        Object inode = Files.getAttribute(client, "unix:ino");
        write("image/bin/nodepath-bridge", "next");
        installation(NOW).install();
        assertThat(client).hasContent("next").isExecutable();
        assertThat(Files.getAttribute(client, "unix:ino")).isNotEqualTo(inode);
    }

    @Test
    void namesTheFolderThatCannotBeWritten() throws Exception {
        write("host/opt/cni", "a file where a folder should be");
        assertThatThrownBy(() -> installation(NOW).install())
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("--cni-bin-dir " + host(Path.of("/opt/cni/bin")) + ": ")
                .hasMessageEndingWith("(expected: a writable folder of the node)");
        Files.delete(folder.resolve("image/bin/nodepath-bridge"));
        assertThatThrownBy(() -> installation(NOW))
                .hasMessageContaining("nodepath-bridge")
                .hasMessageContaining("not found (expected: an installed image, or scripts/build)");
    }
}
