package dev.nodepath.apiserver.verbs;

import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.Kinds;
import dev.nodepath.apiserver.ObjectSchema;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.request.ApiRequest;
import dev.nodepath.apiserver.request.ApiResponse;
import dev.nodepath.apiserver.request.MediaForm;
import dev.nodepath.apiserver.request.RequestHandler;
import dev.nodepath.apiserver.request.ResourcePath;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.schema.Discovery;
import dev.nodepath.apiserver.stream.PodStreams;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;

/** Answers requests by their paths. */
public final class ApiRoutes implements RequestHandler {
    private final Kinds kinds;
    private final Discovery discovery;
    private final ObjectSchema schema;
    private final HealthVerbs health;
    private final ResourceVerbs resources;
    private final Reviews reviews;

    /**
     * The routes of one server.
     *
     * @param timer for watches
     * @param clock for ages in tables
     */
    public ApiRoutes(
            ClusterApi api,
            ObjectSchema schema,
            PodStreams streams,
            ScheduledExecutorService timer,
            InstantSource clock) {
        this.kinds = api.kinds();
        this.discovery = new Discovery(kinds);
        this.schema = schema;
        this.health = new HealthVerbs(api);
        this.resources = new ResourceVerbs(api, schema, streams, timer, clock);
        this.reviews = new Reviews(api);
    }

    /** It throws no exception: a refusal is an answer too. */
    @Override
    public ApiResponse answer(ApiRequest request) {
        try {
            return route(request);
        } catch (StatusException e) {
            return Answers.refusal(e);
        }
    }

    private ApiResponse route(ApiRequest request) {
        List<String> path = request.path();
        String first = path.isEmpty() ? "" : path.get(0);
        if (HealthVerbs.isAsked(request)) {
            return health.answer(request);
        }
        if (path.equals(List.of("version")) && request.method().equals("GET")) {
            return Answers.tree(request, 200, Discovery.version(), List.of());
        }
        Optional<ResourcePath> resource = ResourcePath.parse(kinds, path);
        if (resource.isPresent()) {
            return resources.answer(request, resource.get());
        }
        Optional<Resource> review = Reviews.asked(request);
        if (review.isPresent()) {
            return review.get().kind().equals("Binding")
                    ? resources.bind(request, path.get(3))
                    : reviews.answer(request, review.get());
        }
        return document(request, first).orElseThrow(ApiRoutes::notFound);
    }

    private Optional<ApiResponse> document(ApiRequest request, String first) {
        if (!request.method().equals("GET")) {
            return Optional.empty();
        }
        if (first.equals("openapi")) {
            return schema.openApi(kinds, request.pathText(), request.header("accept"))
                    .map(found -> new ApiResponse.Document(200, found.contentType(), found.body()));
        }
        boolean aggregated = MediaForm.of(request.header("accept")) == MediaForm.AGGREGATED_DISCOVERY;
        if (aggregated
                && (request.pathText().equals("/api") || request.pathText().equals("/apis"))) {
            return Optional.of(new ApiResponse.Document(
                    200, Discovery.AGGREGATED_TYPE, discovery.aggregated(first.equals("api"))));
        }
        return discovery.at(request.path()).map(tree -> Answers.tree(request, 200, tree, List.of()));
    }

    private static StatusException notFound() {
        return new StatusException(
                404, "NotFound", "the server could not find the requested resource", "", "", "", List.of());
    }
}
