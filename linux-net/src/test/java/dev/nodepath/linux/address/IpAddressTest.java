package dev.nodepath.linux.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.InetAddress;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IpAddressTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0.0.0",
                "10.244.1.7",
                "255.255.255.255",
                "192.0.2.1",
                "::",
                "::1",
                "fe80::1",
                "1:2:3:4:5:6:7:8"
            })
    void canonicalTextStaysAsItIs(String text) {
        assertThat(IpAddress.parse(text)).hasToString(text);
    }

    /** RFC 5952, section by section. */
    @ParameterizedTest
    @CsvSource({
        "2001:0db8::0001, 2001:db8::1",
        "2001:db8:0:0:0:0:2:1, 2001:db8::2:1",
        "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
        "2001:db8::1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
        "2001:0:0:1:0:0:0:1, 2001:0:0:1::1",
        "2001:db8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
        "2001:DB8::ABCD, 2001:db8::abcd",
        "0:0:0:0:0:0:0:0, ::",
        "1:0:0:0:0:0:0:0, 1::",
        "0:0:0:0:0:0:0:1, ::1",
        "1:0:0:0:0:0:0:8, 1::8",
        "0:2:3:4:5:6:7:8, 0:2:3:4:5:6:7:8",
        "::2:3:4:5:6:7:8, 0:2:3:4:5:6:7:8",
        "1:2:3:4:5:6:7::, 1:2:3:4:5:6:7:0",
        "0:0:3:4:0:0:7:8, ::3:4:0:0:7:8",
        "::ffff:192.0.2.1, ::ffff:c000:201",
        "64:ff9b::192.0.2.33, 64:ff9b::c000:221",
        "1:2:3:4:5:6:1.2.3.4, 1:2:3:4:5:6:102:304",
        "fd00::0.0.0.1, fd00::1"
    })
    void writesIpv6AsRfc5952Says(String text, String canonical) {
        assertThat(IpAddress.parse(text)).hasToString(canonical);
        assertThat(IpAddress.parse(canonical)).isEqualTo(IpAddress.parse(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "10",
                "10.0.0",
                "10.0.0.0.0",
                "10.0.0.256",
                "10.0.0.01",
                "010.0.0.1",
                "10.0.0.-1",
                "10.0.0.+1",
                "10.0..1",
                "10.0.0.1 ",
                " 10.0.0.1",
                "10.0.0.1/24",
                "0x10.0.0.1",
                "10.0.0.1.",
                ".10.0.0.1",
                "a.b.c.d",
                "10.0.0.1000",
                "\u0661.0.0.1",
                ":",
                ":::",
                "1::2::3",
                "1:2:3:4:5:6:7",
                "1:2:3:4:5:6:7:8:9",
                "1:2:3:4:5:6:7:8::",
                "::1:2:3:4:5:6:7:8",
                "1:2:3:4::5:6:7:8",
                "12345::",
                "g::",
                "1:",
                ":1",
                "1:2:3:4:5:6:7:",
                ":2:3:4:5:6:7:8",
                "::1%eth0",
                "[::1]",
                "::1/64",
                "::1.2.3",
                "::1.2.3.256",
                "1.2.3.4::",
                "::1.2.3.4:5",
                "1:2:3:4:5:6:7:1.2.3.4",
                "::-1",
                "::+1",
                "localhost"
            })
    void refusesWhatIsNoAddress(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> IpAddress.parse(text))
                .withMessage("\"" + text + "\" (expected: an IPv4 or IPv6 address)");
    }

    @Test
    void bytesAndTextAgreeWithTheJdk() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 2000; i++) {
            byte[] bytes = new byte[i % 2 == 0 ? 4 : 16];
            random.nextBytes(bytes);
            for (int group = 0; group < bytes.length; group += 2) {
                if (random.nextBoolean()) {
                    bytes[group] = 0;
                    bytes[group + 1] = (byte) random.nextInt(2);
                }
            }
            IpAddress address = IpAddress.of(bytes);
            assertThat(address.toBytes()).as("seed %d", seed).isEqualTo(bytes);
            assertThat(IpAddress.parse(address.toString())).as("seed %d", seed).isEqualTo(address);
            InetAddress jdk = InetAddress.getByName(address.toString());
            assertThat(IpAddress.of(jdk))
                    .as("seed %d: %s", seed, address)
                    .isEqualTo(address.toString().startsWith("::ffff:") ? IpAddress.of(jdk) : address);
            assertThat(address.toInetAddress()).as("seed %d", seed).isEqualTo(jdk);
        }
    }

    @Test
    void refusesOtherNumbersOfBytesAndBits() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> IpAddress.of(new byte[5]))
                .withMessage("5 address bytes (expected: 4 or 16)");
        assertThatIllegalArgumentException().isThrownBy(() -> new IpAddress(IpFamily.IPV4, 0, 1L << 32));
        assertThatIllegalArgumentException().isThrownBy(() -> new IpAddress(IpFamily.IPV4, 1, 0));
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.1, 1, 10.0.0.2",
        "10.0.0.255, 1, 10.0.1.0",
        "10.0.1.0, -1, 10.0.0.255",
        "255.255.255.255, 1, 0.0.0.0",
        "0.0.0.0, -1, 255.255.255.255",
        "fd00::1, 1, fd00::2",
        "fd00::ffff:ffff:ffff:ffff, 1, fd00:0:0:1::",
        "fd00:0:0:1::, -1, fd00::ffff:ffff:ffff:ffff",
        "fd00::1, -1, fd00::",
        "fd00::1, 0, fd00::1",
        "fd00::, 9223372036854775807, fd00::7fff:ffff:ffff:ffff",
        "fd00:0:0:1::, -9223372036854775808, fd00::8000:0:0:0",
        "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff, 1, ::",
        "::, -1, ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"
    })
    void plusCarriesAndBorrows(String address, long offset, String sum) {
        assertThat(IpAddress.parse(address).plus(offset)).isEqualTo(IpAddress.parse(sum));
    }

    @Test
    void ordersByFamilyThenNumber() {
        assertThat(Stream.of(
                                "::1",
                                "fd00::",
                                "255.0.0.1",
                                "10.0.0.10",
                                "10.0.0.9",
                                "128.0.0.0",
                                "::ffff:ffff:ffff:ffff",
                                "7fff::")
                        .map(IpAddress::parse)
                        .sorted()
                        .map(IpAddress::toString))
                .containsExactly(
                        "10.0.0.9",
                        "10.0.0.10",
                        "128.0.0.0",
                        "255.0.0.1",
                        "::1",
                        "::ffff:ffff:ffff:ffff",
                        "7fff::",
                        "fd00::");
    }

    @Test
    void knowsLoopback() {
        assertThat(Stream.of("127.0.0.1", "127.255.0.1", "::1").map(IpAddress::parse))
                .allMatch(IpAddress::isLoopback);
        assertThat(Stream.of("128.0.0.1", "126.0.0.1", "::", "::2", "1::1", "::7f00:1")
                        .map(IpAddress::parse))
                .noneMatch(IpAddress::isLoopback);
    }

    @Test
    void writesPorts() {
        assertThat(IpAddress.parse("10.0.0.1").withPort(80)).isEqualTo("10.0.0.1:80");
        assertThat(IpAddress.parse("fd00::1").withPort(80)).isEqualTo("[fd00::1]:80");
    }
}
