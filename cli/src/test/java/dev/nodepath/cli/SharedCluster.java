package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.linux.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * A cluster with its page, shared by tests, because a start takes longer than most of them. Each test begins with
 * {@link #whole}.
 *
 * @param script runs commands in it
 * @param page its page
 * @param start its parts at the start
 */
record SharedCluster(NodepathScript script, PageClient page, Map<String, String> start) {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** The values of a Service's fields before edits; that of a traffic policy is {@code Cluster}. */
    private static final Map<String, String> DEFAULTS = Map.of("selector", "pods", "sessionAffinity", "None");

    /** Before the name of a Pod in {@link #parts}. */
    private static final String POD = "pod ";

    /** Before there is one. */
    static final SharedCluster NONE = new SharedCluster(
            new NodepathScript(Path.of(System.getProperty("java.io.tmpdir", "/tmp"))), PageClient.NONE, Map.of());

    /**
     * Gives tests the cluster that all classes with it share, of two nodes. It starts for the first of them and ends
     * with the test run, so no test of such a class ends it, and none beside them starts another.
     */
    static final class OfAllClasses implements ParameterResolver {
        private static final ExtensionContext.Namespace STORE = ExtensionContext.Namespace.create(OfAllClasses.class);

        private record Running(SharedCluster cluster, Path folder) implements AutoCloseable {
            static Running start() {
                try {
                    Path folder = Files.createTempDirectory("shared-cluster");
                    return new Running(SharedCluster.up(folder, "--mode=nftables"), folder);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new IllegalStateException(e);
                }
            }

            @Override
            public void close() throws IOException {
                try {
                    cluster.down();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                try (Stream<Path> files = Files.walk(folder)) {
                    for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                        Files.delete(file);
                    }
                }
            }
        }

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == SharedCluster.class;
        }

        @Override
        public SharedCluster resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return context.getRoot()
                    .getStore(STORE)
                    .getOrComputeIfAbsent(Running.class, key -> Running.start(), Running.class)
                    .cluster();
        }
    }

    /** Starts a cluster, with these arguments of {@code up} besides {@code --page}. */
    static SharedCluster up(Path folder, String... arguments) throws IOException, InterruptedException {
        NodepathScript script = new NodepathScript(folder);
        PageClient page = PageClient.up(script, arguments);
        return new SharedCluster(script, page, parts(page.state()));
    }

    /** As {@link #whole(String)}, for tests that any mode is good for: a switch takes seconds. Prints the mode. */
    void whole() throws IOException, InterruptedException {
        String found = page.state().path("mode").asText();
        boolean isOne = Stream.of(ProxyMode.values()).map(ProxyMode::toString).anyMatch(found::equals);
        String mode = isOne ? found : "nftables";
        System.out.println("mode " + mode);
        whole(mode);
    }

    /** Restores its state from the start, after any test, and gives every node this mode. */
    void whole(String mode) throws IOException, InterruptedException {
        Eventually.isTrue(() -> "as at the start: " + start + "; now: " + parts(page.state()), () -> {
            JsonNode state = page.state();
            if (parts(state).equals(start) && state.path("mode").asText().equals(mode)) {
                return true;
            }
            mend(state, mode);
            return false;
        });
    }

    private void mend(JsonNode state, String mode) throws IOException, InterruptedException {
        for (JsonNode node : state.path("nodes")) {
            if (!node.path("power").asBoolean()) {
                run("node", node);
            } else if (!node.path("agent").asBoolean()) {
                run("agent", node);
            }
        }
        switchTo(state, mode);
        for (JsonNode service : state.path("services")) {
            undo(service);
        }
        mendPods(state);
    }

    /** Brings back Pods without a controller, and ends Pods that were not there at the start. */
    private void mendPods(JsonNode state) throws IOException, InterruptedException {
        Set<String> gone = new TreeSet<>(start.keySet());
        for (JsonNode pod : state.path("pods")) {
            String id = pod.path("id").asText();
            if (!start.containsKey(POD + id) && !pod.path("scales").asBoolean()) {
                tryPod("kill", id);
            } else if (!pod.path("ready").asBoolean() && !pod.path("ending").asBoolean()) {
                tryPod("ready", id);
            }
            gone.remove(POD + id);
        }
        for (String part : gone) {
            if (part.startsWith(POD)) {
                tryPod("restart", part.substring(POD.length()));
            }
        }
    }

    /** The Pod may be gone or back since the state was read, or not run yet. */
    private void tryPod(String action, String pod) throws IOException, InterruptedException {
        HttpResponse<String> answer =
                page.send(action, JSON.createObjectNode().put("pod", pod).put("ready", true));
        assertThat(answer.statusCode())
                .as(action + " " + pod + ": " + answer.body())
                .isNotEqualTo(400);
    }

    /** Starts it, unless it has been started since the state was read. */
    private void run(String action, JsonNode node) throws IOException, InterruptedException {
        HttpResponse<String> answer =
                page.send(action, JSON.createObjectNode().put("run", true).set("node", node.path("id")));
        assertThat(answer.statusCode()).as(action + node + ": " + answer.body()).isIn(200, 409);
    }

    private void switchTo(JsonNode state, String mode) throws IOException, InterruptedException {
        if (state.path("mode").asText().equals("mixed")) {
            for (JsonNode node : state.path("nodes")) {
                if (!node.path("mode").asText().equals(mode)) {
                    page.post("mode", JSON.createObjectNode().put("mode", mode).set("node", node.path("id")));
                }
            }
        } else if (!state.path("mode").asText().equals(mode)) {
            page.post("mode", JSON.createObjectNode().put("mode", mode));
        }
    }

    private void undo(JsonNode service) throws IOException, InterruptedException {
        String id = service.path("id").asText();
        for (JsonNode policy : service.path("policies")) {
            String field = policy.asText().split(":", 2)[0];
            edit(id, field, DEFAULTS.getOrDefault(field, "Cluster"));
        }
        if (!start.getOrDefault(id, "").startsWith(ports(service))) {
            edit(id, "ports", "less");
        }
    }

    private void edit(String service, String field, String value) throws IOException, InterruptedException {
        page.post(
                "service",
                JSON.createObjectNode()
                        .put("service", service)
                        .put("field", field)
                        .put("value", value));
    }

    /**
     * The values that tests may change, by the part's name. The names of a Deployment's Pods differ after a change.
     */
    private static Map<String, String> parts(JsonNode state) {
        Map<String, String> parts = new TreeMap<>();
        for (JsonNode node : state.path("nodes")) {
            parts.put(
                    node.path("id").asText(),
                    "ready " + node.path("ready") + ", agent " + node.path("agent") + ", power " + node.path("power"));
        }
        for (JsonNode service : state.path("services")) {
            parts.put(
                    service.path("id").asText(),
                    ports(service) + ", " + service.path("policies") + ", ready " + ready(service.path("endpoints")));
        }
        long scaled = 0;
        long unready = 0;
        for (JsonNode pod : state.path("pods")) {
            boolean ready = pod.path("ready").asBoolean();
            if (!pod.path("scales").asBoolean()) {
                parts.put(POD + pod.path("id").asText(), "ready " + ready);
            } else {
                scaled++;
                unready += ready ? 0 : 1;
            }
        }
        parts.put("pods of Deployments", scaled + ", unready " + unready);
        return parts;
    }

    private static String ports(JsonNode service) {
        return "ports " + service.findValuesAsText("port");
    }

    private static long ready(JsonNode endpoints) {
        return endpoints.findValuesAsText("state").stream()
                .filter("ready"::equals)
                .count();
    }

    /** Ends the cluster; nothing of it stays. */
    void down() throws IOException, InterruptedException {
        script.down();
    }
}
