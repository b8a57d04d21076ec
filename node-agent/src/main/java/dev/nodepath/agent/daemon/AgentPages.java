package dev.nodepath.agent.daemon;

import dev.nodepath.agent.http.HttpResponse;
import dev.nodepath.agent.http.ProxyHealth;
import dev.nodepath.agent.metrics.MetricsText;
import dev.nodepath.agent.parts.PartState;
import dev.nodepath.agent.parts.Parts;
import dev.nodepath.agent.proxy.ProxyPart;
import dev.nodepath.linux.address.IpFamily;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * An agent's answers on kube-proxy's ports: its proxy's pages; {@code /readyz}, which checks every part that the
 * node's pods need; and {@code /livez/ping}, which only shows that the process answers, as in Kubernetes' servers. The
 * latter checks no part, since a restart of the process would also end CNI calls and relayed connections.
 */
final class AgentPages {
    /** Parts that only report to the cluster. They do not count for readiness, because that would stop a rollout. */
    private static final Set<String> TELLING = Set.of("condition", "events");

    private final Parts parts;
    private final Optional<ProxyPart> proxy;
    private final PrometheusRegistry own;
    private final ProxyHealth withoutProxy;

    /**
     * Pages of these parts.
     *
     * @param proxy empty without a proxy
     * @param own the agent's metrics without the proxy's
     */
    AgentPages(Parts parts, Optional<ProxyPart> proxy, PrometheusRegistry own, InstantSource clock, Duration patience) {
        this.parts = parts;
        this.proxy = proxy;
        this.own = own;
        Optional<Instant> pending = proxy.isPresent() ? Optional.of(clock.instant()) : Optional.empty();
        this.withoutProxy = new ProxyHealth(clock, patience, List.of(), new NoProxy(pending));
    }

    /** The port of {@code --healthz-bind-address}. */
    HttpResponse health(String path) throws Exception {
        if (path.equals("/readyz")) {
            return ready();
        }
        if (path.equals("/livez/ping")) {
            return HttpResponse.text(200, "ok");
        }
        Optional<ProxyPart.Opened> at = opened();
        if (at.isPresent()) {
            return at.get().proxy().status().healthPage().handle(path);
        }
        return switch (path) {
            case "/healthz" -> withoutProxy.healthz(code -> {});
            case "/livez" -> withoutProxy.livez(code -> {});
            default -> HttpResponse.text(404, "404 page not found\n");
        };
    }

    /** The port of {@code --metrics-bind-address}. */
    HttpResponse metrics(String path) throws Exception {
        Optional<ProxyPart.Opened> at = opened();
        if (at.isPresent()) {
            return at.get()
                    .proxy()
                    .status()
                    .metricsPage(() -> joined(own.scrape(), at.get().metrics().scrape()))
                    .handle(path);
        }
        return withoutProxy(path);
    }

    private HttpResponse withoutProxy(String path) throws IOException {
        return switch (path) {
            case "/metrics" -> MetricsText.response(own.scrape());
            case "/proxyMode" -> HttpResponse.text(200, "none");
            case "/healthz" -> HttpResponse.text(200, "ok");
            default -> HttpResponse.text(404, "404 page not found\n");
        };
    }

    private Optional<ProxyPart.Opened> opened() {
        return proxy.flatMap(ProxyPart::opened);
    }

    /** The answer of {@code /readyz}: one line for each part, as Kubernetes' servers list their checks. */
    private HttpResponse ready() {
        Map<String, PartState> states = new TreeMap<>(parts.states());
        boolean ready =
                states.entrySet().stream().allMatch(part -> part.getValue().up() || TELLING.contains(part.getKey()));
        String lines = states.entrySet().stream()
                .map(part -> (part.getValue().up() ? "[+]" : "[-]") + part.getKey()
                        + (part.getValue().up()
                                ? " ok"
                                : " not ready: " + part.getValue().problem()) + "\n")
                .collect(Collectors.joining());
        return HttpResponse.text(ready ? 200 : 503, lines);
    }

    private static MetricSnapshots joined(MetricSnapshots one, MetricSnapshots other) {
        List<MetricSnapshot> all = new ArrayList<>(one.stream().toList());
        all.addAll(other.stream().toList());
        return new MetricSnapshots(all);
    }

    /** Health without a running proxy: healthy if none is configured, or while it may still start. */
    private record NoProxy(Optional<Instant> pendingSince) implements ProxyHealth.Progress {
        @Override
        public Optional<Instant> lastSync(IpFamily family) {
            return Optional.empty();
        }

        @Override
        public boolean isNodeEligible() {
            return true;
        }
    }
}
