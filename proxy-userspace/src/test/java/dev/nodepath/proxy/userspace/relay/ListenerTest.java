package dev.nodepath.proxy.userspace.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.Eventually;
import dev.nodepath.proxy.userspace.Backend;
import dev.nodepath.proxy.userspace.Clients;
import dev.nodepath.proxy.userspace.NoLeaks;
import dev.nodepath.proxy.userspace.RelayFixture;
import dev.nodepath.proxy.userspace.metrics.RelayCount;
import dev.nodepath.proxy.userspace.portals.Destination;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The accepted connections. */
@ExtendWith(NoLeaks.class)
@Timeout(900)
class ListenerTest {
    @Test
    void resetsClientThatMeansNoServicePort() throws Exception {
        Destination unknown = new Destination(RelayFixture.SERVICE.address(), 81);
        try (Backend echo = Backend.echo();
                RelayFixture relay = new RelayFixture(RelayConfigTest.CONFIG, (client, family) -> unknown)
                        .endpoints(echo.endpoint())) {
            Clients.assertReset(relay::connect);
            assertThat(relay.metrics().of(RelayCount.WITHOUT_PORTAL)).isEqualTo(1);
        }
    }

    @Test
    void resetsClientThatNoRuleHasLedHere() throws Exception {
        OriginalDestination failing = (client, family) -> {
            throw new IOException("no translation");
        };
        try (Backend echo = Backend.echo();
                RelayFixture relay = new RelayFixture(RelayConfigTest.CONFIG, failing).endpoints(echo.endpoint())) {
            Clients.assertReset(relay::connect);
            assertThat(relay.metrics().of(RelayCount.WITHOUT_TRANSLATION)).isEqualTo(1);
        }
    }

    @Test
    void connectionBeyondTheLimitIsReset() throws Exception {
        try (Backend echo = Backend.echo();
                RelayFixture relay =
                        new RelayFixture(RelayFixture.config(Duration.ofSeconds(60), 1)).endpoints(echo.endpoint());
                Socket first = relay.connect()) {
            Clients.assertEchoes(first);
            Clients.assertReset(relay::connect);
            assertThat(relay.metrics().of(RelayCount.OVER_LIMIT)).isEqualTo(1);
            Clients.assertEchoes(first);
            first.shutdownOutput();
            Eventually.isTrue("first is over", () -> relay.metrics().active.get() == 0);
            try (Socket third = relay.connect()) {
                Clients.assertEchoes(third);
            }
        }
    }
}
