package dev.nodepath.agent.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.agent.cluster.EventPart;
import dev.nodepath.agent.cluster.Notices;
import dev.nodepath.agent.parts.OneRound;
import dev.nodepath.endpoints.LogCapture;
import dev.nodepath.endpoints.source.kubernetes.NodeEvent;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PartLogTest {
    private static final Duration RETRY = Duration.ofMillis(500);
    private static final String FAILED = "agent.part_failed";

    private final Notices notices = new Notices("n1", InstantSource.system());
    private final PartLog parts = new PartLog(notices);
    private final LogCapture log = new LogCapture(PartLog.class);

    @AfterEach
    void close() {
        log.close();
    }

    private List<String> events() throws Exception {
        List<NodeEvent> sent = new ArrayList<>();
        new EventPart(notices, sent::add).run(new OneRound());
        return sent.stream().map(event -> event.reason() + " " + event.note()).toList();
    }

    @Test
    void warnsOfAFailureOnceUntilItIsAnother() {
        parts.failed("routes", new IOException("no route"), RETRY);
        parts.failed("routes", new IOException("no route"), RETRY);
        assertThat(log.lines(FAILED)).hasSize(2);
        assertThat(log.warnings(FAILED))
                .singleElement()
                .asString()
                .contains("part=routes", "error=no route", "retry_ms=500");
        parts.failed("routes", new IOException("no link"), RETRY);
        parts.failed("routes", new IOException("no route"), RETRY);
        assertThat(log.warnings(FAILED)).hasSize(3);
    }

    @Test
    void tellsTheSameFailureOfTwoParts() {
        parts.failed("routes", new IOException("no rights"), RETRY);
        parts.failed("cni", new IOException("no rights"), RETRY);
        parts.failed("routes", new IOException("no rights"), RETRY);
        assertThat(log.warnings(FAILED)).hasSize(2);
    }

    @Test
    void namesTheClassOfAFaultOfOurOwn() throws Exception {
        parts.failed("proxy", new IllegalStateException("index 3"), RETRY);
        assertThat(log.warnings(FAILED)).singleElement().asString().contains("IllegalStateException: index 3");
        assertThat(events()).containsExactly("PartFailed proxy: java.lang.IllegalStateException: index 3");
    }

    @Test
    void anEventSaysWhatAPersonMustMend() throws Exception {
        parts.failed("cni", new IOException("/run/nodepath/cni.sock: in use"), RETRY);
        assertThat(events()).containsExactly("PartFailed cni: /run/nodepath/cni.sock: in use");
    }

    @Test
    void anAbsentServerIsNoEventAndAMissingRightIs() throws Exception {
        parts.failed("source", new IOException("GET https://api: cannot connect"), RETRY);
        assertThat(log.warnings(FAILED)).hasSize(1);
        assertThat(events()).isEmpty();
        String denied = "403 Forbidden (expected: RBAC rule {resources: [services]})";
        parts.failed("source", new IOException(denied), RETRY);
        assertThat(events()).containsExactly("PartFailed source: " + denied);
    }

    /** Otherwise each event that cannot be sent would make the next one. */
    @Test
    void thatEventsCannotBeSentIsNoEvent() throws Exception {
        parts.failed("events", new IOException("403 (expected: the RBAC rule ...)"), RETRY);
        assertThat(log.warnings(FAILED)).hasSize(1);
        assertThat(events()).isEmpty();
    }
}
