package dev.nodepath.apiserver.verbs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.form.EventForms;
import dev.nodepath.apiserver.form.JsonForm;
import dev.nodepath.apiserver.patch.JsonPatchRequest;
import dev.nodepath.apiserver.patch.MergePatch;
import dev.nodepath.apiserver.patch.ServerSideApply;
import dev.nodepath.apiserver.patch.StrategicMergePatch;
import dev.nodepath.apiserver.request.ApiRequest;
import dev.nodepath.apiserver.request.ApiResponse;
import dev.nodepath.apiserver.request.Nodes;
import dev.nodepath.apiserver.request.ObjectBody;
import dev.nodepath.apiserver.request.ResourcePath;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** The verb patch, in its four forms. */
final class PatchVerb {
    private static final String APPLY = "application/apply-patch+yaml";

    private final ClusterApi api;
    private final Answers answers;
    private final BodyChecks checks;
    private final InstantSource clock;

    PatchVerb(ClusterApi api, Answers answers, BodyChecks checks, InstantSource clock) {
        this.api = api;
        this.answers = answers;
        this.checks = checks;
        this.clock = clock;
    }

    ApiResponse patch(ApiRequest request, ResourcePath path) {
        return request.contentType().equals(APPLY) ? apply(request, path) : change(request, path);
    }

    /** The change of a patch; it may change its argument. */
    static UnaryOperator<ObjectNode> change(ApiRequest request, Resource resource) {
        String type = request.contentType();
        if (type.equals("application/json-patch+json")) {
            JsonNode patch = ObjectBody.tree(request, "Patch");
            return object -> JsonPatchRequest.apply(object, patch);
        }
        boolean merge = type.equals("application/merge-patch+json");
        boolean strategic = type.equals("application/strategic-merge-patch+json") && Resources.isBuiltIn(resource);
        if (!merge && !strategic) {
            throw new StatusException(
                    415,
                    "UnsupportedMediaType",
                    "the body of the request was in an unknown format - accepted media types include:"
                            + " application/json-patch+json, application/merge-patch+json, "
                            + (Resources.isBuiltIn(resource) ? "application/strategic-merge-patch+json, " : "")
                            + APPLY,
                    "",
                    "",
                    "",
                    List.of());
        }
        ObjectNode patch = object(ObjectBody.tree(request, resource.kind()));
        return object -> {
            if (merge) {
                MergePatch.apply(object, patch.deepCopy());
            } else {
                StrategicMergePatch.apply(resource, object, patch.deepCopy());
            }
            return object;
        };
    }

    private ApiResponse change(ApiRequest request, ResourcePath path) {
        UnaryOperator<ObjectNode> patch = change(request, path.resource());
        List<String> warnings = new ArrayList<>();
        ObjectNode patched = api.modify(
                EventForms.stored(path.resource()),
                path.key(),
                path.subresource(),
                before -> {
                    warnings.clear();
                    ObjectNode old = before.deepCopy();
                    ObjectNode object = patch.apply(new JsonForm(path.resource()).one(before));
                    check(path, object);
                    warnings.addAll(
                            checks.news(checks.warnings(request, path.resource(), object), path.resource(), old));
                    ObjectNode stored = EventForms.toStored(path.resource(), object);
                    owners(path).updated(stored, old, request.fieldManager());
                    return stored;
                },
                request.query().dryRun());
        return answers.object(request, 200, path.resource(), patched, warnings);
    }

    private ApiResponse apply(ApiRequest request, ResourcePath path) {
        String manager = request.query().text("fieldManager");
        if (manager.isEmpty()) {
            throw new StatusException(
                    422,
                    "Invalid",
                    "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for apply"
                            + " patch",
                    "meta.k8s.io",
                    "PatchOptions",
                    "",
                    List.of(new StatusException.Cause(
                            "FieldValueRequired", "Required value: is required for apply patch", "fieldManager")));
        }
        ObjectNode applied = ObjectBody.read(request, path.resource());
        if (!applied.path("metadata").path("managedFields").isEmpty()) {
            throw StatusException.badRequest("metadata.managedFields must be nil");
        }
        check(path, applied);
        List<String> warnings = new ArrayList<>(checks.warnings(request, path.resource(), applied));
        ObjectNode config = EventForms.toStored(path.resource(), applied);
        if (path.subresource().isEmpty()
                && api.find(path.resource(), path.key()).isEmpty()) {
            try {
                warnings.addAll(0, checks.creationWarnings(path.resource(), applied));
                return createFrom(request, path, config, manager, warnings);
            } catch (StatusException e) {
                if (!e.reason().equals("AlreadyExists")) {
                    throw e;
                }
            }
        }
        return applyTo(request, path, config, manager, warnings);
    }

    private ApiResponse applyTo(
            ApiRequest request, ResourcePath path, ObjectNode config, String manager, List<String> warnings) {
        boolean force = request.query().flag("force");
        ObjectNode stored = api.modify(
                EventForms.stored(path.resource()),
                path.key(),
                path.subresource(),
                object -> {
                    JsonNode version = config.path("metadata").path("resourceVersion");
                    owners(path).apply(object, config, manager, force);
                    if (version.isTextual()) {
                        object.withObjectProperty("metadata").set("resourceVersion", version);
                    }
                    return object;
                },
                request.query().dryRun());
        return answers.object(request, 200, path.resource(), stored, warnings);
    }

    private ApiResponse createFrom(
            ApiRequest request, ResourcePath path, ObjectNode config, String manager, List<String> warnings) {
        ObjectNode object = owners(path).create(config, manager);
        ReviewedUser.sign(request, path.resource(), object);
        ObjectNode created = api.create(
                EventForms.stored(path.resource()), object, request.query().dryRun());
        return answers.object(request, 201, path.resource(), created, warnings);
    }

    private static void check(ResourcePath path, ObjectNode object) {
        ObjectBody.requireKind(
                object, path.resource().apiVersion(), path.resource().kind());
        if (object.has("metadata") && !object.path("metadata").isObject()) {
            throw StatusException.badRequest(
                    "metadata: expected an object, found " + Nodes.typeOf(object.path("metadata")));
        }
        BodyChecks.place(path, object);
    }

    private ServerSideApply owners(ResourcePath path) {
        return new ServerSideApply(EventForms.stored(path.resource()), path.subresource(), clock.instant());
    }

    private static ObjectNode object(JsonNode tree) {
        if (tree instanceof ObjectNode object) {
            return object;
        }
        throw StatusException.badRequest("the body is no patch: expected an object, found " + Nodes.typeOf(tree));
    }
}
