package dev.nodepath.proxy.nftables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftText;
import dev.nodepath.proxy.nftables.rules.NftablesContext;
import dev.nodepath.proxy.nftables.rules.NftablesRules;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares our tables as text with kube-proxy's, without a kernel. */
class NftRecordingTest {
    @ParameterizedTest
    @MethodSource("dev.nodepath.proxy.nftables.NftRecording#all")
    void writesTheTablesOfKubeProxy(NftRecording recording) throws Exception {
        for (IpFamily family : IpFamily.values()) {
            NftablesContext context = NftablesContext.of(recording.snapshot(), recording.config(), family, false);
            String text = NftText.table(NftablesRules.of(recording.snapshot(), context));
            assertThat(NftListing.comparable(text))
                    .as("%s %s", recording, family)
                    .isEqualTo(NftListing.comparable(recording.listing(family)));
        }
    }
}
