package dev.nodepath.agent.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PluginRemovalTest {
    private static final String CONFLIST = "etc/cni/net.d/10-nodepath.conflist";

    @TempDir
    private Path folder;

    private HostFolders folders() {
        return new HostFolders(
                folder.resolve("host"), Path.of("/opt/nodepath"), Path.of("/opt/cni/bin"), Path.of("/etc/cni/net.d"));
    }

    private Path write(String path) throws IOException {
        Path file = folder.resolve(path);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, file.getFileName().toString());
    }

    /** Two versions, one of them incomplete, and the other files between them. */
    @BeforeEach
    void install() throws IOException {
        for (String file : List.of("bin/nodepath-bridge", "bin/nodepath-bridge-jvm", "bin/archive")) {
            write("image/" + file);
        }
        write("image/lib/native/jni/x86_64-Linux/libjffi-1.2.so");
        write("image/runtime/bin/java");
        Files.createDirectories(folder.resolve("host"));
        for (String version : List.of("1.2", "1.3")) {
            PluginFiles files = PluginFiles.of(folder.resolve("image/bin"), folder.resolve("image/runtime"));
            new PluginInstallation(folders(), files, version, InstantSource.system()).install();
        }
        new ConflistFile(folders()).write("{}");
        write("host/etc/cni/net.d/.10-nodepath.conflist.nodepath-new");
        write("host/opt/cni/bin/.nodepath-bridge.nodepath-new");
        write("host/opt/nodepath/.nodepath-staging-1.4-0123456789ab/lib/some.jar");
    }

    private List<String> host() throws IOException {
        Path host = folder.resolve("host");
        try (Stream<Path> tree = Files.walk(host)) {
            return tree.filter(path -> !Files.isDirectory(path))
                    .map(path -> host.relativize(path).toString())
                    .sorted()
                    .toList();
        }
    }

    @Test
    void leavesWhatIsOthersAndNothingElse() throws Exception {
        write("host/etc/cni/net.d/87-podman.conflist");
        write("host/opt/cni/bin/portmap");
        write("host/opt/nodepath/somebodys-0123456789ab/file");
        for (int i = 0; i < 2; i++) {
            new PluginRemoval(folders()).remove();
            assertThat(host())
                    .containsExactly(
                            "etc/cni/net.d/87-podman.conflist",
                            "opt/cni/bin/portmap",
                            "opt/nodepath/somebodys-0123456789ab/file");
        }
    }

    @Test
    void leavesNoFolderOfItsOwn() throws Exception {
        new PluginRemoval(folders()).remove();
        assertThat(folder.resolve("host/opt/nodepath")).doesNotExist();
        assertThat(folder.resolve("host/opt/cni/bin")).exists();
    }

    @Test
    void worksOnANodeThatHasNothing() throws Exception {
        Path bare = Files.createDirectories(folder.resolve("bare"));
        HostFolders folders = folders();
        new PluginRemoval(new HostFolders(bare, folders.install(), folders.bin(), folders.conf())).remove();
        assertThat(bare).isEmptyDirectory();
    }

    /** The runtime would call for a plugin that is gone. */
    @Test
    void leavesThePluginWhereTheConfigurationStays() throws Exception {
        Path conflist = folder.resolve("host").resolve(CONFLIST);
        Files.delete(conflist);
        write("host/" + CONFLIST + "/file");
        List<String> before = host();
        assertThatThrownBy(() -> new PluginRemoval(folders()).remove())
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("--cni-conf-dir " + conflist.getParent() + ": ");
        assertThat(host())
                .containsAll(before.stream()
                        .filter(file -> !file.endsWith(".nodepath-new"))
                        .toList());
    }
}
