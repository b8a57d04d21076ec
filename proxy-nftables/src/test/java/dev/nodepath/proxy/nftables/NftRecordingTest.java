package dev.nodepath.proxy.nftables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftText;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares our tables as text with kube-proxy's, without a kernel. */
class NftRecordingTest {
    @ParameterizedTest
    @MethodSource("dev.nodepath.proxy.nftables.NftRecording#all")
    void writesTheTablesOfKubeProxy(NftRecording recording) throws Exception {
        for (IpFamily family : IpFamily.values()) {
            String text = NftText.table(recording.table(family, false));
            assertThat(NftListing.comparable(text))
                    .as("%s %s", recording, family)
                    .isEqualTo(NftListing.comparable(recording.listing(family)));
        }
    }
}
