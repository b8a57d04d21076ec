package dev.nodepath.proxy.nftables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.IptablesNamespace;
import dev.nodepath.linux.nftables.NftTables;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code nft} lists the tables that we write as it lists kube-proxy's, and loads its own listing again. */
@Tag("netns")
class NftRecordingNetnsTest {
    @ParameterizedTest
    @MethodSource("dev.nodepath.proxy.nftables.NftRecording#all")
    void leavesTheSameTablesAsKubeProxy(NftRecording recording, @TempDir Path folder) throws Exception {
        try (IptablesNamespace namespace = IptablesNamespace.create();
                IptablesNamespace other = IptablesNamespace.create();
                NftTables nft = namespace.opened().call(new KernelLinuxNet()::nftTables)) {
            new NftablesProxy(recording.config(), List.of(IpFamily.values()), nft, true, List::of)
                    .sync(recording.snapshot(), ChangeSet.NONE);
            for (IpFamily family : IpFamily.values()) {
                String table = NftablesRules.table(family).toString();
                String listing = list(namespace, table);
                assertThat(NftListing.comparable(listing))
                        .as("%s %s", recording, family)
                        .isEqualTo(NftListing.comparable(recording.listing(family)));
                Path file = Files.writeString(folder.resolve("rules"), listing);
                other.run("nft", "-f", file.toString());
                assertThat(NftListing.comparable(list(other, table)))
                        .as("%s %s, loaded again", recording, family)
                        .isEqualTo(NftListing.comparable(listing));
            }
            assertThat(namespace.run("nft", "-j", "list", "ruleset")).contains("service-ips");
        }
    }

    private static String list(IptablesNamespace namespace, String table) throws Exception {
        String[] words = table.split(" ", -1);
        return namespace.run("nft", "-s", "list", "table", words[0], words[1]);
    }
}
