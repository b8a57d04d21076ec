package dev.nodepath.proxy.userspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.linux.IpAddress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class RelayConfigTest {
    static final RelayConfig CONFIG = RelayFixture.config(Duration.ofSeconds(60), 1000);

    @Test
    void defaultsListenEverywhere() {
        RelayConfig config = RelayConfig.defaults();
        assertThat(config.bindsAny()).isTrue();
        assertThat(config.eventLoops()).isPositive();
        assertThat(config.dialTimeouts()).hasSize(4);
    }

    @Test
    void namesTheFieldThatIsWrong() {
        assertRefused("::", 1, List.of(Duration.ofMillis(1)), 1, 1, "bindAddress: :: (expected: an IPv4 address)");
        assertRefused("0.0.0.0", 0, List.of(Duration.ofMillis(1)), 1, 1, "eventLoops: 0 (expected: >= 1)");
        assertRefused("0.0.0.0", 1, List.of(), 1, 1, "dialTimeouts: [] (expected: one or more of 1 ms to 1 h)");
        assertRefused(
                "0.0.0.0",
                1,
                List.of(Duration.ZERO),
                1,
                1,
                "dialTimeouts: [PT0S] (expected: one or more of 1 ms to 1 h)");
        assertRefused(
                "0.0.0.0", 1, List.of(Duration.ofMillis(1)), 0, 1, "halfCloseLinger: PT0S (expected: 1 ms to 1 h)");
        assertRefused("0.0.0.0", 1, List.of(Duration.ofMillis(1)), 1, 0, "connectionsMax: 0 (expected: >= 1)");
    }

    private static void assertRefused(
            String bind, int loops, List<Duration> dials, int lingerSeconds, int connections, String message) {
        assertThatThrownBy(() -> new RelayConfig(
                        IpAddress.parse(bind), loops, dials, Duration.ofSeconds(lingerSeconds), connections))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }
}
