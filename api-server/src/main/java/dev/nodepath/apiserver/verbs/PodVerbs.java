package dev.nodepath.apiserver.verbs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.Deletion;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.request.ApiRequest;
import dev.nodepath.apiserver.request.ApiResponse;
import dev.nodepath.apiserver.request.ObjectBody;
import dev.nodepath.apiserver.request.Query;
import dev.nodepath.apiserver.request.ResourcePath;
import dev.nodepath.apiserver.request.StatusBody;
import dev.nodepath.apiserver.resource.ConditionList;
import dev.nodepath.apiserver.stream.ExecOptions;
import dev.nodepath.apiserver.stream.ExecSession;
import dev.nodepath.apiserver.stream.LogOptions;
import dev.nodepath.apiserver.stream.PodStreams;
import dev.nodepath.apiserver.stream.PortSession;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The subresources of Pods: {@code binding}, {@code eviction}, {@code log}, {@code exec}, {@code attach},
 * {@code portforward}.
 */
final class PodVerbs {
    private final ClusterApi api;
    private final PodStreams streams;
    private final InstantSource clock;

    PodVerbs(ClusterApi api, PodStreams streams, InstantSource clock) {
        this.api = api;
        this.streams = streams;
        this.clock = clock;
    }

    /** Places a Pod on a Node. */
    ApiResponse bind(ApiRequest request, ResourcePath path) {
        JsonNode body = ObjectBody.tree(request, "Binding");
        String node = body.path("target").path("name").asText("");
        if (node.isEmpty()) {
            throw StatusException.badRequest("Binding: target.name: Required value");
        }
        api.modify(
                path.resource(),
                path.key(),
                "binding",
                pod -> place(path, pod, node),
                request.query().dryRun());
        return Answers.tree(request, 201, StatusBody.success(201), List.of());
    }

    /** Deletes a Pod and writes the reason into its status; no disruption budget can forbid it here. */
    ApiResponse evict(ApiRequest request, ResourcePath path) {
        JsonNode options = ObjectBody.tree(request, "Eviction").path("deleteOptions");
        Deletion how = DeleteVerbs.deletion(request.query(), options);
        boolean dryRun = DeleteVerbs.dryRun(request, options);
        // A refusal of the deletion refuses the whole eviction.
        String uid = uid(api.delete(path.resource(), path.key(), how, true));
        if (!dryRun) {
            api.modify(path.resource(), path.key(), "status", pod -> uid(pod).equals(uid) ? disrupt(pod) : pod);
            api.delete(path.resource(), path.key(), new Deletion(how.graceSeconds(), how.propagation(), uid, ""));
        }
        return Answers.tree(request, 201, StatusBody.success(201), List.of());
    }

    private ObjectNode disrupt(ObjectNode pod) {
        ConditionList.set(
                pod, "DisruptionTarget", "True", "EvictionByEvictionAPI", "Eviction API: evicting", clock.instant());
        return pod;
    }

    ApiResponse log(ApiRequest request, ResourcePath path) {
        Query query = request.query();
        ObjectNode pod = api.get(path.resource(), path.key());
        LogOptions options = new LogOptions(
                query.text("container"),
                query.flag("follow"),
                query.flag("previous"),
                query.flag("timestamps"),
                since(query),
                query.number("tailLines"),
                query.number("limitBytes"));
        requireContainer(pod, options.container());
        return new ApiResponse.Stream("text/plain", streams.log(pod, options));
    }

    /** Runs a command, or attaches to the container's own. */
    ApiResponse exec(ApiRequest request, ResourcePath path) {
        Query query = request.query();
        ObjectNode pod = api.get(path.resource(), path.key());
        List<String> command = query.parameters().getOrDefault("command", List.of());
        boolean attach = path.subresource().equals("attach");
        if (command.isEmpty() != attach) {
            throw StatusException.badRequest(
                    attach
                            ? "command: Forbidden: attach runs no command"
                            : "you must specify at least 1 command for exec");
        }
        ExecOptions options = new ExecOptions(
                query.text("container"),
                command,
                query.flag("stdin"),
                query.flag("stdout"),
                query.flag("stderr"),
                query.flag("tty"));
        requireContainer(pod, options.container());
        return StreamUpgrade.answer(request, new ExecSession(streams, pod, options));
    }

    ApiResponse forwardPorts(ApiRequest request, ResourcePath path) {
        return StreamUpgrade.answer(request, new PortSession(streams, api.get(path.resource(), path.key())));
    }

    private ObjectNode place(ResourcePath path, ObjectNode pod, String node) {
        String present = pod.path("spec").path("nodeName").asText("");
        if (!present.isEmpty()) {
            throw StatusException.conflict(
                    path.resource(),
                    path.name(),
                    "pod " + path.name() + " is already assigned to node \"" + present + "\"");
        }
        if (!pod.path("spec").path("schedulingGates").isEmpty()) {
            throw StatusException.conflict(
                    path.resource(), path.name(), "pod " + path.name() + " has non-empty .spec.schedulingGates");
        }
        pod.withObjectProperty("spec").put("nodeName", node);
        ConditionList.set(pod, "PodScheduled", "True", "", "", clock.instant());
        return pod;
    }

    private static String uid(JsonNode pod) {
        return pod.path("metadata").path("uid").asText();
    }

    private Optional<Instant> since(Query query) {
        OptionalLong seconds = query.number("sinceSeconds");
        if (seconds.isPresent()) {
            return Optional.of(clock.instant().minusSeconds(Math.min(seconds.getAsLong(), Integer.MAX_VALUE)));
        }
        String time = query.text("sinceTime");
        try {
            return time.isEmpty() ? Optional.empty() : Optional.of(Instant.parse(time));
        } catch (DateTimeException e) {
            throw StatusException.badRequest("sinceTime: Invalid value: \"" + time + "\": must be a time in RFC 3339");
        }
    }

    static void requireContainer(ObjectNode pod, String container) {
        JsonNode containers = pod.path("spec").path("containers");
        String name = pod.path("metadata").path("name").asText();
        StringBuilder names = new StringBuilder();
        for (JsonNode each : containers) {
            if (each.path("name").asText().equals(container)) {
                return;
            }
            names.append(names.isEmpty() ? "" : " ").append(each.path("name").asText());
        }
        for (String list : List.of("initContainers", "ephemeralContainers")) {
            for (JsonNode each : pod.path("spec").path(list)) {
                if (each.path("name").asText().equals(container)) {
                    return;
                }
            }
        }
        if (!container.isEmpty()) {
            throw StatusException.badRequest("container " + container + " is not valid for pod " + name);
        }
        if (containers.size() > 1) {
            throw StatusException.badRequest(
                    "a container name must be specified for pod " + name + ", choose one of: [" + names + "]");
        }
    }
}
