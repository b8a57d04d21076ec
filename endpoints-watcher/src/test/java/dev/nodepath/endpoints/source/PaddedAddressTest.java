package dev.nodepath.endpoints.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.linux.address.IpAddress;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PaddedAddressTest {
    @ParameterizedTest
    @CsvSource({
        "172.30.0.041, 172.30.0.41",
        "1.2.3.004, 1.2.3.4",
        "192.168.099.022, 192.168.99.22",
        "10.180.00.001, 10.180.0.1",
        "000.0.00.0, 0.0.0.0",
        "100.200.10.20, 100.200.10.20",
        "' 10.0.0.1 ', 10.0.0.1",
        "fd00:0010::00a1, fd00:10::a1",
    })
    void readsPaddedAddressesAsDecimal(String text, String address) {
        assertThat(PaddedAddress.ip(text)).hasToString(address);
    }

    @ParameterizedTest
    @CsvSource({
        "' 203.0.113.0/25', 203.0.113.0/25",
        "203.0.113.000/025, 203.0.113.0/25",
        "10.0.0.0/0, 10.0.0.0/0",
        "fd00::/64, fd00::/64",
    })
    void readsPaddedNetworks(String text, String cidr) {
        assertThat(PaddedAddress.cidr(text)).hasToString(cidr);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "10.0.0", "10.0.0.0256", "0x10.0.0.1", "10. 0.0.1", "-1.0.0.0"})
    void refusesWhatIsNoAddress(String text) {
        assertThatThrownBy(() -> PaddedAddress.ip(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void readsTheSameLanguageAsThePattern() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int addresses = 0;
        for (int i = 0; i < 200_000; i++) {
            StringBuilder text = new StringBuilder();
            for (int part = 0, parts = 3 + random.nextInt(10) / 8 + random.nextInt(2); part < parts; part++) {
                text.append(part == 0 ? "" : ".");
                for (int digits = random.nextInt(12) == 0 ? 0 : 1 + random.nextInt(4); digits > 0; digits--) {
                    text.append("0000000112259x \u0661".charAt(random.nextInt(random.nextInt(8) == 0 ? 16 : 13)));
                }
            }
            String unpadded = text.toString().strip().replaceAll("(?<![0-9])0+(?=[0-9])", "");
            Optional<IpAddress> expected = read(() -> IpAddress.parse(unpadded));
            addresses += expected.isPresent() ? 1 : 0;
            assertThat(read(() -> PaddedAddress.ip(text.toString())))
                    .as("seed %s: \"%s\"", seed, text)
                    .isEqualTo(expected);
        }
        assertThat(addresses).as("seed %s", seed).isGreaterThan(1000);
    }

    private static Optional<IpAddress> read(Supplier<IpAddress> reading) {
        try {
            return Optional.of(reading.get());
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    @Test
    void refusesWhatIsNoNetwork() {
        assertThatThrownBy(() -> PaddedAddress.cidr("10.0.0.0/033")).hasMessageContaining("10.0.0.0/33");
    }
}
