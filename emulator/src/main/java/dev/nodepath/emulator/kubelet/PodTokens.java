package dev.nodepath.emulator.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.access.ServiceAccountToken;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The tokens of a Pod's ServiceAccount in its volumes. A token is replaced after four fifths of its life, and after a
 * day at the latest, as by a kubelet.
 */
final class PodTokens {
    private static final Duration KEPT_MAX = Duration.ofHours(24);

    private final ClusterApi api;
    private final InstantSource clock;
    private final Map<JsonNode, Held> held = new HashMap<>();

    private record Held(String text, Instant end) {}

    PodTokens(ClusterApi api, InstantSource clock) {
        this.api = api;
        this.clock = clock;
    }

    /**
     * The text of a token.
     *
     * @param source {@code serviceAccountToken} of a projected volume
     * @throws MissingReferenceException if the ServiceAccount is absent, in a kubelet's words
     */
    synchronized String text(ObjectNode pod, JsonNode source) throws MissingReferenceException {
        Instant now = clock.instant().truncatedTo(ChronoUnit.SECONDS);
        Held token = held.get(source);
        if (token == null || !now.isBefore(token.end())) {
            token = make(pod, source, now);
            held.put(source, token);
        }
        return token.text();
    }

    private Held make(ObjectNode pod, JsonNode source, Instant now) throws MissingReferenceException {
        String name = pod.path("spec").path("serviceAccountName").asText("default");
        Optional<ObjectNode> account = api.find(
                Resources.SERVICE_ACCOUNTS, new ObjectKey(ObjectKey.of(pod).namespace(), name));
        if (account.isEmpty()) {
            throw new MissingReferenceException("failed to fetch token: serviceaccounts \"" + name + "\" not found");
        }
        String audience = source.path("audience").asText("");
        Duration life = Duration.ofSeconds(source.path("expirationSeconds").asLong());
        Duration kept = life.multipliedBy(4).dividedBy(5);
        String text = new ServiceAccountToken(
                        account.get(), audience.isEmpty() ? List.of() : List.of(audience), now, life, Optional.of(pod))
                .text();
        return new Held(text, now.plus(kept.compareTo(KEPT_MAX) < 0 ? kept : KEPT_MAX));
    }
}
