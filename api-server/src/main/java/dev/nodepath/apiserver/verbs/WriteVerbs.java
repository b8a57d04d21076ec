package dev.nodepath.apiserver.verbs;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.form.EventForms;
import dev.nodepath.apiserver.patch.ServerSideApply;
import dev.nodepath.apiserver.request.ApiRequest;
import dev.nodepath.apiserver.request.ApiResponse;
import dev.nodepath.apiserver.request.ObjectBody;
import dev.nodepath.apiserver.request.ResourcePath;
import dev.nodepath.apiserver.resource.Resource;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/** The verbs create and update. */
final class WriteVerbs {
    private final ClusterApi api;
    private final Answers answers;
    private final BodyChecks checks;
    private final InstantSource clock;

    WriteVerbs(ClusterApi api, Answers answers, BodyChecks checks, InstantSource clock) {
        this.api = api;
        this.answers = answers;
        this.checks = checks;
        this.clock = clock;
    }

    ApiResponse create(ApiRequest request, ResourcePath path) {
        ObjectNode object = read(request, path);
        List<String> warnings = new ArrayList<>(checks.creationWarnings(path.resource(), object));
        warnings.addAll(checks.warnings(request, path.resource(), object));
        ReviewedUser.sign(request, path.resource(), object);
        boolean dryRun = request.query().dryRun();
        ObjectNode created = api.create(stored(path), EventForms.toStored(path.resource(), object), dryRun);
        return answers.object(request, 201, path.resource(), created, warnings);
    }

    ApiResponse update(ApiRequest request, ResourcePath path) {
        ObjectNode object = read(request, path);
        List<String> warnings = checks.warnings(request, path.resource(), object);
        List<String> news = new ArrayList<>();
        ObjectNode update = EventForms.toStored(path.resource(), object);
        ObjectNode updated = api.modify(
                stored(path),
                path.key(),
                path.subresource(),
                before -> {
                    news.clear();
                    news.addAll(checks.news(warnings, path.resource(), before));
                    ObjectNode after = update.deepCopy();
                    owners(path).updated(after, before, request.fieldManager());
                    return after;
                },
                request.query().dryRun());
        return answers.object(request, 200, path.resource(), updated, news);
    }

    /** Replaces {@code spec.finalizers} of a Namespace. */
    ApiResponse finish(ApiRequest request, ResourcePath path) {
        ObjectNode object = read(request, path);
        ObjectNode updated = api.modify(
                path.resource(),
                path.key(),
                path.subresource(),
                before -> {
                    before.withObjectProperty("spec")
                            .set(
                                    "finalizers",
                                    object.path("spec").path("finalizers").deepCopy());
                    return before;
                },
                request.query().dryRun());
        return answers.object(request, 200, path.resource(), updated, List.of());
    }

    private ServerSideApply owners(ResourcePath path) {
        return new ServerSideApply(stored(path), path.subresource(), clock.instant());
    }

    private static Resource stored(ResourcePath path) {
        return EventForms.stored(path.resource());
    }

    private static ObjectNode read(ApiRequest request, ResourcePath path) {
        if (path.resource().namespaced() && path.namespace().isEmpty()) {
            throw StatusException.badRequest("an empty namespace may not be set during creation");
        }
        ObjectNode object = ObjectBody.read(request, path.resource());
        BodyChecks.place(path, object);
        return object;
    }
}
