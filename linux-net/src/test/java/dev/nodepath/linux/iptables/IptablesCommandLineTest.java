package dev.nodepath.linux.iptables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.linux.address.IpFamily;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How the commands are called, with scripts in their place. */
class IptablesCommandLineTest {
    @TempDir
    private Path directory;

    private Iptables iptables(IpFamily family) {
        return new IptablesCommand(
                family, Optional.empty(), new ProgramPath(List.of(directory)), new TableWatch.Blind());
    }

    private void script(String name, String body) throws IOException {
        Path file = directory.resolve(name);
        Files.writeString(file, "#!/bin/sh\n" + body);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @Test
    void saysWhichPackageIsMissing() {
        assertThatThrownBy(() -> iptables(IpFamily.IPV4).restore(""))
                .isInstanceOf(IptablesException.class)
                .hasMessage("iptables-restore: not found on PATH (expected: Debian package iptables)");
        assertThatThrownBy(() -> iptables(IpFamily.IPV6).save(Table.NAT))
                .isInstanceOf(IptablesException.class)
                .hasMessage("ip6tables-save: not found on PATH (expected: Debian package iptables)");
    }

    @Test
    void restoresWithoutFlushingAndWaitsForTheLock() throws IOException {
        script("ip6tables-restore", "echo \"$@\" > " + directory + "/arguments; cat > " + directory + "/input\n");
        iptables(IpFamily.IPV6).restore("*nat\nCOMMIT\n");
        assertThat(directory.resolve("arguments")).hasContent("--noflush -w 5");
        assertThat(directory.resolve("input")).hasContent("*nat\nCOMMIT\n");
    }

    @Test
    void savesOneTableAndLeavesWarningsOut() throws IOException {
        script("iptables-save", "echo \"*$2\"; echo '# Warning: legacy tables present' >&2\n");
        assertThat(iptables(IpFamily.IPV4).save(Table.FILTER)).isEqualTo("*filter\n");
    }

    /** Its state is for one thread, such as the version that it remembers. */
    @Test
    void aCommandForAnotherThreadRunsTheSameProgramsAndSharesNothing() throws IOException {
        script("iptables-save", "echo \"$@\"\n");
        script("iptables", "echo run >> " + directory + "/versions; echo 'iptables v1.8.9 (nf_tables)'\n");
        IptablesCommand one = new IptablesCommand(
                IpFamily.IPV4, Optional.empty(), new ProgramPath(List.of(directory)), new TableWatch.Blind());
        IptablesCommand other = one.forAnotherThread();
        assertThat(other.saveWithCounters(Table.NAT)).isEqualTo("-c -t nat\n");
        assertThat(other.version()).isEqualTo(one.version());
        assertThat(directory.resolve("versions")).hasContent("run\nrun");
        assertThat(other.changesByOthers()).isEmpty();
    }

    @Test
    void tellsWhatTheCommandSaid() throws IOException {
        script("iptables-restore", "echo 'iptables-restore: line 2 failed' >&2; exit 1\n");
        assertThatThrownBy(() -> iptables(IpFamily.IPV4).restore("*nat\n-A X -j Y\nCOMMIT\n"))
                .isInstanceOf(IptablesException.class)
                .hasMessage("iptables-restore: exit code 1: line 2 failed: line 2 is \"-A X -j Y\"");
    }

    /** The call does not wait for it either if it ignores that its reader is gone. */
    @Test
    void endsACommandThatListsForever() throws IOException {
        script("iptables-save", "trap '' PIPE; while true; do yes 2> /dev/null; done\n");
        assertThatThrownBy(() -> iptables(IpFamily.IPV4).tables())
                .isInstanceOf(IptablesException.class)
                .hasMessage("iptables-save: wrote more than " + Subprocess.OUTPUT_LIMIT_BYTES + " bytes");
    }
}
