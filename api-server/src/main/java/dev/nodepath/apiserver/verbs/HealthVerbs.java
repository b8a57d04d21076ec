package dev.nodepath.apiserver.verbs;

import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.request.ApiRequest;
import dev.nodepath.apiserver.request.ApiResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;

/** {@code /healthz}, {@code /livez} and {@code /readyz}: all checks, or the one in the path. */
final class HealthVerbs {
    private static final Set<String> PATHS = Set.of("healthz", "livez", "readyz");
    private static final List<String> CHECKS = List.of("ping", "etcd");

    private final ClusterApi api;

    HealthVerbs(ClusterApi api) {
        this.api = api;
    }

    static boolean isAsked(ApiRequest request) {
        return request.method().equals("GET")
                && !request.path().isEmpty()
                && PATHS.contains(request.path().get(0));
    }

    ApiResponse answer(ApiRequest request) {
        List<String> path = request.path();
        if (path.size() > 1 && (path.size() > 2 || !CHECKS.contains(path.get(1)))) {
            throw new StatusException(
                    404, "NotFound", "the server could not find the requested resource", "", "", "", List.of());
        }
        List<String> asked = path.size() > 1 ? List.of(path.get(1)) : CHECKS;
        List<String> excluded = request.query().parameters().getOrDefault("exclude", List.of());
        StringBuilder text = new StringBuilder();
        boolean passed = true;
        for (String check : asked) {
            boolean ok = excluded.contains(check) || passes(check);
            passed &= ok;
            text.append(ok ? "[+]" : "[-]")
                    .append(check)
                    .append(excluded.contains(check) ? " excluded: ok" : ok ? " ok" : " failed: reason withheld")
                    .append('\n');
        }
        text.append(path.get(0))
                .append(passed ? " check passed" : " check failed")
                .append('\n');
        boolean verbose = request.query().parameters().containsKey("verbose") || !passed;
        return new ApiResponse.Document(
                passed ? 200 : 500,
                "text/plain; charset=utf-8",
                (verbose ? text.toString() : "ok").getBytes(StandardCharsets.US_ASCII));
    }

    /** The check of etcd means the store here. */
    private boolean passes(String check) {
        return check.equals("ping") || api.store().version() >= 0;
    }
}
