package dev.nodepath.apiserver.verbs;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.FieldSelector;
import dev.nodepath.apiserver.LabelSelector;
import dev.nodepath.apiserver.ObjectSelector;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.form.EventForms;
import dev.nodepath.apiserver.request.ApiRequest;
import dev.nodepath.apiserver.request.ApiResponse;
import dev.nodepath.apiserver.request.Json;
import dev.nodepath.apiserver.request.MediaForm;
import dev.nodepath.apiserver.request.Query;
import dev.nodepath.apiserver.request.ResourcePath;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.store.Listing;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ScheduledExecutorService;

/** The verbs get, list and watch. */
final class ReadVerbs {
    private static final Duration WATCH_TIMEOUT = Duration.ofHours(1);

    private final ClusterApi api;
    private final Answers answers;
    private final ScheduledExecutorService timer;
    private final ListSnapshots snapshots;
    private final EventEncoder encoder = new EventEncoder();

    ReadVerbs(ClusterApi api, Answers answers, ScheduledExecutorService timer, InstantSource clock) {
        this.api = api;
        this.answers = answers;
        this.timer = timer;
        this.snapshots = new ListSnapshots(api.store(), clock);
    }

    ApiResponse get(ApiRequest request, ResourcePath path) {
        ObjectNode object = api.get(path.resource(), path.key());
        return answers.object(request, 200, path.resource(), object, List.of());
    }

    ApiResponse list(ApiRequest request, ResourcePath path) {
        Query query = request.query();
        ObjectSelector selector = selector(query, path);
        Page page = page(query, path, selector);
        ObjectNode metadata = Json.MAPPER.createObjectNode();
        metadata.put("resourceVersion", String.valueOf(page.version()));
        if (!page.next().isEmpty()) {
            metadata.put("continue", page.next());
        }
        ListPieces pieces = new ListPieces(answers.form(request, path.resource()), metadata, page.objects());
        return MediaForm.of(request.header("accept")) == MediaForm.YAML
                ? Answers.tree(request, 200, whole(pieces), List.of())
                : new ApiResponse.Pieces(ApiResponse.JSON, pieces);
    }

    ApiResponse watch(ApiRequest request, ResourcePath path) {
        Query query = request.query();
        boolean initial = query.flag("sendInitialEvents");
        if (initial && !query.text("resourceVersionMatch").equals("NotOlderThan")) {
            throw StatusException.badRequest("resourceVersionMatch: Forbidden: sendInitialEvents requires setting"
                    + " resourceVersionMatch to NotOlderThan");
        }
        OptionalLong version = query.number("resourceVersion");
        boolean fromPresent = initial || version.isEmpty() || version.getAsLong() == 0;
        OptionalLong seconds = query.number("timeoutSeconds");
        boolean bookmarks = query.flag("allowWatchBookmarks");
        return new ApiResponse.Stream(
                ApiResponse.JSON,
                new WatchSource(
                        api,
                        new WatchOptions(
                                path.resource(),
                                EventForms.stored(path.resource()),
                                path.namespace(),
                                selector(query, path),
                                answers.form(request, path.resource()),
                                fromPresent ? OptionalLong.empty() : version,
                                bookmarks,
                                initial && bookmarks,
                                seconds.isPresent() && seconds.getAsLong() > 0
                                        ? Duration.ofSeconds(Math.min(seconds.getAsLong(), WATCH_TIMEOUT.toSeconds()))
                                        : WATCH_TIMEOUT),
                        encoder,
                        timer));
    }

    /** The selectors of a request; a request for one name selects that object. */
    static ObjectSelector selector(Query query, ResourcePath path) {
        Resource stored = EventForms.stored(path.resource());
        ObjectSelector fields = FieldSelector.parse(stored, fieldNames(path.resource(), query.text("fieldSelector")));
        ObjectSelector labels = LabelSelector.parse(query.text("labelSelector"));
        ObjectSelector named = path.name().isEmpty()
                ? ObjectSelector.ALL
                : object -> object.path("metadata").path("name").asText().equals(path.name());
        return named.and(labels).and(fields);
    }

    private static String fieldNames(Resource resource, String selector) {
        return EventForms.stored(resource).equals(resource)
                ? selector
                : selector.replace("regarding.", "involvedObject.");
    }

    private record Page(long version, List<ObjectNode> objects, String next) {}

    private Page page(Query query, ResourcePath path, ObjectSelector selector) {
        String token = query.text("continue");
        ContinueToken start =
                token.isEmpty() ? new ContinueToken(-1, new ObjectKey("", "")) : ContinueToken.parse(token);
        Listing listing = token.isEmpty() ? current(query, path) : kept(path, start);
        long limit = query.number("limit").orElse(0);
        List<ObjectNode> objects = new ArrayList<>();
        for (ObjectNode object : listing.objects()) {
            boolean after = token.isEmpty() || ObjectKey.of(object).compareTo(start.after()) > 0;
            if (!after || !selector.test(object)) {
                continue;
            }
            if (limit > 0 && objects.size() == limit) {
                snapshots.keep(path.resource(), path.namespace(), listing);
                ObjectKey last = ObjectKey.of(objects.get(objects.size() - 1));
                return new Page(listing.version(), objects, new ContinueToken(listing.version(), last).text());
            }
            objects.add(object);
        }
        return new Page(listing.version(), objects, "");
    }

    private Listing current(Query query, ResourcePath path) {
        OptionalLong version = query.number("resourceVersion");
        boolean exact = query.text("resourceVersionMatch").equals("Exact");
        Listing listing = api.list(path.resource(), path.namespace());
        if (version.isPresent() && version.getAsLong() > listing.version()) {
            throw new StatusException(
                    504,
                    "Timeout",
                    "Too large resource version: " + version.getAsLong() + ", current: " + listing.version(),
                    "",
                    "",
                    "",
                    List.of(new StatusException.Cause("ResourceVersionTooLarge", "Too large resource version", "")));
        }
        if (exact && version.isPresent() && version.getAsLong() != listing.version()) {
            return snapshots
                    .find(path.resource(), path.namespace(), version.getAsLong())
                    .orElseThrow(() -> expired("The resourceVersion for the provided list is too old."));
        }
        return listing;
    }

    private Listing kept(ResourcePath path, ContinueToken start) {
        return snapshots
                .find(path.resource(), path.namespace(), start.version())
                .orElseThrow(() -> expired("The provided continue parameter is too old to display a consistent list"
                        + " result. You must start a new list without the continue parameter."));
    }

    private static StatusException expired(String message) {
        return new StatusException(410, "Expired", message, "", "", "", List.of());
    }

    private static ObjectNode whole(ListPieces pieces) {
        java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
        pieces.forEachRemaining(out::writeBytes);
        try {
            return (ObjectNode) Json.MAPPER.readTree(out.toByteArray());
        } catch (java.io.IOException e) {
            throw new IllegalStateException("a list that is no JSON", e);
        }
    }
}
