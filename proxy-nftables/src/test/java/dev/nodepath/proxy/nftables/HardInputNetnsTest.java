package dev.nodepath.proxy.nftables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.sync.ManyLimit;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftNamespace;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftText;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The kernel and {@code nft} take the tables of {@link HardInput} and of the recordings. */
@Tag("netns")
class HardInputNetnsTest {
    /** {@code nft} takes minutes for more. */
    private static final int CHAINS_MAX = 5000;

    @ParameterizedTest
    @MethodSource("dev.nodepath.proxy.nftables.HardInput#all")
    void kernelHasTheTable(HardInput input) throws Exception {
        try (NftNamespace namespace = NftNamespace.create()) {
            new NftablesProxy(HardInput.CONFIG, List.of(IpFamily.values()), namespace.tables(), true, List::of)
                    .sync(input.snapshot(), ChangeSet.NONE);
            for (IpFamily family : IpFamily.values()) {
                boolean many =
                        family == IpFamily.IPV4 && input.snapshot().services().size() > ManyLimit.MANY;
                assertThat(namespace.tables().read(NftablesRules.table(family)))
                        .as("%s %s", input, family)
                        .isEqualTo(Optional.of(input.table(family, many)));
            }
        }
    }

    @ParameterizedTest
    @MethodSource
    void nftLoadsTheTextAsTheSameTable(String name, NftTableState table) throws Exception {
        String text = NftText.table(table);
        try (NftNamespace namespace = NftNamespace.create()) {
            namespace.load(text);
            assertThat(NftText.table(namespace.tables().read(table.table()).orElseThrow()))
                    .as(name)
                    .isEqualTo(text);
        }
    }

    static Stream<Arguments> nftLoadsTheTextAsTheSameTable() throws Exception {
        Stream.Builder<Arguments> tables = Stream.builder();
        for (IpFamily family : IpFamily.values()) {
            for (boolean sharedMaps : List.of(false, true)) {
                HardInput.all()
                        .forEach(input -> tables.add(Arguments.of(
                                input + " " + family + (sharedMaps ? " with shared maps" : ""),
                                input.table(family, sharedMaps))));
                for (NftRecording recording : NftRecording.all().toList()) {
                    tables.add(Arguments.of(
                            recording + " " + family + (sharedMaps ? " with shared maps" : ""),
                            recording.table(family, sharedMaps)));
                }
            }
        }
        return tables.build()
                .filter(arguments ->
                        ((NftTableState) arguments.get()[1]).chains().size() <= CHAINS_MAX);
    }
}
