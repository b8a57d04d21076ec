package dev.nodepath.emulator.enclosure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.nodepath.agent.options.CommandException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PreflightTest {
    private static final List<String> ALL_TOOLS = List.of(
            "unshare",
            "nsenter",
            "setsid",
            "setpriv",
            "pivot_root",
            "ip",
            "mount",
            "iptables",
            "iptables-restore",
            "iptables-save",
            "ip6tables-restore",
            "ip6tables-save");

    @TempDir
    private Path folder;

    @Test
    void namesEachMissingToolAndItsPackage() throws IOException {
        for (String tool : ALL_TOOLS.subList(0, 8)) {
            install(tool, 0);
        }

        CommandException failure = check();

        assertThat(failure.exitCode()).isEqualTo(1);
        assertThat(failure.lines())
                .contains("iptables-restore: not found on PATH (expected: Debian package iptables)")
                .allMatch(line -> line.contains("ip"));
    }

    @Test
    void namesTheLackOfPermission() throws IOException {
        for (String tool : ALL_TOOLS) {
            install(tool, 1);
        }

        assertThat(check().lines())
                .singleElement()
                .asString()
                .startsWith(
                        "namespaces: not permitted (expected: root with CAP_SYS_ADMIN, or unprivileged user namespaces");
    }

    /** A busy machine must not look like a forbidding one. */
    @Test
    void namesAKernelThatIsSlow() throws IOException {
        for (String tool : ALL_TOOLS) {
            install(tool, 0);
        }
        install("unshare", "exec sleep 600");

        assertThat(check(Duration.ofMillis(10)).lines())
                .containsExactly("namespaces: the kernel has made none within 0 s (expected: at once; is the machine"
                        + " overloaded?)");
    }

    /** Without a system folder on the path, only a test's tools are there. */
    private CommandException check() {
        return check(Duration.ofSeconds(60));
    }

    private CommandException check(Duration unshareMax) {
        Preflight preflight = new Preflight(
                folder.toString(), List.of(folder.resolve("unshare").toString()), unshareMax);
        return catchThrowableOfType(CommandException.class, preflight::check);
    }

    /** A tool that does nothing. */
    private void install(String tool, int exitCode) throws IOException {
        install(tool, "exit " + exitCode);
    }

    private void install(String tool, String command) throws IOException {
        Path file = Files.writeString(folder.resolve(tool), "#!/bin/sh\n" + command + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
