package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.nodepath.linux.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files in the shapes of public charts and tutorials, each in a namespace of its own: {@code corpus}. */
@Tag("netns")
class CorpusTest {
    private static final Duration LIMIT = Duration.ofMinutes(10);
    private static final Path CORPUS =
            Path.of(System.getProperty("nodepath.home"), "cli/src/test/resources/dev/nodepath/cli/corpus");

    /** Manifests that cannot run here, with a part of the Event that tells the reason. */
    private static final Map<String, String> NOT_READY = Map.of(
            "tutorials/Deployment/gpu", "didn't match Pod's node affinity/selector",
            "tutorials/Deployment/not-here", "exec: \"/manager\": stat /manager: no such file or directory");

    @TempDir
    private Path folder;

    private NodepathScript nodepath = new NodepathScript(Path.of("/"));

    @AfterEach
    void down() throws IOException, InterruptedException {
        nodepath.down();
    }

    @Test
    void everyFileIsTakenAndAlmostAllOfItGetsReady() throws IOException, InterruptedException {
        nodepath = NodepathScript.up(folder);
        for (Path file : files()) {
            apply(file);
        }
        Set<String> workloads = new TreeSet<>();
        Eventually.isTrue(
                LIMIT,
                () -> "all but " + NOT_READY.keySet() + " ready: " + unready(workloads) + "\n"
                        + nodepath.ask("kubectl", "get", "pods,events", "-A").output(),
                () -> unready(workloads).equals(NOT_READY.keySet()));
        assertThat(workloads).hasSizeGreaterThanOrEqualTo(80);
        assertThat(NOT_READY.size() * 20).isLessThanOrEqualTo(workloads.size());

        JsonNode events = get("events", "--field-selector", "type=Warning");
        NOT_READY.forEach((workload, why) -> {
            String pods = workload.replaceFirst("(.*)/.*/(.*)", "$1/$2-");
            assertThat(events)
                    .as(workload)
                    .anyMatch(event -> involved(event).startsWith(pods)
                            && event.path("message").asText().contains(why));
        });
    }

    private static List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(CORPUS)) {
            return files.sorted().toList();
        }
    }

    /** Into a namespace of its own, unless the file names some itself. */
    private void apply(Path file) throws IOException, InterruptedException {
        String namespace = file.getFileName().toString().replace(".yaml", "");
        NodepathScript.Result applied;
        if (Files.readString(file).contains("namespace: ")) {
            applied = nodepath.ask("kubectl", "apply", "-f", file.toString());
        } else {
            nodepath.ask("kubectl", "create", "namespace", namespace);
            applied = nodepath.ask("kubectl", "-n", namespace, "apply", "-f", file.toString());
        }
        assertThat(applied.exitCode()).as(file + "\n" + applied.output()).isZero();
    }

    /** The workloads that are not as their file asks. All of them are added to the set. */
    private Set<String> unready(Set<String> workloads) throws IOException, InterruptedException {
        Map<String, Boolean> ready = new TreeMap<>();
        for (JsonNode each : get("deployments,statefulsets,daemonsets,jobs,cronjobs,pods")) {
            if (!each.path("metadata").has("ownerReferences")) {
                ready.put(name(each), isReady(each));
            }
        }
        workloads.addAll(ready.keySet());
        ready.values().removeIf(is -> is);
        return ready.keySet();
    }

    private static boolean isReady(JsonNode each) {
        JsonNode spec = each.path("spec");
        JsonNode status = each.path("status");
        return switch (each.path("kind").asText()) {
            case "Deployment", "StatefulSet" ->
                status.path("readyReplicas").asInt() == spec.path("replicas").asInt();
            case "DaemonSet" -> status.path("numberReady").asInt() == 2;
            case "Job" -> holds(status, "Complete");
            case "CronJob" -> true;
            default -> holds(status, "Ready") || status.path("phase").asText().equals("Succeeded");
        };
    }

    private static boolean holds(JsonNode status, String condition) {
        return status.path("conditions")
                .valueStream()
                .anyMatch(each -> each.path("type").asText().equals(condition)
                        && each.path("status").asText().equals("True"));
    }

    private static String name(JsonNode each) {
        JsonNode metadata = each.path("metadata");
        return metadata.path("namespace").asText() + "/" + each.path("kind").asText() + "/"
                + metadata.path("name").asText();
    }

    private static String involved(JsonNode event) {
        JsonNode object = event.path("involvedObject");
        return object.path("namespace").asText() + "/" + object.path("name").asText();
    }

    private JsonNode get(String kinds, String... more) throws IOException, InterruptedException {
        Stream<String> command = Stream.concat(Stream.of("kubectl", "get", kinds, "-A", "-o", "json"), Stream.of(more));
        String output = nodepath.ask(command.toArray(String[]::new)).output();
        return new ObjectMapper().readTree(output).path("items");
    }
}
