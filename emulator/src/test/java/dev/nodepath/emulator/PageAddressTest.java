package dev.nodepath.emulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.agent.options.CommandException;
import dev.nodepath.linux.address.IpAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PageAddressTest {
    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, 127.0.0.1, 7070, 7169",
        "192.0.2.1:8080, 192.0.2.1, 8080, 8080",
        "[::1], ::1, 7070, 7169",
        "[fd00::1]:80, fd00::1, 80, 80"
    })
    void readsAnAddressWithOrWithoutAPort(String text, String address, int first, int last) throws Exception {
        assertThat(PageAddress.parse("--page", text)).isEqualTo(new PageAddress(IpAddress.parse(address), first, last));
    }

    @Test
    void namesWhatItExpects() {
        assertThatThrownBy(() -> PageAddress.parse("--page", "here"))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("--page: \"here\" (expected: ADDRESS or ADDRESS:PORT");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ":80", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536", "::1", "1.2.3:1", "[::1"})
    void refusesWhatIsNone(String text) {
        assertThatThrownBy(() -> PageAddress.parse("--page", text)).isInstanceOf(CommandException.class);
    }
}
