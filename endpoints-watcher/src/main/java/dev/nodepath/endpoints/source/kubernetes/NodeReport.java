package dev.nodepath.endpoints.source.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Function;

/**
 * The agent's reports to the API server about its Node. Each call has a connection of its own, because calls are rare.
 * Errors name the request, and the RBAC rule if it is missing.
 */
public final class NodeReport {
    private static final Duration ANSWER_MAX = Duration.ofSeconds(10);

    private final ApiServerAccess access;
    private final String node;
    private final InstantSource clock;

    /** Makes the reports of a Node. */
    public NodeReport(ApiServerAccess access, String node, InstantSource clock) {
        this.access = access;
        this.node = node;
        this.clock = clock;
    }

    /**
     * Sets the condition {@code NetworkUnavailable} to False, if it is not.
     *
     * @return whether it changed anything
     */
    public boolean networkReady(String reason, String message) throws IOException, InterruptedException {
        return patchStatus(known -> NetworkCondition.patch(known, reason, message, clock.instant()));
    }

    /**
     * Removes the condition {@code NetworkUnavailable}, if it has this reason.
     *
     * @return whether it removed the condition; false if the Node is gone
     */
    public boolean networkRemoved(String reason) throws IOException, InterruptedException {
        try {
            return patchStatus(known -> NetworkCondition.removal(known, reason));
        } catch (RefusedException e) {
            if (e.getCause() instanceof ApiException answer && answer.isNotFound()) {
                return false;
            }
            throw e;
        }
    }

    private boolean patchStatus(Function<JsonNode, Optional<String>> change) throws IOException, InterruptedException {
        String path = "/api/v1/nodes/" + ResourceKind.encode(node);
        try (ApiClient client = open()) {
            Optional<String> patch;
            try {
                patch = change.apply(client.object(path));
            } catch (IOException e) {
                throw problem("GET", client, path, e, "get");
            }
            if (patch.isPresent()) {
                change(client, "PATCH", path + "/status", "application/strategic-merge-patch+json", patch.get());
            }
            return patch.isPresent();
        }
    }

    /**
     * Creates an Event.
     *
     * @throws RefusedException if the server will never take this event
     */
    public void event(NodeEvent event) throws IOException, InterruptedException {
        try (ApiClient client = open()) {
            change(client, "POST", NodeEvent.PATH, "application/json", event.json());
        }
    }

    private void change(ApiClient client, String method, String path, String type, String body)
            throws IOException, InterruptedException {
        try {
            client.change(method, path, type, body);
        } catch (IOException e) {
            throw problem(method, client, path, e, method.equals("POST") ? "create" : "patch");
        }
    }

    private ApiClient open() throws IOException {
        try {
            return new ApiClient(access, ANSWER_MAX);
        } catch (GeneralSecurityException e) {
            throw new IOException(access.origin() + ": TLS: " + ApiClient.explain(e), e);
        }
    }

    private static IOException problem(String method, ApiClient client, String path, IOException e, String verb) {
        String expected = e instanceof ApiException answer && answer.isDenied()
                ? "the RBAC rule " + AccessRule.of(path, verb)
                : "an answer from a Kubernetes API server";
        String problem =
                method + " " + client.url(path) + ": " + ApiClient.explain(e) + " (expected: " + expected + ")";
        return e instanceof ApiException answer && answer.isRefusal()
                ? new RefusedException(problem, e)
                : new IOException(problem, e);
    }
}
