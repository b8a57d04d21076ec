package dev.nodepath.agent.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.agent.cluster.Notices;
import dev.nodepath.agent.install.HostFolders;
import dev.nodepath.agent.install.PolicyMark;
import dev.nodepath.agent.parts.OneRound;
import dev.nodepath.linux.FakeNftTables;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.policy.PolicyFrame;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Leftovers of policies after the last one. */
class PolicyPartTest {
    private final FakeNftTables nft = new FakeNftTables();
    private final OneRound running = new OneRound();
    private final PolicyMark mark;

    PolicyPartTest(@TempDir Path root) throws Exception {
        mark = new PolicyMark(
                new HostFolders(root, Path.of("/opt/nodepath"), Path.of("/opt/cni/bin"), Path.of("/etc/cni/net.d")));
        mark.put(false);
        for (IpFamily family : IpFamily.values()) {
            nft.changeAsAnother(new NftChange.AddTable(PolicyFrame.table(family)));
        }
    }

    private boolean removeAll() {
        List<String> standing = PolicyPart.removeTables(nft);
        return PolicyPart.removeMark(standing, mark, new Notices("n1", InstantSource.system()), running);
    }

    @Test
    void aTableThatCannotBeRemovedIsToldAndTheRestGoes() throws Exception {
        nft.refuse(change -> change.equals(new NftChange.DeleteTable(PolicyFrame.table(IpFamily.IPV4))), Errno.EPERM);
        assertThat(removeAll()).isFalse();
        assertThat(nft.read(PolicyFrame.table(IpFamily.IPV4))).isPresent();
        assertThat(nft.read(PolicyFrame.table(IpFamily.IPV6))).isEmpty();
        assertThat(mark.path()).doesNotExist();
        assertThat(running.isUp()).isFalse();
        assertThat(running.waitsFor()).contains("still refuses packets: IPv4 ").contains("EPERM");

        nft.refuse(change -> false);
        assertThat(removeAll()).isTrue();
        assertThat(nft.read(PolicyFrame.table(IpFamily.IPV4))).isEmpty();
        assertThat(running.isUp()).isTrue();
    }

    @Test
    void aMarkThatCannotBeRemovedIsTriedAgainAndThePartIsUp() throws Exception {
        mark.remove();
        Path within = Files.createDirectories(mark.path().resolve("a file of others"));
        assertThat(removeAll()).isFalse();
        assertThat(running.isUp()).isTrue();
        Files.delete(within);
        assertThat(removeAll()).isTrue();
        assertThat(mark.path()).doesNotExist();
    }
}
