package dev.nodepath.linux.nftables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NftValueTest {
    @Test
    void addressesInARowHaveDifferentHashes() {
        long hashes = IntStream.range(0, 50_000)
                .map(i ->
                        NftValue.of(IpAddress.parse("10.0.0.0").plus(i), 6, 80).hashCode())
                .distinct()
                .count();
        assertThat(hashes).isGreaterThan(49_000);
    }

    @Test
    void unitesNetworksAsNftDoes() {
        assertThat(united("10.0.0.0/8", "10.1.0.0/16")).isEqualTo("[10.0.0.0/8]");
        assertThat(united("10.0.0.128/25", "10.0.0.0/25")).isEqualTo("[10.0.0.0/24]");
        assertThat(united("10.0.1.0/25", "10.0.0.128/25")).isEqualTo("[10.0.0.128/25, 10.0.1.0/25]");
        assertThat(united("10.0.0.1/32", "10.0.0.0/32", "10.0.0.1/32")).isEqualTo("[10.0.0.0/32, 10.0.0.1/32]");
        assertThat(united("255.255.255.255/32", "0.0.0.0/0")).isEqualTo("[0.0.0.0/0]");
        assertThat(united("ff00::/8", "::/1")).isEqualTo("[::/1, ff00::/8]");
    }

    private static String united(String... networks) {
        return new NftStatement.AddressIn(
                        NftField.SOURCE_ADDRESS,
                        List.of(networks).stream().map(Cidr::parse).toList(),
                        false)
                .networks()
                .toString();
    }
}
