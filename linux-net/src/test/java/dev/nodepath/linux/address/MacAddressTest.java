package dev.nodepath.linux.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MacAddressTest {

    @ParameterizedTest
    @ValueSource(strings = {"00:00:00:00:00:00", "0a:58:0a:f4:01:01", "ff:ff:ff:ff:ff:ff", "00:00:00:00:00:ff"})
    void textAndBytesAreTheSameBothWays(String text) {
        MacAddress mac = MacAddress.parse(text);
        assertThat(mac).hasToString(text);
        assertThat(mac.toBytes()).hasSize(6);
        assertThat(MacAddress.of(mac.toBytes())).isEqualTo(mac);
    }

    @Test
    void takesUpperCase() {
        assertThat(MacAddress.parse("0A:58:0A:F4:01:FF")).hasToString("0a:58:0a:f4:01:ff");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0a:58:0a:f4:01",
                "0a:58:0a:f4:01:01:02",
                "0a-58-0a-f4-01-01",
                "0a580af40101",
                "0g:58:0a:f4:01:01",
                "a:58:0a:f4:01:01",
                "0a:58:0a:f4:01:01 "
            })
    void refusesWhatIsNone(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MacAddress.parse(text))
                .withMessageContaining("\"" + text + "\"");
    }

    @Test
    void refusesOtherLengths() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MacAddress.of(new byte[8]))
                .withMessageContaining("8");
        assertThatIllegalArgumentException().isThrownBy(() -> new MacAddress(1L << 48));
    }

    @Test
    void randomOnesAreLocalUnicast() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 200; i++) {
            assertThat(MacAddress.random(random).toBytes()[0] & 3)
                    .as("seed %d", seed)
                    .isEqualTo(2);
        }
    }

    /** Examples of RFC 4291 appendix A, and of a locally administered address. */
    @ParameterizedTest
    @CsvSource({
        "34:56:78:9a:bc:de, fe80::3656:78ff:fe9a:bcde",
        "02:00:00:00:00:01, fe80::ff:fe00:1",
        "0a:58:0a:f4:01:ff, fe80::858:aff:fef4:1ff",
        "ff:ff:ff:ff:ff:ff, fe80::fdff:ffff:feff:ffff",
    })
    void makesTheLinkLocalAddressOfTheKernel(String mac, String address) {
        assertThat(MacAddress.parse(mac).linkLocal()).hasToString(address);
    }
}
