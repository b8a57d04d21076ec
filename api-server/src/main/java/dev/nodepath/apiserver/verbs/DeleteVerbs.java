package dev.nodepath.apiserver.verbs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.Deletion;
import dev.nodepath.apiserver.ObjectSelector;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.form.EventForms;
import dev.nodepath.apiserver.request.ApiRequest;
import dev.nodepath.apiserver.request.ApiResponse;
import dev.nodepath.apiserver.request.Json;
import dev.nodepath.apiserver.request.ObjectBody;
import dev.nodepath.apiserver.request.Query;
import dev.nodepath.apiserver.request.ResourcePath;
import dev.nodepath.apiserver.request.StatusBody;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.Listing;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/** The verb delete, for one object and for all that a selector chooses. */
final class DeleteVerbs {
    private static final Set<String> IMMORTAL = Set.of("default", "kube-system", "kube-public");
    private static final Set<String> PROPAGATIONS = Set.of("Background", "Foreground", "Orphan");

    private final ClusterApi api;
    private final Answers answers;

    DeleteVerbs(ClusterApi api, Answers answers) {
        this.api = api;
        this.answers = answers;
    }

    ApiResponse delete(ApiRequest request, ResourcePath path) {
        JsonNode options = options(request);
        Resource stored = EventForms.stored(path.resource());
        requireMortal(stored, path.name());
        ObjectNode last = api.delete(stored, path.key(), deletion(request.query(), options), dryRun(request, options));
        boolean remains = last.path("metadata").has("deletionTimestamp")
                || path.resource().plural().equals("pods");
        return remains
                ? answers.object(request, 200, path.resource(), last, List.of())
                : Answers.tree(request, 200, StatusBody.success(path.resource(), last), List.of());
    }

    ApiResponse deleteAll(ApiRequest request, ResourcePath path) {
        JsonNode options = options(request);
        Deletion how = deletion(request.query(), options);
        ObjectSelector selector = ReadVerbs.selector(request.query(), path);
        Resource stored = EventForms.stored(path.resource());
        Listing listing = api.list(stored, path.namespace());
        List<ObjectNode> deleted = new ArrayList<>();
        for (ObjectNode object : listing.objects()) {
            if (selector.test(object)) {
                deleteIfPresent(request, stored, object, how, options, deleted);
            }
        }
        ObjectNode metadata = Json.MAPPER.createObjectNode();
        metadata.put("resourceVersion", String.valueOf(api.store().version()));
        return new ApiResponse.Pieces(
                ApiResponse.JSON, new ListPieces(answers.form(request, path.resource()), metadata, deleted));
    }

    private void deleteIfPresent(
            ApiRequest request,
            Resource stored,
            ObjectNode object,
            Deletion how,
            JsonNode options,
            List<ObjectNode> deleted) {
        try {
            requireMortal(stored, ObjectKey.of(object).name());
            deleted.add(api.delete(stored, ObjectKey.of(object), how, dryRun(request, options)));
        } catch (StatusException e) {
            if (e.code() != 404) {
                throw e;
            }
        }
    }

    /** As in Kubernetes' NamespaceLifecycle. */
    private static void requireMortal(Resource stored, String name) {
        if (stored.equals(Resources.NAMESPACES) && IMMORTAL.contains(name)) {
            throw StatusException.forbidden(stored, name, "this namespace may not be deleted");
        }
    }

    private static JsonNode options(ApiRequest request) {
        if (request.body().length == 0) {
            return Json.MAPPER.createObjectNode();
        }
        JsonNode options = ObjectBody.tree(request, "DeleteOptions");
        String kind = options.path("kind").asText("DeleteOptions");
        if (!options.isObject() || !kind.equals("DeleteOptions")) {
            throw StatusException.badRequest("decoded object cannot be converted to DeleteOptions");
        }
        return options;
    }

    /** Whether the request or its {@code DeleteOptions} ask for a dry run. */
    static boolean dryRun(ApiRequest request, JsonNode options) {
        boolean asked = request.query().dryRun();
        for (JsonNode each : options.path("dryRun")) {
            if (!each.asText().equals("All")) {
                throw StatusException.badRequest(
                        "dryRun: Unsupported value: \"" + each.asText() + "\": supported values: \"All\"");
            }
            asked = true;
        }
        return asked;
    }

    /** The deletion that the parameters of a request and its {@code DeleteOptions} ask for. */
    static Deletion deletion(Query query, JsonNode options) {
        JsonNode preconditions = options.path("preconditions");
        return new Deletion(
                grace(query, options),
                propagation(query, options),
                preconditions.path("uid").asText(""),
                preconditions.path("resourceVersion").asText(""));
    }

    private static OptionalLong grace(Query query, JsonNode options) {
        JsonNode grace = options.path("gracePeriodSeconds");
        if (grace.isMissingNode() || grace.isNull()) {
            return query.number("gracePeriodSeconds");
        }
        if (!grace.canConvertToLong() || !grace.isIntegralNumber() || grace.asLong() < 0) {
            throw StatusException.badRequest(
                    "gracePeriodSeconds: Invalid value: " + grace + ": must be a number that is not negative");
        }
        return OptionalLong.of(grace.asLong());
    }

    private static String propagation(Query query, JsonNode options) {
        boolean orphan = options.path("orphanDependents").asBoolean() || query.flag("orphanDependents");
        String inBody = options.path("propagationPolicy").asText("");
        String asked = !inBody.isEmpty() ? inBody : query.text("propagationPolicy");
        if (asked.isEmpty()) {
            return orphan ? "Orphan" : "Background";
        }
        if (!PROPAGATIONS.contains(asked)) {
            throw StatusException.badRequest("propagationPolicy: Unsupported value: \"" + asked
                    + "\": supported values: \"Background\", \"Foreground\", \"Orphan\"");
        }
        return asked;
    }
}
