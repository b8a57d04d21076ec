package dev.nodepath.agent.health;

import dev.nodepath.agent.http.HttpResponse;
import dev.nodepath.linux.IpFamily;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.IntConsumer;

/**
 * Whether the proxy keeps up with the cluster: it does not if a change has waited too long to be brought into force. At the
 * start it does. Answers {@code /healthz} and {@code /livez} as kube-proxy 1.36. Any thread may use it.
 */
public final class ProxyHealth {
    private final Clock clock;
    private final Duration timeout;
    private final List<IpFamily> families;
    private Instant lastUpdated = Instant.EPOCH;
    private Optional<Instant> oldestPending = Optional.empty();
    private boolean nodeEligible = true;

    /**
     * A proxy that starts.
     *
     * @param timeout how long a change may wait
     * @param families those that are served; both are brought into force at once
     */
    public ProxyHealth(Clock clock, Duration timeout, Collection<IpFamily> families) {
        this.clock = clock;
        this.timeout = timeout;
        this.families = families.stream().sorted().toList();
    }

    /** A change has come. */
    public synchronized void queued() {
        if (oldestPending.isEmpty()) {
            oldestPending = Optional.of(clock.instant());
        }
    }

    /** Everything that had come is in force. */
    public synchronized void updated() {
        oldestPending = Optional.empty();
        lastUpdated = clock.instant();
    }

    /** Whether load balancers should send traffic here; they should not while the node is being deleted. */
    public synchronized void nodeEligible(boolean eligible) {
        nodeEligible = eligible;
    }

    /** Whether the proxy keeps up. */
    public synchronized boolean isHealthy() {
        Instant now = clock.instant();
        return oldestPending
                .map(since -> Duration.between(since, now).compareTo(timeout) < 0)
                .orElse(true);
    }

    /** The answer to {@code /healthz}: whether the proxy keeps up and the node is to have traffic. */
    public synchronized HttpResponse healthz(IntConsumer codes) {
        return answer(isHealthy() && nodeEligible, ",\"nodeEligible\":" + nodeEligible, codes);
    }

    /** The answer to {@code /livez}: whether the proxy keeps up. */
    public synchronized HttpResponse livez(IntConsumer codes) {
        return answer(isHealthy(), "", codes);
    }

    private HttpResponse answer(boolean healthy, String eligible, IntConsumer codes) {
        Instant now = clock.instant();
        boolean updated = !lastUpdated.equals(Instant.EPOCH);
        StringBuilder json = new StringBuilder("{\"lastUpdated\":\"")
                .append(healthy ? now : lastUpdated)
                .append("\",\"currentTime\":\"")
                .append(now)
                .append('"')
                .append(eligible)
                .append(",\"healthy\":")
                .append(healthy);
        if (updated) {
            json.append(",\"status\":{");
            String comma = "";
            for (IpFamily family : families) {
                json.append(comma).append('"').append(family).append("\":{\"lastUpdated\":\"");
                json.append(isHealthy() ? now : lastUpdated)
                        .append("\",\"healthy\":")
                        .append(isHealthy())
                        .append('}');
                comma = ",";
            }
            json.append('}');
        }
        int status = healthy ? 200 : 503;
        codes.accept(status);
        return HttpResponse.json(status, json.append('}').toString());
    }
}
