package dev.nodepath.linux.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.math.BigInteger;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CidrTest {

    @ParameterizedTest
    @CsvSource({
        "10.244.1.7/24, 10.244.1.0/24, 10.244.1.255",
        "10.244.1.7/32, 10.244.1.7/32, 10.244.1.7",
        "10.244.1.7/31, 10.244.1.6/31, 10.244.1.7",
        "10.244.1.7/0, 0.0.0.0/0, 255.255.255.255",
        "10.244.1.7/9, 10.128.0.0/9, 10.255.255.255",
        "fd00:1:2:3:4:5:6:7/64, fd00:1:2:3::/64, fd00:1:2:3:ffff:ffff:ffff:ffff",
        "fd00:1:2:3:4:5:6:7/63, fd00:1:2:2::/63, fd00:1:2:3:ffff:ffff:ffff:ffff",
        "fd00:1:2:3:4:5:6:7/65, fd00:1:2:3::/65, fd00:1:2:3:7fff:ffff:ffff:ffff",
        "fd00:1:2:3:4:5:6:7/128, fd00:1:2:3:4:5:6:7/128, fd00:1:2:3:4:5:6:7",
        "fd00:1:2:3:4:5:6:7/0, ::/0, ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        "fd00:1:2:3:4:5:6:7/48, fd00:1:2::/48, fd00:1:2:ffff:ffff:ffff:ffff:ffff"
    })
    void knowsFirstAndLastAddress(String text, String network, String last) {
        Cidr cidr = Cidr.parse(text);
        assertThat(cidr).hasToString(text);
        assertThat(cidr.network()).hasToString(network);
        assertThat(cidr.last()).hasToString(last);
        assertThat(cidr.network().isNetwork()).isTrue();
        assertThat(cidr.isNetwork()).isEqualTo(text.equals(network));
    }

    @ParameterizedTest
    @CsvSource({
        "10.244.0.0/16, 10.244.255.255, true",
        "10.244.0.0/16, 10.245.0.0, false",
        "10.244.0.7/16, 10.244.0.0, true",
        "0.0.0.0/0, 255.255.255.255, true",
        "0.0.0.0/0, ::, false",
        "::/0, 0.0.0.0, false",
        "10.244.0.1/32, 10.244.0.1, true",
        "10.244.0.1/32, 10.244.0.0, false",
        "fd00::/64, fd00::ffff:ffff:ffff:ffff, true",
        "fd00::/64, fd00:0:0:1::, false",
        "fd00::/127, fd00::1, true",
        "fd00::/127, fd00::2, false"
    })
    void containsItsAddresses(String cidr, String address, boolean expected) {
        assertThat(Cidr.parse(cidr).contains(IpAddress.parse(address))).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "10.244.0.0/16, 10.244.1.0/24, true",
        "10.244.1.0/24, 10.244.2.0/24, false",
        "10.244.1.0/24, 10.244.1.0/24, true",
        "10.244.1.9/24, 10.244.1.7/30, true",
        "0.0.0.0/0, 10.0.0.0/8, true",
        "0.0.0.0/0, ::/0, false",
        "fd00::/64, fd00::/48, true",
        "fd00::/64, fd01::/64, false"
    })
    void overlapsBothWays(String one, String other, boolean expected) {
        assertThat(Cidr.parse(one).overlaps(Cidr.parse(other))).isEqualTo(expected);
        assertThat(Cidr.parse(other).overlaps(Cidr.parse(one))).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "10.0.0.0",
                "10.0.0.0/",
                "/8",
                "10.0.0.0/33",
                "::/129",
                "10.0.0.0/-1",
                "10.0.0.0/+8",
                "10.0.0.0/8/8",
                "10.0.0.0/ 8",
                "10.0/8",
                "10.0.0.0/0008",
                "10.0.0.0/999"
            })
    void refusesWhatIsNone(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> Cidr.parse(text)).withMessageContaining("expected");
    }

    @Test
    void agreesWithArithmeticOnBigNumbers() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 2000; i++) {
            byte[] bytes = new byte[i % 2 == 0 ? 4 : 16];
            random.nextBytes(bytes);
            int bits = bytes.length * 8;
            Cidr cidr = new Cidr(IpAddress.of(bytes), random.nextInt(bits + 1));
            BigInteger hosts = BigInteger.ONE.shiftLeft(bits - cidr.prefixLength());
            BigInteger first = new BigInteger(1, bytes).divide(hosts).multiply(hosts);
            assertThat(new BigInteger(1, cidr.network().address().toBytes()))
                    .as("seed %d: %s", seed, cidr)
                    .isEqualTo(first);
            assertThat(new BigInteger(1, cidr.last().toBytes()))
                    .as("seed %d: %s", seed, cidr)
                    .isEqualTo(first.add(hosts).subtract(BigInteger.ONE));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "::ffff:10.1.2.0/120, 10.1.2.0/24",
        "::ffff:a01:203/128, 10.1.2.3/32",
        "::ffff:0.0.0.0/96, 0.0.0.0/0",
        "10.1.2.3/24, 10.1.2.3/24",
        "::10.1.2.0/120, ::a01:200/120",
        "1::ffff:a01:203/120, 1::ffff:a01:203/120",
        "::fffe:a01:203/120, ::fffe:a01:203/120",
    })
    void findsTheIpv4NetworkInAMappedOne(String text, String expected) {
        assertThat(Cidr.parse(text).unmapped()).isEqualTo(Cidr.parse(expected));
    }
}
