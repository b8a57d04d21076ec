package dev.nodepath.apiserver.form;

import static dev.nodepath.apiserver.form.Column.age;
import static dev.nodepath.apiserver.form.Column.objectName;
import static dev.nodepath.apiserver.form.Column.text;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.resource.ConditionList;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The columns of Pods, as Kubernetes' {@code printPod} fills them. */
final class PodColumns {
    static final List<Column> ALL = List.of(
            objectName(),
            text("Ready", PodColumns::ready),
            text("Status", PodColumns::status),
            new Column("Restarts", "string", "", false, "Restarts", PodColumns::restarts),
            age(),
            text("IP", Cells.field("status", "podIP")).onlyWide(),
            text("Node", Cells.field("spec", "nodeName")).onlyWide(),
            text("Nominated Node", Cells.field("status", "nominatedNodeName")).onlyWide(),
            text("Readiness Gates", PodColumns::gates).onlyWide());

    private static final String GATED = "SchedulingGated";

    private PodColumns() {}

    private static String ready(JsonNode pod) {
        Initialization first = Initialization.of(pod);
        long ready = first.ready();
        if (!first.isGoingOn(pod)) {
            ready += pod.path("status")
                    .path("containerStatuses")
                    .valueStream()
                    .filter(each ->
                            each.path("ready").asBoolean() && each.path("state").has("running"))
                    .count();
        }
        return ready + "/"
                + (sidecars(pod).size() + pod.path("spec").path("containers").size());
    }

    private static Set<String> sidecars(JsonNode pod) {
        return pod.path("spec")
                .path("initContainers")
                .valueStream()
                .filter(each -> each.path("restartPolicy").asText("").equals("Always"))
                .map(each -> each.path("name").asText())
                .collect(Collectors.toSet());
    }

    private static String status(JsonNode pod) {
        JsonNode status = pod.path("status");
        String phase = status.path("phase").asText("");
        if (pod.path("metadata").has("deletionTimestamp") && !phase.equals("Succeeded") && !phase.equals("Failed")) {
            return status.path("reason").asText("").equals("NodeLost") ? "Unknown" : "Terminating";
        }
        Initialization first = Initialization.of(pod);
        String reason = first.reason()
                .orElse(isGated(pod) ? GATED : status.path("reason").asText(phase));
        if (first.isGoingOn(pod)) {
            return reason;
        }
        boolean running = false;
        for (int i = status.path("containerStatuses").size() - 1; i >= 0; i--) {
            JsonNode each = status.path("containerStatuses").path(i);
            Optional<String> own = containerReason(each.path("state"));
            if (own.isPresent()) {
                reason = own.get();
            }
            running |= each.path("ready").asBoolean() && each.path("state").has("running");
        }
        if (reason.equals("Completed") && running) {
            return ConditionList.isTrue(pod, "Ready") ? "Running" : "NotReady";
        }
        return reason.isEmpty() ? "Unknown" : reason;
    }

    private static boolean isGated(JsonNode pod) {
        return ConditionList.find(pod, "PodScheduled")
                .filter(each -> each.path("reason").asText().equals(GATED))
                .isPresent();
    }

    /**
     * The progress of the init containers.
     *
     * @param reason the state of the first one that is neither done nor started; empty without one
     * @param ready the ready sidecars before it
     */
    private record Initialization(Optional<String> reason, int ready) {
        static Initialization of(JsonNode pod) {
            Set<String> sidecars = sidecars(pod);
            int index = 0;
            int ready = 0;
            for (JsonNode each : pod.path("status").path("initContainerStatuses")) {
                JsonNode state = each.path("state");
                boolean done = state.has("terminated")
                        && state.path("terminated").path("exitCode").asInt() == 0;
                boolean started = sidecars.contains(each.path("name").asText())
                        && each.path("started").asBoolean();
                if (!done && !started) {
                    Optional<String> reason = containerReason(state).filter(why -> !why.equals("PodInitializing"));
                    int count = pod.path("spec").path("initContainers").size();
                    return new Initialization(Optional.of("Init:" + reason.orElse(index + "/" + count)), ready);
                }
                ready += !done && each.path("ready").asBoolean() ? 1 : 0;
                index++;
            }
            return new Initialization(Optional.empty(), ready);
        }

        boolean isGoingOn(JsonNode pod) {
            return reason.isPresent() && !ConditionList.isTrue(pod, "Initialized");
        }
    }

    private static Optional<String> containerReason(JsonNode state) {
        String waiting = state.path("waiting").path("reason").asText("");
        if (!waiting.isEmpty()) {
            return Optional.of(waiting);
        }
        if (!state.has("terminated")) {
            return Optional.empty();
        }
        JsonNode end = state.path("terminated");
        String reason = end.path("reason").asText("");
        if (!reason.isEmpty()) {
            return Optional.of(reason);
        }
        long signal = end.path("signal").asLong(0);
        return Optional.of(signal == 0 ? "ExitCode:" + end.path("exitCode").asLong(0) : "Signal:" + signal);
    }

    private static String restarts(JsonNode pod, Instant now) {
        long count = 0;
        Instant last = Instant.MIN;
        boolean initializing = Initialization.of(pod).isGoingOn(pod);
        Set<String> sidecars = sidecars(pod);
        List<JsonNode> counted = new ArrayList<>();
        for (JsonNode each : pod.path("status").path("initContainerStatuses")) {
            if (initializing || sidecars.contains(each.path("name").asText())) {
                counted.add(each);
            }
        }
        if (!initializing) {
            pod.path("status").path("containerStatuses").forEach(counted::add);
        }
        for (JsonNode each : counted) {
            count += each.path("restartCount").asLong(0);
            Instant ended = time(each.path("lastState").path("terminated").path("finishedAt"));
            last = ended.isAfter(last) ? ended : last;
        }
        return count == 0 || last.equals(Instant.MIN)
                ? String.valueOf(count)
                : count + " (" + Ages.of(Duration.between(last, now)) + " ago)";
    }

    private static Instant time(JsonNode text) {
        try {
            return text.isTextual() ? Instant.parse(text.asText()) : Instant.MIN;
        } catch (DateTimeException e) {
            return Instant.MIN;
        }
    }

    private static String gates(JsonNode pod) {
        int met = 0;
        JsonNode gates = pod.path("spec").path("readinessGates");
        for (JsonNode gate : gates) {
            met += ConditionList.isTrue(pod, gate.path("conditionType").asText()) ? 1 : 0;
        }
        return gates.isEmpty() ? "<none>" : met + "/" + gates.size();
    }
}
