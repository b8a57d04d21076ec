package dev.nodepath.emulator.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.packet.PacketHeader;
import dev.nodepath.page.Flow;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class RefusedAttemptsTest {
    private static final FlowNames NAMES = FlowReaderTest.names("iptables", "ready");

    private Instant now = Instant.EPOCH;
    private final RefusedAttempts attempts = new RefusedAttempts(() -> now);

    private void refuse(int sourcePort, int port) {
        attempts.add(
                "n2",
                new PacketHeader(6, IpAddress.parse("10.244.1.2"), sourcePort, IpAddress.parse("10.244.2.2"), port));
    }

    @Test
    void attemptsOfOneClientAreOneForAMinute() throws Exception {
        refuse(4000, 8080);
        now = now.plus(Duration.ofSeconds(50));
        refuse(4001, 8080);
        now = now.plus(Duration.ofSeconds(50));
        assertThat(attempts.list(NAMES)).singleElement().satisfies(flow -> {
            assertThat(flow.id()).isEqualTo("refused-n2-tcp-10.244.1.2-10.244.2.2:8080");
            assertThat(flow.from()).isEqualTo(new Flow.Place("client-1", "10.244.1.2:4001"));
            assertThat(flow.to()).isEqualTo(new Flow.Place("web-2:8080", "10.244.2.2:8080"));
            assertThat(flow.state()).isEqualTo("REFUSED");
            assertThat(flow.packets()).isEqualTo(2);
            assertThat(flow.entries()).extracting(Flow.Entry::node).containsExactly("n2");
        });
        now = now.plus(Duration.ofSeconds(11));
        assertThat(attempts.list(NAMES)).isEmpty();
    }

    @Test
    void theOldestLeavesWhenThereAreTooMany() throws Exception {
        for (int port = 1; port <= RefusedAttempts.KEPT_MAX; port++) {
            refuse(4000, port);
        }
        refuse(4001, 1);
        refuse(4000, RefusedAttempts.KEPT_MAX + 1);
        List<Flow> kept = attempts.list(NAMES);
        assertThat(kept).hasSize(RefusedAttempts.KEPT_MAX);
        assertThat(kept.get(0).to().address()).isEqualTo("10.244.2.2:3");
    }

    /** It has no ports to tell attempts apart. */
    @Test
    void pingsAreNotShown() throws Exception {
        attempts.add("n2", new PacketHeader(1, IpAddress.parse("10.244.1.2"), 0, IpAddress.parse("10.244.2.2"), 0));
        assertThat(attempts.list(NAMES)).isEmpty();
    }
}
