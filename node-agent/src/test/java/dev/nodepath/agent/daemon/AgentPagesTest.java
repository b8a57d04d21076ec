package dev.nodepath.agent.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.agent.cluster.ClusterView;
import dev.nodepath.agent.http.HttpResponse;
import dev.nodepath.agent.metrics.ProcessMetrics;
import dev.nodepath.agent.options.DefaultSettings;
import dev.nodepath.agent.options.VariantOption;
import dev.nodepath.agent.parts.Part;
import dev.nodepath.agent.parts.Parts;
import dev.nodepath.agent.parts.Running;
import dev.nodepath.agent.process.ManualClock;
import dev.nodepath.agent.proxy.ProxyPart;
import dev.nodepath.endpoints.sync.SyncListener;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.time.WaitClock;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The answers of an agent without a running proxy; with one, the answers are the proxy's. */
class AgentPagesTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final ManualClock clock = new ManualClock("2026-11-20T20:00:00Z");
    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final Parts parts = new Parts(WaitClock.SYSTEM, new Random(), (part, error, retryIn) -> {});

    private record Saying(String name, Consumer<Running> word) implements Part {
        @Override
        public void run(Running running) throws InterruptedException {
            word.accept(running);
            assertThat(running.awaitStop(Duration.ofDays(1))).isTrue();
        }
    }

    @AfterEach
    void close() {
        parts.close();
    }

    private AgentPages withoutProxy() {
        return new AgentPages(parts, Optional.empty(), registry, clock, PATIENCE);
    }

    private AgentPages beforeTheProxy() {
        ProxyPart proxy = new ProxyPart(
                DefaultSettings.IPTABLES,
                new VariantOption(),
                new KernelLinuxNet(),
                new ClusterView("n1"),
                running -> {},
                SyncListener.NONE,
                () -> {});
        return new AgentPages(parts, Optional.of(proxy), registry, clock, PATIENCE);
    }

    private static void awaitReadyz(AgentPages pages, int status, String lines) {
        HttpResponse expected = HttpResponse.text(status, lines);
        Eventually.isTrue(
                () -> pages.health("/readyz").body(),
                () -> pages.health("/readyz").equals(expected));
    }

    @Test
    void readyzListsEachPartAndWhyItIsNotUp() throws Exception {
        AgentPages pages = withoutProxy();
        parts.start(new Saying("routes", running -> running.waiting("Node n1 has no podCIDR yet")));
        parts.start(new Saying("cni", Running::up));
        awaitReadyz(pages, 503, "[+]cni ok\n[-]routes not ready: Node n1 has no podCIDR yet\n");
    }

    @Test
    void readyzIsFineWhenAllPartsAreUp() throws Exception {
        AgentPages pages = withoutProxy();
        parts.start(new Saying("routes", Running::up));
        parts.start(new Saying("cni", Running::up));
        awaitReadyz(pages, 200, "[+]cni ok\n[+]routes ok\n");
    }

    @Test
    void thatNobodyCanBeToldKeepsNoAgentFromBeingReady() throws Exception {
        AgentPages pages = withoutProxy();
        parts.start(new Saying("cni", Running::up));
        parts.start(new Saying("condition", running -> running.waiting("refused")));
        parts.start(new Saying("events", running -> running.waiting("refused")));
        awaitReadyz(pages, 200, "[+]cni ok\n[-]condition not ready: refused\n[-]events not ready: refused\n");
    }

    @Test
    void anAgentThatIsToHaveNoProxyIsHealthyForEver() throws Exception {
        AgentPages pages = withoutProxy();
        clock.pass(PATIENCE.multipliedBy(100));
        assertThat(pages.health("/healthz").status()).isEqualTo(200);
        assertThat(pages.health("/healthz").body()).contains("\"nodeEligible\":true", "\"healthy\":true");
        assertThat(pages.health("/livez").status()).isEqualTo(200);
        assertThat(pages.metrics("/proxyMode")).isEqualTo(HttpResponse.text(200, "none"));
        assertThat(pages.metrics("/healthz")).isEqualTo(HttpResponse.text(200, "ok"));
    }

    @Test
    void aProxyThatDoesNotBeginIsUnhealthyAfterAWhile() throws Exception {
        AgentPages pages = beforeTheProxy();
        clock.pass(PATIENCE.minusMillis(1));
        assertThat(pages.health("/healthz").status()).isEqualTo(200);
        assertThat(pages.health("/livez").status()).isEqualTo(200);
        clock.pass(Duration.ofMillis(1));
        assertThat(pages.health("/healthz").status()).isEqualTo(503);
        assertThat(pages.health("/healthz").body()).contains("\"healthy\":false");
        assertThat(pages.health("/livez").status()).isEqualTo(503);
        assertThat(pages.health("/livez/ping")).isEqualTo(HttpResponse.text(200, "ok"));
    }

    @Test
    void ownMetricsAreThereWithoutAProxy() throws Exception {
        ProcessMetrics.register(registry, "1.2.3");
        assertThat(beforeTheProxy().metrics("/metrics").body()).contains("nodepath_build_info{version=\"1.2.3\"} 1");
    }

    @Test
    void otherPathsAreNotFound() throws Exception {
        AgentPages pages = withoutProxy();
        assertThat(pages.health("/metrics").status()).isEqualTo(404);
        assertThat(pages.metrics("/readyz").status()).isEqualTo(404);
        assertThat(pages.metrics("/metrics/connections").status()).isEqualTo(404);
    }
}
