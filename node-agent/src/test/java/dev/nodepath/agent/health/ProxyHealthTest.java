package dev.nodepath.agent.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.agent.http.HttpResponse;
import dev.nodepath.linux.IpFamily;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProxyHealthTest {
    private Instant now = Instant.parse("2026-11-20T10:00:00Z");
    private final List<Integer> codes = new ArrayList<>();
    private final ProxyHealth health = new ProxyHealth(
            new Clock() {
                @Override
                public ZoneId getZone() {
                    return ZoneOffset.UTC;
                }

                @Override
                public Clock withZone(ZoneId zone) {
                    return this;
                }

                @Override
                public Instant instant() {
                    return now;
                }
            },
            Duration.ofSeconds(60),
            List.of(IpFamily.IPV4, IpFamily.IPV6));

    private void pass(int seconds) {
        now = now.plusSeconds(seconds);
    }

    @Test
    void isHealthyAtTheStart() {
        assertThat(health.isHealthy()).isTrue();
        HttpResponse answer = health.healthz(codes::add);
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body())
                .isEqualTo("{\"lastUpdated\":\"2026-11-20T10:00:00Z\",\"currentTime\":\"2026-11-20T10:00:00Z\","
                        + "\"nodeEligible\":true,\"healthy\":true}");
    }

    @Test
    void isUnhealthyWhileAChangeWaitsTooLong() {
        health.queued();
        health.updated();
        pass(10);
        health.queued();
        pass(59);
        health.queued();
        assertThat(health.healthz(codes::add).status()).isEqualTo(200);
        pass(1);
        HttpResponse answer = health.livez(codes::add);
        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.body())
                .isEqualTo("{\"lastUpdated\":\"2026-11-20T10:00:00Z\",\"currentTime\":\"2026-11-20T10:01:10Z\","
                        + "\"healthy\":false,\"status\":{\"IPv4\":{\"lastUpdated\":\"2026-11-20T10:00:00Z\",\"healthy\":false},"
                        + "\"IPv6\":{\"lastUpdated\":\"2026-11-20T10:00:00Z\",\"healthy\":false}}}");
        health.updated();
        assertThat(health.livez(codes::add).status()).isEqualTo(200);
        assertThat(codes).containsExactly(200, 503, 200);
    }

    @Test
    void aQuietClusterIsHealthy() {
        health.queued();
        health.updated();
        pass(100_000);
        assertThat(health.healthz(codes::add).body()).contains("\"lastUpdated\":\"2026-11-21T13:46:40Z\"");
    }

    @Test
    void aNodeThatIsToGoIsNotEligibleButLives() {
        health.nodeEligible(false);
        assertThat(health.healthz(codes::add).status()).isEqualTo(503);
        assertThat(health.healthz(codes::add).body()).contains("\"nodeEligible\":false");
        assertThat(health.livez(codes::add).status()).isEqualTo(200);
        assertThat(health.livez(codes::add).body()).doesNotContain("nodeEligible");
    }
}
