package dev.nodepath.emulator.enclosure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.nodepath.agent.options.CommandException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PreflightTest {
    private static final List<String> ALL_TOOLS = List.of(
            "unshare",
            "nsenter",
            "setsid",
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
        for (String tool : ALL_TOOLS.subList(0, 6)) {
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

    /** With no folder of the system on the path, the tools are those that a test put there. */
    private CommandException check() {
        Preflight preflight = new Preflight(
                folder.toString(), List.of(folder.resolve("unshare").toString()));
        return catchThrowableOfType(CommandException.class, preflight::check);
    }

    /** A tool that does nothing. */
    private void install(String tool, int exitCode) throws IOException {
        Path file = Files.writeString(folder.resolve(tool), "#!/bin/sh\nexit " + exitCode + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
