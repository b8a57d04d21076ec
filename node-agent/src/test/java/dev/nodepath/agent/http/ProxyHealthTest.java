package dev.nodepath.agent.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.agent.process.ManualClock;
import dev.nodepath.linux.address.IpFamily;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ProxyHealthTest {
    private final ManualClock clock = new ManualClock("2026-11-20T10:00:00Z");
    private Optional<Instant> pending = Optional.empty();
    private final Map<IpFamily, Instant> synced = new EnumMap<>(IpFamily.class);
    private boolean eligible = true;
    private final List<Integer> codes = new ArrayList<>();
    private final ProxyHealth health = new ProxyHealth(
            clock, Duration.ofSeconds(60), List.of(IpFamily.IPV4, IpFamily.IPV6), new ProxyHealth.Progress() {
                @Override
                public Optional<Instant> pendingSince() {
                    return pending;
                }

                @Override
                public Optional<Instant> lastSync(IpFamily family) {
                    return Optional.ofNullable(synced.get(family));
                }

                @Override
                public boolean isNodeEligible() {
                    return eligible;
                }
            });

    private void pass(int seconds) {
        clock.pass(Duration.ofSeconds(seconds));
    }

    private void queue() {
        pending = Optional.of(clock.instant());
    }

    private void sync(IpFamily... families) {
        for (IpFamily family : families) {
            synced.put(family, clock.instant());
        }
        pending = families.length == 2 ? Optional.empty() : pending;
    }

    @Test
    void isHealthyAtTheStart() {
        assertThat(health.isHealthy()).isTrue();
        pass(5);
        HttpResponse answer = health.healthz(codes::add);
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body())
                .isEqualTo("{\"lastUpdated\":\"2026-11-20T10:00:05Z\",\"currentTime\":\"2026-11-20T10:00:05Z\","
                        + "\"nodeEligible\":true,\"healthy\":true,\"status\":{"
                        + "\"IPv4\":{\"lastUpdated\":\"2026-11-20T10:00:00Z\",\"healthy\":true},"
                        + "\"IPv6\":{\"lastUpdated\":\"2026-11-20T10:00:00Z\",\"healthy\":true}}}");
    }

    @Test
    void isUnhealthyWhileAChangeWaitsTooLong() {
        queue();
        sync(IpFamily.IPV4, IpFamily.IPV6);
        pass(10);
        queue();
        pass(59);
        assertThat(health.healthz(codes::add).status()).isEqualTo(200);
        pass(1);
        HttpResponse answer = health.livez(codes::add);
        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.body())
                .isEqualTo("{\"lastUpdated\":\"2026-11-20T10:00:00Z\",\"currentTime\":\"2026-11-20T10:01:10Z\","
                        + "\"healthy\":false,\"status\":{\"IPv4\":{\"lastUpdated\":\"2026-11-20T10:00:00Z\",\"healthy\":false},"
                        + "\"IPv6\":{\"lastUpdated\":\"2026-11-20T10:00:00Z\",\"healthy\":false}}}");
        sync(IpFamily.IPV4, IpFamily.IPV6);
        assertThat(health.livez(codes::add).status()).isEqualTo(200);
        assertThat(codes).containsExactly(200, 503, 200);
    }

    @Test
    void isUnhealthyIfTheFirstSyncNeverComes() {
        queue();
        pass(60);
        assertThat(health.isHealthy()).isFalse();
    }

    @Test
    void tellsWhichFamilyIsBehind() {
        queue();
        pass(50);
        sync(IpFamily.IPV4);
        pass(10);
        assertThat(health.healthz(codes::add).body())
                .endsWith(
                        "\"healthy\":false,\"status\":{\"IPv4\":{\"lastUpdated\":\"2026-11-20T10:00:50Z\",\"healthy\":true},"
                                + "\"IPv6\":{\"lastUpdated\":\"2026-11-20T10:00:00Z\",\"healthy\":false}}}");
        assertThat(codes).containsExactly(503);
    }

    /** For example a setting of the kernel that cannot be written. */
    @Test
    void isUnhealthyIfSyncsFailThoughTheRulesOfEachFamilyAreInForce() {
        queue();
        pass(59);
        synced.put(IpFamily.IPV4, clock.instant());
        synced.put(IpFamily.IPV6, clock.instant());
        assertThat(health.isHealthy()).isTrue();
        pass(1);
        assertThat(health.isHealthy()).isFalse();
    }

    @Test
    void aQuietClusterIsHealthy() {
        queue();
        sync(IpFamily.IPV4, IpFamily.IPV6);
        pass(100_000);
        assertThat(health.healthz(codes::add).body()).contains("\"lastUpdated\":\"2026-11-21T13:46:40Z\"");
    }

    /** As kube-proxy: "healthy" is about the proxy, the status code about both. */
    @Test
    void aNodeThatIsToGoIsNotEligibleButLives() {
        eligible = false;
        assertThat(health.healthz(codes::add).status()).isEqualTo(503);
        assertThat(health.healthz(codes::add).body()).contains("\"nodeEligible\":false,\"healthy\":true");
        assertThat(health.livez(codes::add).status()).isEqualTo(200);
        assertThat(health.livez(codes::add).body()).doesNotContain("nodeEligible");
    }
}
