package dev.nodepath.agent.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PolicyMarkTest {
    private static final String CONF = "/etc/cni/net.d";

    private final PolicyMark mark;

    PolicyMarkTest(@TempDir Path root) {
        mark = new PolicyMark(new HostFolders(root, Path.of("/opt/nodepath"), Path.of("/opt/cni/bin"), Path.of(CONF)));
    }

    @Test
    void saysWhetherClusterNetworkPoliciesWereInForce() throws Exception {
        assertThat(mark.hasClusterPolicies()).isFalse();
        mark.put(true);
        assertThat(mark.hasClusterPolicies()).isTrue();
        mark.put(false);
        assertThat(mark.path()).exists();
        assertThat(mark.hasClusterPolicies()).isFalse();
        mark.put(true);
        mark.remove();
        assertThat(mark.path()).doesNotExist();
        assertThat(mark.hasClusterPolicies()).isFalse();
    }

    @Test
    void isNotWrittenAgainWithoutNeed() throws Exception {
        mark.put(true);
        Object written = Files.getAttribute(mark.path(), "unix:ino");
        mark.put(true);
        assertThat(Files.getAttribute(mark.path(), "unix:ino")).isEqualTo(written);
    }

    /** A link to itself cannot be read by any user. */
    @Test
    void countsWithAllPoliciesWhereItCannotBeRead() throws Exception {
        mark.put(false);
        Files.delete(mark.path());
        Files.createSymbolicLink(mark.path(), mark.path());
        assertThat(mark.hasClusterPolicies()).isTrue();
        mark.put(false);
        assertThat(Files.isRegularFile(mark.path(), LinkOption.NOFOLLOW_LINKS)).isTrue();
        assertThat(mark.hasClusterPolicies()).isFalse();
    }

    @Test
    void namesTheOptionOfItsFolder() throws Exception {
        mark.put(false);
        mark.remove();
        Path conf = mark.path().resolveSibling(".").normalize();
        Files.delete(conf);
        Files.createFile(conf);
        assertThatThrownBy(() -> mark.put(false))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("--cni-conf-dir")
                .hasMessageContaining(CONF);
    }
}
