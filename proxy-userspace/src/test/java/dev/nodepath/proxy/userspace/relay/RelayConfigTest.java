package dev.nodepath.proxy.userspace.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.proxy.userspace.RelayFixture;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

public class RelayConfigTest {
    public static final RelayConfig CONFIG = RelayFixture.config(Duration.ofSeconds(60), 1000);

    @Test
    void defaultsListenEverywhere() {
        RelayConfig config = RelayConfig.DEFAULTS;
        assertThat(config.bindsAny()).isTrue();
        assertThat(config.eventLoops()).isPositive();
        assertThat(config.dialTimeouts()).hasSize(4);
    }

    @Test
    void namesTheFieldThatIsWrong() {
        assertRefused(() -> CONFIG.with(draft -> draft.eventLoops = 0), "eventLoops: 0 (expected: >= 1)");
        assertRefused(
                () -> CONFIG.with(draft -> draft.dialTimeouts = List.of()),
                "dialTimeouts: [] (expected: one or more of 1 ms to 1 h)");
        assertRefused(
                () -> CONFIG.with(draft -> draft.dialTimeouts = List.of(Duration.ZERO)),
                "dialTimeouts: [PT0S] (expected: one or more of 1 ms to 1 h)");
        assertRefused(
                () -> CONFIG.with(draft -> draft.halfCloseLinger = Duration.ZERO),
                "halfCloseLinger: PT0S (expected: 1 ms to 1 h)");
        assertRefused(() -> CONFIG.with(draft -> draft.connectionsMax = 0), "connectionsMax: 0 (expected: >= 1)");
        assertRefused(
                () -> CONFIG.with(draft -> draft.udpTimeout = Duration.ofHours(2)),
                "udpTimeout: PT2H (expected: 1 ms to 1 h)");
        assertRefused(() -> CONFIG.with(draft -> draft.flowsMax = 0), "flowsMax: 0 (expected: >= 1)");
        assertRefused(
                () -> CONFIG.with(draft -> draft.drainTimeout = Duration.ofSeconds(-1)),
                "drainTimeout: PT-1S (expected: not negative)");
    }

    @Test
    void listensInTheOtherFamilyTooIfAnywhere() {
        assertThat(RelayConfig.DEFAULTS.bindAddress(IpFamily.IPV6)).contains(IpAddress.parse("::"));
        assertThat(CONFIG.bindAddress(IpFamily.IPV6)).isEmpty();
        assertThat(CONFIG.bindAddress(IpFamily.IPV4)).contains(IpAddress.parse("127.0.0.1"));
    }

    @Test
    void readsPortRangesAsKubeProxyDoes() {
        assertThat(PortRange.parse("30000-30010")).isEqualTo(new PortRange(30000, 30010));
        assertThat(PortRange.parse("30000+10")).isEqualTo(new PortRange(30000, 30010));
        assertThat(PortRange.parse("30000")).isEqualTo(new PortRange(30000, 30000));
        for (String text : List.of("", "a-b", "1-", "-1", "10-9", "0-5", "65000-65536", "1-2-3")) {
            assertThatThrownBy(() -> PortRange.parse(text))
                    .as(text)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("port range: ");
        }
    }

    private static void assertRefused(ThrowingCallable change, String message) {
        assertThatThrownBy(change).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
    }
}
