package dev.nodepath.agent.http;

import dev.nodepath.linux.address.IpFamily;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.IntConsumer;

/**
 * Whether the proxy keeps up with the cluster: it does not if a change has waited too long for its sync. A new proxy
 * counts as keeping up. Answers {@code /healthz} and {@code /livez} as kube-proxy 1.36. Thread-safe.
 */
public final class ProxyHealth {
    private final InstantSource clock;
    private final Instant started;
    private final Duration timeout;
    private final List<IpFamily> families;
    private final Progress progress;

    /** The present state of the proxy and the cluster. */
    public interface Progress {
        /** The arrival of the oldest change that is not in force in every family; empty if all are. */
        Optional<Instant> pendingSince();

        /** The last time at which all changes were in force in a family; empty before the first time. */
        Optional<Instant> lastSync(IpFamily family);

        /** Whether load balancers should send traffic here: not while the node is being deleted. */
        boolean isNodeEligible();
    }

    /**
     * A proxy that starts.
     *
     * @param timeout how long a change may wait
     * @param families the served families
     */
    public ProxyHealth(InstantSource clock, Duration timeout, Collection<IpFamily> families, Progress progress) {
        this.clock = clock;
        this.started = clock.instant();
        this.timeout = timeout;
        this.families = families.stream().sorted().toList();
        this.progress = progress;
    }

    /** Whether the proxy keeps up. */
    public boolean isHealthy() {
        return isHealthy(progress.pendingSince(), clock.instant());
    }

    /** The answer to {@code /healthz}: whether the proxy keeps up and the node should get traffic. */
    public HttpResponse healthz(IntConsumer codes) {
        boolean eligible = progress.isNodeEligible();
        return answer(eligible, ",\"nodeEligible\":" + eligible, codes);
    }

    /** The answer to {@code /livez}: whether the proxy keeps up. */
    public HttpResponse livez(IntConsumer codes) {
        return answer(true, "", codes);
    }

    private boolean isHealthy(Optional<Instant> pending, Instant now) {
        return pending.map(since -> Duration.between(since, now).compareTo(timeout) < 0)
                .orElse(true);
    }

    /** A family that was synced while another failed has waited only since then. */
    private boolean isHealthy(IpFamily family, Optional<Instant> pending, Instant now) {
        Instant synced = lastSync(family);
        return isHealthy(pending.map(since -> since.isAfter(synced) ? since : synced), now);
    }

    private Instant lastSync(IpFamily family) {
        return progress.lastSync(family).orElse(started);
    }

    /**
     * The answer with kube-proxy's fields. As in kube-proxy, the last update of a healthy process is the present time.
     */
    private HttpResponse answer(boolean eligible, String eligibility, IntConsumer codes) {
        Optional<Instant> pending = progress.pendingSince();
        Instant now = clock.instant();
        boolean keepsUp = isHealthy(pending, now);
        int status = keepsUp && eligible ? 200 : 503;
        Instant latest = families.stream()
                .map(this::lastSync)
                .max(Comparator.naturalOrder())
                .orElse(started);
        StringBuilder json = new StringBuilder("{\"lastUpdated\":\"")
                .append(status == 200 ? now : latest)
                .append("\",\"currentTime\":\"")
                .append(now)
                .append('"')
                .append(eligibility)
                .append(",\"healthy\":")
                .append(keepsUp)
                .append(",\"status\":{");
        String comma = "";
        for (IpFamily family : families) {
            json.append(comma).append('"').append(family).append("\":{\"lastUpdated\":\"");
            json.append(lastSync(family))
                    .append("\",\"healthy\":")
                    .append(isHealthy(family, pending, now))
                    .append('}');
            comma = ",";
        }
        codes.accept(status);
        return HttpResponse.json(status, json.append("}}").toString());
    }
}
