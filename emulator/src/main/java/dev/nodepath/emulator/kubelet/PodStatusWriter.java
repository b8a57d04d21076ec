package dev.nodepath.emulator.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ConditionList;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Writes a kubelet's knowledge into a Pod's status. Conditions keep the time of their last change. */
final class PodStatusWriter {
    static final String DEADLINE_EXCEEDED = "DeadlineExceeded";
    static final String DEADLINE_MESSAGE = "Pod was active on the node longer than the specified deadline";

    private PodStatusWriter() {}

    /**
     * A Pod's containers and network at one moment.
     *
     * @param hostIp the node's address
     * @param addresses the Pod's; empty before it has a network
     * @param sandbox id of the sandbox; empty before there is one
     * @param overdue whether {@code activeDeadlineSeconds} has ended it
     * @param initialized whether every initContainer is done, or has started as a sidecar
     * @param startedAt when the kubelet took it
     * @param initContainers in order
     * @param containers in order
     * @param ephemeral the containers that were added later, in order
     */
    record Running(
            String hostIp,
            List<String> addresses,
            String sandbox,
            boolean overdue,
            boolean initialized,
            Instant startedAt,
            List<ContainerStatus> initContainers,
            List<ContainerStatus> containers,
            List<ContainerStatus> ephemeral) {

        /** The containers that run as long as the Pod: sidecars, then the main ones. */
        private List<ContainerStatus> lasting() {
            return Stream.concat(initContainers.stream().filter(ContainerStatus::isSidecar), containers.stream())
                    .toList();
        }
    }

    /** Changes the status of a copy of the Pod. */
    static ObjectNode write(ObjectNode pod, Running running, Instant now) {
        ObjectNode status = pod.withObjectProperty("status");
        String phase = phase(pod, running);
        status.put("phase", phase).put("hostIP", running.hostIp());
        if (hasEndedLate(running)) {
            status.put("reason", DEADLINE_EXCEEDED).put("message", DEADLINE_MESSAGE);
        }
        status.putArray("hostIPs").addObject().put("ip", running.hostIp());
        if (!running.addresses().isEmpty()) {
            status.put("podIP", running.addresses().get(0));
            ArrayNode addresses = status.putArray("podIPs");
            running.addresses().forEach(address -> addresses.addObject().put("ip", address));
        }
        status.put("startTime", seconds(running.startedAt()));
        List<ContainerStatus> lasting = running.lasting();
        boolean ready = running.initialized()
                && lasting.stream().allMatch(ContainerStatus::ready)
                && !running.containers().isEmpty();
        condition(status, "PodReadyToStartContainers", !running.sandbox().isEmpty(), "", "", now);
        String incomplete =
                "containers with incomplete status: " + names(running.initContainers(), each -> !each.lets());
        condition(status, "Initialized", running.initialized(), "ContainersNotInitialized", incomplete, now);
        String reason = switch (phase) {
            case "Succeeded" -> "PodCompleted";
            case "Failed" -> "PodFailed";
            default -> "ContainersNotReady";
        };
        boolean ended = !reason.equals("ContainersNotReady");
        String message = ended ? "" : "containers with unready status: " + names(lasting, each -> !each.ready());
        List<String> gates = unreadyGates(pod);
        if (ready && !gates.isEmpty()) {
            condition(status, "Ready", false, "ReadinessGatesNotReady", String.join(", ", gates), now);
        } else {
            condition(status, "Ready", ready, reason, message, now);
        }
        condition(status, "ContainersReady", ready, reason, message, now);
        containers(status, "initContainerStatuses", running.initContainers());
        containers(status, "containerStatuses", running.containers());
        containers(status, "ephemeralContainerStatuses", running.ephemeral());
        return pod;
    }

    private static String names(List<ContainerStatus> containers, Predicate<ContainerStatus> which) {
        return containers.stream().filter(which).map(ContainerStatus::name).collect(Collectors.joining(" ", "[", "]"));
    }

    /** A kubelet's message for each readiness gate whose condition is not True (KEP-580). */
    private static List<String> unreadyGates(ObjectNode pod) {
        List<String> unready = new ArrayList<>();
        for (JsonNode gate : pod.path("spec").path("readinessGates")) {
            String type = gate.path("conditionType").asText();
            String found = ConditionList.status(pod, type);
            if (found.isEmpty()) {
                unready.add("corresponding condition of pod readiness gate \"" + type + "\" does not exist.");
            } else if (!found.equals("True")) {
                unready.add("the status of pod readiness gate \"" + type + "\" is not \"True\", but " + found);
            }
        }
        return unready;
    }

    private static String phase(ObjectNode pod, Running running) {
        List<ContainerStatus> containers = running.containers();
        boolean runs = running.lasting().stream().anyMatch(ContainerStatus::runs);
        boolean initFailed = running.initContainers().stream()
                .filter(each -> !each.isSidecar())
                .anyMatch(PodStatusWriter::hasFailed);
        if (hasEndedLate(running) || (initFailed && !runs)) {
            return "Failed";
        }
        // Sidecars do not decide the phase, but the Pod ends after them.
        if (!runs
                && !containers.isEmpty()
                && containers.stream().allMatch(each -> each.exitCode().isPresent())) {
            return containers.stream().anyMatch(PodStatusWriter::hasFailed) ? "Failed" : "Succeeded";
        }
        boolean begun = containers.stream().anyMatch(ContainerStatus::begun);
        return begun ? "Running" : pod.path("status").path("phase").asText("Pending");
    }

    /** The Pod fails when its last container has ended, not before. */
    private static boolean hasEndedLate(Running running) {
        return running.overdue()
                && Stream.concat(running.initContainers().stream(), running.containers().stream())
                        .noneMatch(ContainerStatus::runs);
    }

    private static boolean hasFailed(ContainerStatus container) {
        return container.exitCode().map(code -> code != 0).orElse(false);
    }

    private static void containers(ObjectNode status, String field, List<ContainerStatus> statuses) {
        if (!statuses.isEmpty()) {
            ArrayNode entries = status.putArray(field);
            statuses.forEach(each -> entries.add(each.entry()));
        }
    }

    private static void condition(
            ObjectNode status, String type, boolean holds, String reason, String message, Instant now) {
        ArrayNode conditions = status.withArrayProperty("conditions");
        ObjectNode condition = null;
        for (JsonNode each : conditions) {
            if (each.path("type").asText().equals(type)) {
                condition = (ObjectNode) each;
            }
        }
        String value = holds ? "True" : "False";
        if (condition == null) {
            condition = conditions.addObject().put("type", type);
        }
        if (!condition.path("status").asText("").equals(value)) {
            condition.put("status", value).put("lastTransitionTime", seconds(now));
        }
        condition.putNull("lastProbeTime");
        condition.remove("reason");
        condition.remove("message");
        if (!holds && !reason.isEmpty()) {
            condition.put("reason", reason);
        }
        if (!holds && !message.isEmpty()) {
            condition.put("message", message);
        }
    }

    private static String seconds(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
