package dev.nodepath.linux.address;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AddressRangeTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "10.0.0.0/8 | 10.1.0.0/16 | 10.0.0.0-10.0.255.255 10.2.0.0-10.255.255.255",
                "0.0.0.0/0 | 0.0.0.0/1 | 128.0.0.0-255.255.255.255",
                "0.0.0.0/0 | 255.255.255.255/32 | 0.0.0.0-255.255.255.254",
                "::/0 | ::/128 ffff::/16 | ::1-fffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
                "10.0.0.0/8 | 10.0.0.0/8 | ''",
                "10.0.0.0/8 | 0.0.0.0/0 | ''",
                "10.0.0.0/8 | 11.0.0.0/8 9.0.0.0/8 | 10.0.0.0-10.255.255.255",
                "10.0.0.0/24 | 10.0.0.128/25 10.0.0.0/26 10.0.0.0/27 | 10.0.0.64-10.0.0.127"
            })
    void leavesOut(String network, String excepts, String expected) {
        List<Cidr> networks = Stream.of(excepts.split(" ")).map(Cidr::parse).toList();

        assertThat(AddressRange.without(Cidr.parse(network), networks).stream()
                        .map(range -> range.first() + "-" + range.last()))
                .containsExactly(expected.isEmpty() ? new String[0] : expected.split(" "));
    }

    /** A range costs as much as an exception, whatever its size. */
    @Test
    void holdsEachAddressThatNoExceptionHas() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Cidr all = Cidr.parse("10.0.0.0/24");
        for (int i = 0; i < 500; i++) {
            List<Cidr> excepts = Stream.generate(
                            () -> new Cidr(all.address().plus(random.nextInt(256)), 24 + random.nextInt(9)).network())
                    .limit(random.nextInt(6))
                    .toList();
            List<AddressRange> rest = AddressRange.without(all, excepts);
            assertThat(rest).hasSizeLessThanOrEqualTo(excepts.size() + 1);
            for (int host = 0; host < 256; host++) {
                IpAddress address = all.address().plus(host);
                assertThat(rest.stream().anyMatch(range -> range.contains(address)))
                        .as("seed %d: %s without %s has %s", seed, all, excepts, address)
                        .isEqualTo(excepts.stream().noneMatch(except -> except.contains(address)));
            }
        }
    }
}
