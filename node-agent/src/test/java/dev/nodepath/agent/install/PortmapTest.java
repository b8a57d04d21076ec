package dev.nodepath.agent.install;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PortmapTest {
    @TempDir
    private Path folder;

    private Portmap portmap() {
        return new Portmap(new HostFolders(folder, Path.of("/opt/nodepath"), Path.of("/bin"), Path.of("/conf")));
    }

    private void program(String script) throws IOException {
        Files.createDirectories(folder.resolve("bin"));
        Path program = Files.writeString(folder.resolve("bin/portmap"), "#!/bin/sh\n" + script);
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @Test
    void asksForItsVersions() throws Exception {
        assertThat(portmap().versions()).isEmpty();
        program(
                "test \"$CNI_COMMAND\" = VERSION && echo '{\"cniVersion\":\"1.1.0\",\"supportedVersions\":[\"0.4.0\",\"1.1.0\"]}'");
        assertThat(portmap().versions().orElseThrow()).containsExactly("0.4.0", "1.1.0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"exit 1", "echo nonsense", "echo '{}'", "kill -9 $$"})
    void takesTheUsualOnesIfItCannotBeAsked(String script) throws Exception {
        program(script);
        assertThat(portmap().versions().orElseThrow()).containsExactly("0.3.0", "0.3.1", "0.4.0", "1.0.0");
    }
}
