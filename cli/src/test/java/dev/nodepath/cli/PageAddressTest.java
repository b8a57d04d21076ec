package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.agent.options.CommandException;
import dev.nodepath.linux.address.IpAddress;
import java.net.ServerSocket;
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

    @ParameterizedTest
    @ValueSource(strings = {"192.0.2.1:80", "192.0.2.1", "[2001:db8::1]:80"})
    void refusesAnAddressOfAnotherMachine(String text) throws Exception {
        PageAddress address = PageAddress.parse("--page", text);
        assertThatThrownBy(() -> address.requireFree("--page"))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("--page: ")
                .hasMessageContaining("(expected: an address of this machine, and a port that this user may open)");
    }

    @Test
    void refusesAPortThatIsTaken() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, PageAddress.LOOPBACK.toInetAddress())) {
            int port = taken.getLocalPort();
            assertThatThrownBy(() -> new PageAddress(PageAddress.LOOPBACK, port, port).requireFree("--page"))
                    .isInstanceOf(CommandException.class)
                    .hasMessageContaining("--page: port " + port + " of 127.0.0.1: taken (expected: a free one)");
            // The next one may be taken as well; one of a hundred is free.
            new PageAddress(PageAddress.LOOPBACK, port, Math.min(port + 100, 65535)).requireFree("--page");
        }
    }
}
