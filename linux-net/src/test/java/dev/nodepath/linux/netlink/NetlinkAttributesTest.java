package dev.nodepath.linux.netlink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NetlinkAttributesTest {

    @Test
    void readsNumbersTextsAndNests() {
        NetlinkAttributes attributes = NetlinkAttributes.parse(Wire.buffer("""
                05 00 01 00  ff 00 00 00              # byte
                06 00 02 00  ff ff 00 00              # short
                08 00 03 00  ff ff ff ff              # int
                07 00 04 00  6c 6f 00 00              # "lo" with its zero byte
                06 00 05 00  6c 6f 00 00              # "lo" without
                0c 00 06 80  08 00 01 00  2a 00 00 00 # nested, with the bit that says so
                04 00 07 00                           # empty
                """));
        assertThat(attributes.number(1)).isEqualTo(255);
        assertThat(attributes.number(2)).isEqualTo(65535);
        assertThat(attributes.number(3)).isEqualTo(-1);
        assertThat(attributes.text(4)).isEqualTo("lo");
        assertThat(attributes.text(5)).isEqualTo("lo");
        assertThat(attributes.nested(6).number(1)).isEqualTo(42);
        assertThat(attributes.bytes(7)).isEmpty();
        assertThat(attributes.has(7)).isTrue();
    }

    @Test
    void whatIsNotThereIsEmpty() {
        NetlinkAttributes attributes = NetlinkAttributes.parse(Wire.buffer(""));
        assertThat(attributes.has(1)).isFalse();
        assertThat(attributes.bytes(1)).isNull();
        assertThat(attributes.number(1)).isZero();
        assertThat(attributes.text(1)).isEmpty();
        assertThat(attributes.nested(1).has(1)).isFalse();
    }

    @Test
    void lastAttributeMayLackItsPadding() {
        assertThat(NetlinkAttributes.parse(Wire.buffer("05 00 01 00 07")).number(1))
                .isEqualTo(7);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "03 00 01 00", // shorter than its header
                "00 00 01 00", // would be read for ever
                "09 00 01 00 00 00 00 00", // longer than the message
                "ff ff 01 00 00 00 00 00"
            })
    void refusesLengthsThatCannotBe(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NetlinkAttributes.parse(Wire.buffer(text)))
                .withMessageContaining("length of netlink attribute 1");
    }

    @Test
    void refusesNumbersOfOtherSizes() {
        NetlinkAttributes attributes = NetlinkAttributes.parse(Wire.buffer("07 00 01 00 00 00 00 00"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> attributes.number(1))
                .withMessageContaining("3");
    }
}
