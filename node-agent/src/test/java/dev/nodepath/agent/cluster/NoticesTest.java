package dev.nodepath.agent.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.agent.parts.OneRound;
import dev.nodepath.agent.process.ManualClock;
import dev.nodepath.endpoints.LogCapture;
import dev.nodepath.endpoints.source.kubernetes.NodeEvent;
import dev.nodepath.endpoints.source.kubernetes.RefusedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class NoticesTest {
    private final ManualClock clock = new ManualClock("2026-11-20T20:00:00Z");
    private final Notices notices = new Notices("n1", clock);
    private final List<NodeEvent> sent = new ArrayList<>();

    private void send() throws Exception {
        new EventPart(notices, sent::add).run(new OneRound());
    }

    @Test
    void saysTheSameOnceAnHour() throws Exception {
        notices.warn("NoPodCIDR", "none");
        notices.warn("NoPodCIDR", "none");
        notices.warn("NoPodCIDR", "still none");
        send();
        assertThat(sent).extracting(NodeEvent::note).containsExactly("none", "still none");
        assertThat(sent).extracting(NodeEvent::node).containsOnly("n1");

        clock.pass(Notices.REPEAT);
        notices.warn("NoPodCIDR", "none");
        send();
        assertThat(sent).hasSize(3);
        assertThat(notices.sent()).isEqualTo(3);
    }

    @Test
    void leavesOutWhatIsTooMuch() throws Exception {
        for (int i = 0; i < 100; i++) {
            notices.warn("R", "note " + i);
        }
        send();
        assertThat(sent).hasSize(Notices.EVENTS_MAX);
        assertThat(notices.leftOut()).isEqualTo(100 - Notices.EVENTS_MAX);
        clock.pass(Notices.WINDOW);
        notices.warn("R", "later");
        send();
        assertThat(sent).hasSize(Notices.EVENTS_MAX + 1);
    }

    @Test
    void keepsWhatTheServerDidNotTake() throws Exception {
        notices.warn("R", "one");
        notices.warn("R", "two");
        EventPart failing = new EventPart(notices, event -> {
            if (event.note().equals("two")) {
                throw new IOException("away");
            }
            sent.add(event);
        });
        assertThatThrownBy(() -> failing.run(new OneRound())).hasMessage("away");
        assertThat(notices.sent()).isEqualTo(1);
        send();
        assertThat(sent).extracting(NodeEvent::note).containsExactly("one", "two");
    }

    @Test
    void dropsWhatTheServerWillNeverTakeAndSaysSoOnce() throws Exception {
        notices.warn("R", "one");
        notices.warn("R", "two");
        notices.warn("R", "three");
        EventPart events = new EventPart(notices, event -> {
            if (!event.note().equals("three")) {
                throw new RefusedException("422 Unprocessable Entity", new IOException());
            }
            sent.add(event);
        });
        try (LogCapture log = new LogCapture(EventPart.class)) {
            events.run(new OneRound());
            assertThat(log.warnings("node.event_refused"))
                    .singleElement()
                    .asString()
                    .contains("422");
        }
        assertThat(sent).extracting(NodeEvent::note).containsExactly("three");
        assertThat(notices.leftOut()).isEqualTo(2);
    }

    @Test
    void holdsABoundedNumberWhileTheServerIsAway() {
        for (int round = 0; round < 10; round++) {
            for (int i = 0; i < Notices.EVENTS_MAX; i++) {
                notices.warn("R", round + " " + i);
            }
            clock.pass(Notices.WINDOW);
        }
        assertThat(notices.leftOut()).isEqualTo(10L * Notices.EVENTS_MAX - Notices.QUEUE_MAX);
    }
}
