package dev.nodepath.apiserver.verbs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.patch.ServerSideApply;
import dev.nodepath.apiserver.request.ApiRequest;
import dev.nodepath.apiserver.request.ApiResponse;
import dev.nodepath.apiserver.request.Json;
import dev.nodepath.apiserver.request.Nodes;
import dev.nodepath.apiserver.request.ObjectBody;
import dev.nodepath.apiserver.request.ResourcePath;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.resource.SelectorMatch;
import java.time.InstantSource;
import java.util.List;
import java.util.function.UnaryOperator;

/** The subresource {@code scale}: replicas of any set of Pods as {@code autoscaling/v1 Scale}. */
final class ScaleVerbs {
    private static final String API_VERSION = Resources.SCALES.apiVersion();
    private static final String KIND = Resources.SCALES.kind();

    private final ClusterApi api;
    private final Answers answers;
    private final InstantSource clock;

    ScaleVerbs(ClusterApi api, Answers answers, InstantSource clock) {
        this.api = api;
        this.answers = answers;
        this.clock = clock;
    }

    ApiResponse get(ApiRequest request, ResourcePath path) {
        return answers.object(request, 200, Resources.SCALES, scale(api.get(path.resource(), path.key())), List.of());
    }

    ApiResponse update(ApiRequest request, ResourcePath path) {
        JsonNode tree = ObjectBody.tree(request, KIND);
        if (!(tree instanceof ObjectNode body)) {
            throw StatusException.badRequest("the body is no Scale: expected an object, found " + Nodes.typeOf(tree));
        }
        return change(request, path, scale -> body);
    }

    ApiResponse patch(ApiRequest request, ResourcePath path) {
        return change(request, path, PatchVerb.change(request, path.resource()));
    }

    private ApiResponse change(ApiRequest request, ResourcePath path, UnaryOperator<ObjectNode> change) {
        ObjectNode stored = api.modify(
                path.resource(),
                path.key(),
                "",
                object -> {
                    ObjectNode before = object.deepCopy();
                    ObjectNode scale = change.apply(scale(object));
                    ObjectBody.requireKind(scale, API_VERSION, KIND);
                    long replicas = replicas(path, scale);
                    object.withObjectProperty("spec").put("replicas", replicas);
                    new ServerSideApply(path.resource(), path.subresource(), clock.instant())
                            .updated(object, before, request.fieldManager());
                    String version =
                            scale.path("metadata").path("resourceVersion").asText("");
                    if (!version.isEmpty()) {
                        object.withObjectProperty("metadata").put("resourceVersion", version);
                    }
                    return object;
                },
                request.query().dryRun());
        return answers.object(request, 200, Resources.SCALES, scale(stored), List.of());
    }

    private static long replicas(ResourcePath path, ObjectNode scale) {
        JsonNode replicas = scale.path("spec").path("replicas");
        if (replicas.isMissingNode() || replicas.isNull()) {
            return 0;
        }
        if (!replicas.isIntegralNumber() || !replicas.canConvertToInt() || replicas.asLong() < 0) {
            throw StatusException.invalid(
                    Resources.SCALES,
                    path.name(),
                    List.of(new StatusException.Cause(
                            "FieldValueInvalid",
                            "Invalid value: " + replicas + ": must be greater than or equal to 0",
                            "spec.replicas")));
        }
        return replicas.asLong();
    }

    private static ObjectNode scale(ObjectNode object) {
        ObjectNode scale = Json.MAPPER.createObjectNode();
        scale.put("kind", KIND).put("apiVersion", API_VERSION);
        ObjectNode metadata = object.path("metadata").deepCopy();
        scale.set("metadata", metadata.retain("name", "namespace", "uid", "resourceVersion", "creationTimestamp"));
        scale.putObject("spec")
                .put("replicas", object.path("spec").path("replicas").asInt(0));
        scale.putObject("status")
                .put("replicas", object.path("status").path("replicas").asInt(0))
                .put("selector", SelectorMatch.text(object.path("spec").path("selector")));
        return scale;
    }
}
