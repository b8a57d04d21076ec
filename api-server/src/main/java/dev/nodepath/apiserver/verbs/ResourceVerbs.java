package dev.nodepath.apiserver.verbs;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.ObjectSchema;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.request.ApiRequest;
import dev.nodepath.apiserver.request.ApiResponse;
import dev.nodepath.apiserver.request.MediaForm;
import dev.nodepath.apiserver.request.ObjectBody;
import dev.nodepath.apiserver.request.ResourcePath;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.stream.PodStreams;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;

/** Chooses the verb of a request for a kind or an object: by its method, and by whether the path names an object. */
final class ResourceVerbs {
    private final ReadVerbs reads;
    private final WriteVerbs writes;
    private final PatchVerb patches;
    private final DeleteVerbs deletes;
    private final ScaleVerbs scales;
    private final PodVerbs pods;
    private final TokenVerb tokens;

    /**
     * The verbs of all kinds.
     *
     * @param timer for watches
     * @param clock for ages and for times of changes
     */
    ResourceVerbs(
            ClusterApi api,
            ObjectSchema schema,
            PodStreams streams,
            ScheduledExecutorService timer,
            InstantSource clock) {
        Answers answers = new Answers(api.kinds(), clock);
        BodyChecks checks = new BodyChecks(schema);
        reads = new ReadVerbs(api, answers, timer, clock);
        writes = new WriteVerbs(api, answers, checks, clock);
        patches = new PatchVerb(api, answers, checks, clock);
        deletes = new DeleteVerbs(api, answers);
        scales = new ScaleVerbs(api, answers, clock);
        tokens = new TokenVerb(api, clock);
        pods = new PodVerbs(api, streams, clock);
    }

    ApiResponse answer(ApiRequest request, ResourcePath path) {
        MediaForm.of(request.header("accept")); // refuses what it cannot answer, before anything is done
        if (path.name().isEmpty()) {
            return ofKind(request, path);
        }
        return switch (path.subresource()) {
            case "", "status", Resources.APPROVAL, Resources.EPHEMERAL_CONTAINERS -> ofObject(request, path);
            case "scale" ->
                switch (request.method()) {
                    case "GET" -> scales.get(request, path);
                    case "PUT" -> scales.update(request, path);
                    case "PATCH" -> scales.patch(request, path);
                    default -> throw methodNotAllowed(path);
                };
            case "log" -> {
                requireMethod("GET", request, path);
                yield pods.log(request, path);
            }
            case "exec", "attach" -> pods.exec(request, path);
            case "portforward" -> pods.forwardPorts(request, path);
            case "binding" -> {
                requireMethod("POST", request, path);
                yield pods.bind(request, path);
            }
            case "eviction" -> {
                requireMethod("POST", request, path);
                yield pods.evict(request, path);
            }
            case "finalize" -> {
                requireMethod("PUT", request, path);
                yield writes.finish(request, path);
            }
            case "token" -> {
                requireMethod("POST", request, path);
                yield tokens.create(request, path);
            }
            default -> throw methodNotAllowed(path);
        };
    }

    /** Places the Pod of a Binding: the Binding is an object of its own here, not the Pod's subresource. */
    ApiResponse bind(ApiRequest request, String namespace) {
        JsonNode name = ObjectBody.tree(request, "Binding").path("metadata").path("name");
        if (name.asText("").isEmpty()) {
            throw StatusException.badRequest("Binding: metadata.name: Required value");
        }
        return pods.bind(request, new ResourcePath(Resources.PODS, namespace, name.asText(), "binding"));
    }

    private ApiResponse ofKind(ApiRequest request, ResourcePath path) {
        return switch (request.method()) {
            case "GET" -> request.query().flag("watch") ? reads.watch(request, path) : reads.list(request, path);
            case "POST" -> writes.create(request, path);
            case "DELETE" -> deletes.deleteAll(request, path);
            default -> throw methodNotAllowed(path);
        };
    }

    private ApiResponse ofObject(ApiRequest request, ResourcePath path) {
        return switch (request.method()) {
            case "GET" -> request.query().flag("watch") ? reads.watch(request, path) : reads.get(request, path);
            case "PUT" -> writes.update(request, path);
            case "PATCH" -> patches.patch(request, path);
            case "DELETE" -> {
                if (!path.subresource().isEmpty()) {
                    throw methodNotAllowed(path);
                }
                yield deletes.delete(request, path);
            }
            default -> throw methodNotAllowed(path);
        };
    }

    private static void requireMethod(String method, ApiRequest request, ResourcePath path) {
        if (!request.method().equals(method)) {
            throw methodNotAllowed(path);
        }
    }

    private static StatusException methodNotAllowed(ResourcePath path) {
        return new StatusException(
                405,
                "MethodNotAllowed",
                "the server does not allow this method on the requested resource",
                path.resource().group(),
                path.resource().plural(),
                path.name(),
                List.of());
    }
}
