package dev.nodepath.agent.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.endpoints.NodePortAddresses;
import dev.nodepath.endpoints.sync.RuleConfig;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.proxy.userspace.relay.Balancer;
import dev.nodepath.proxy.userspace.relay.PortRange;
import dev.nodepath.proxy.userspace.relay.RelayConfig;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class UserspaceOptionsTest {
    @Command
    private static final class Probe {
        @Mixin
        private final UserspaceOptions options = new UserspaceOptions();
    }

    @Test
    void defaultsAreThoseOfTheRelayButThatRequestsUnderWayMayEnd() throws CommandException {
        assertThat(config()).isEqualTo(RelayConfig.DEFAULTS.with(draft -> draft.drainTimeout = Duration.ofSeconds(2)));
    }

    @Test
    void readsEveryOption() throws CommandException {
        RelayConfig config = config(
                List.of(Cidr.parse("10.244.0.0/16")),
                "--bind-address=192.0.2.1",
                "--proxy-port-range=30000-30010",
                "--udp-timeout=1s",
                "--balancer=least-connections",
                "--dial-timeouts=100ms,1s",
                "--drain-removed-endpoints=30s",
                "--drain-timeout=1m",
                "--event-loops=3",
                "--io-uring=false",
                "--keep-client-address",
                "--access-log");
        assertThat(config.bindAddress()).hasToString("192.0.2.1");
        assertThat(config.portRange()).contains(new PortRange(30000, 30010));
        assertThat(config.udpTimeout()).hasSeconds(1);
        assertThat(config.balancer()).isEqualTo(Balancer.LEAST_CONNECTIONS);
        assertThat(config.dialTimeouts()).containsExactly(Duration.ofMillis(100), Duration.ofSeconds(1));
        assertThat(config.drainRemovedEndpoints()).contains(Duration.ofSeconds(30));
        assertThat(config.drainTimeout()).hasMinutes(1);
        assertThat(config.eventLoops()).isEqualTo(3);
        assertThat(config.usesIoUring()).isFalse();
        assertThat(config.keepsClientAddress()).isTrue();
        assertThat(config.podsOfNodes()).isTrue();
        assertThat(config.accessLog()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "--bind-address=here, here",
        "--bind-address=127.0.0.1, bindAddress: 127.0.0.1",
        "--proxy-port-range=9-1, port range: 9-1",
        "--udp-timeout=0s, udpTimeout: PT0S",
        "--dial-timeouts=soon, --dial-timeouts: \"soon\"",
        "--event-loops=0, eventLoops: 0"
    })
    void namesWhatIsWrong(String option, String named) {
        assertThatThrownBy(() -> config(option))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining(named);
    }

    private static RelayConfig config(String... arguments) throws CommandException {
        return config(List.of(), arguments);
    }

    private static RelayConfig config(List<Cidr> clusterCidrs, String... arguments) throws CommandException {
        Probe probe = new Probe();
        new CommandLine(probe).parseArgs(arguments);
        return probe.options.config(clusterCidrs, RuleConfig.defaults(NodePortAddresses.ALL));
    }
}
