package dev.nodepath.endpoints.source.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.endpoints.source.SourceException;
import java.io.IOException;
import java.time.Duration;
import java.util.random.RandomGenerator;

/** The checks before the first watch. They report a wrong configuration at once. */
final class ServerProbe {
    /** The most tries of a request while the server is busy. */
    static final int MAX_TRIES = 5;

    private static final String DISCOVERY = "/apis/discovery.k8s.io/v1";
    private static final String NETWORKING = "/apis/networking.k8s.io/v1";

    private final ApiClient client;
    private final String origin;
    private final WatchLimits limits;
    private final RandomGenerator random;

    ServerProbe(ApiClient client, String origin, WatchLimits limits, RandomGenerator random) {
        this.client = client;
        this.origin = origin;
        this.limits = limits;
        this.random = random;
    }

    /**
     * Checks that the server has EndpointSlices of {@code discovery.k8s.io/v1}, which Kubernetes has since 1.21.
     *
     * @throws SourceException if it has not, or does not answer
     */
    void checkSlices() throws SourceException, InterruptedException {
        if (!serves(DISCOVERY, "endpointslices")) {
            throw new SourceException(origin + ": " + client.url(DISCOVERY)
                    + ": no endpointslices (expected: an API server of Kubernetes 1.21 or newer)");
        }
    }

    /**
     * Whether the server has ServiceCIDRs of {@code networking.k8s.io/v1}, which Kubernetes has since 1.33.
     *
     * @throws SourceException if the server does not answer
     */
    boolean servesServiceCidrs() throws SourceException, InterruptedException {
        return serves(NETWORKING, "servicecidrs");
    }

    private boolean serves(String group, String wanted) throws SourceException, InterruptedException {
        try {
            for (JsonNode resource : ask(group).path("resources")) {
                if (resource.path("name").asText("").equals(wanted)) {
                    return true;
                }
            }
            return false;
        } catch (ApiException e) {
            if (e.isNotFound()) {
                return false;
            }
            throw problem(group, e, "the right to get it");
        } catch (IOException e) {
            throw problem(group, e, "the right to get it");
        }
    }

    /**
     * Checks that we may list a kind.
     *
     * @throws SourceException if the server does not answer the list
     */
    void checkList(ResourceKind<?> kind) throws SourceException, InterruptedException {
        String path = kind.query("limit=1");
        try {
            ask(path);
        } catch (IOException e) {
            throw problem(path, e, AccessRule.toFollow(path));
        }
    }

    private JsonNode ask(String path) throws IOException, InterruptedException {
        for (int tries = 1; ; tries++) {
            try {
                return client.object(path);
            } catch (ApiException e) {
                if (!e.isPassing() || tries == MAX_TRIES) {
                    throw e;
                }
                Duration asked = e.retryAfter().orElse(Duration.ZERO);
                Duration wait = limits.retry()
                        .after(tries, random)
                        .plus(
                                asked.compareTo(limits.retry().max()) < 0
                                        ? asked
                                        : limits.retry().max());
                Thread.sleep(wait.toMillis());
            }
        }
    }

    private SourceException problem(String path, IOException e, String right) {
        String expected = e instanceof ApiException answer && answer.isDenied()
                ? right
                : "an answer from a Kubernetes API server";
        int query = path.indexOf('?');
        return new SourceException(
                origin + ": GET " + client.url(query < 0 ? path : path.substring(0, query)) + ": "
                        + ApiClient.explain(e) + " (expected: " + expected + ")",
                e);
    }
}
