package dev.nodepath.agent.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.cni.server.CallRequest;
import dev.nodepath.cni.server.FileIdentity;
import dev.nodepath.endpoints.LogCapture;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The log at the usual level. */
class CniLogTest {
    private static final Duration DURATION = Duration.ofMillis(3);

    private final Logger logger = Logger.getLogger(CniLog.class.getName());
    private final LogCapture seen = new LogCapture(CniLog.class);

    @BeforeEach
    void usualLevel() {
        logger.setLevel(Level.INFO);
    }

    @AfterEach
    void close() {
        seen.close();
    }

    private void served(Map<String, String> variables, int exitCode) {
        CallRequest request = new CallRequest(variables, ByteBuffer.allocate(0), new FileIdentity(1, 2));
        new CniLog().served(request, new CallOutcome(exitCode, "{\"code\":50}\n", ""), DURATION);
    }

    @Test
    void tellsOfContainers() {
        served(Map.of("CNI_COMMAND", "ADD", "CNI_CONTAINERID", "c1", "CNI_IFNAME", "eth0"), 0);
        assertThat(seen.lines()).containsExactly("command=ADD container=c1 interface=eth0 duration_ms=3 cni.served");
    }

    /** libcni sets every variable for every command, some to nothing. */
    @Test
    void isSilentAboutWhatARuntimeAsksEveryFewSeconds() {
        served(Map.of("CNI_COMMAND", "STATUS", "CNI_CONTAINERID", "", "CNI_IFNAME", ""), 0);
        served(Map.of("CNI_COMMAND", "VERSION"), 0);
        assertThat(seen.lines()).isEmpty();
    }

    @Test
    void warnsOfAStatusThatFailed() {
        served(Map.of("CNI_COMMAND", "STATUS", "CNI_CONTAINERID", ""), 1);
        assertThat(seen.warnings("cni.failed"))
                .singleElement()
                .asString()
                .contains("command=STATUS", "answer={\"code\":50}");
    }
}
