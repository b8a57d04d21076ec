package dev.nodepath.agent.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.agent.process.ManualClock;
import dev.nodepath.endpoints.LogCapture;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.source.kubernetes.NodeEvent;
import org.junit.jupiter.api.Test;

class PolicyNoticeTest {
    private final Notices notices = new Notices("n1", new ManualClock("2026-11-22T16:00:00Z"));

    @Test
    void isAWarningOfTheNodeAndALineOfTheLog() {
        try (LogCapture log = new LogCapture(Notices.class)) {
            new PolicyNotice(notices).found(new NamespacedName("shop", "deny-all"));
            NodeEvent event = notices.next().orElseThrow();
            assertThat(event.warning()).isTrue();
            assertThat(event.node()).isEqualTo("n1");
            assertThat(event.reason()).isEqualTo("NetworkPolicyNotEnforced");
            assertThat(event.note())
                    .startsWith("NetworkPolicy shop/deny-all: not enforced")
                    .contains("(expected: ");
            assertThat(log.warnings("reason=NetworkPolicyNotEnforced")).hasSize(1);
        }
    }
}
