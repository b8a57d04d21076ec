package dev.nodepath.endpoints.source.kubernetes;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.source.Fields;
import dev.nodepath.endpoints.source.Problems;
import dev.nodepath.endpoints.source.SharedValues;
import dev.nodepath.endpoints.source.SkippedObjects;
import dev.nodepath.linux.time.WaitClock;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a sink equal to the server's objects of one kind. It lists once, then watches. It lists again only after 410,
 * after an unreadable event, or when the server's resourceVersion has gone back. After any other failure, however long,
 * it watches again from the last version. Meanwhile the sink keeps its objects.
 */
final class Reflector<R> implements Runnable {
    /** The longest event. etcd allows 1.5 MB for an object. */
    static final int MAX_EVENT_BYTES = 16 << 20;
    /** The most pages of a list. More pages are an error of the server. */
    static final int MAX_PAGES = 10_000;
    /** The longest Retry-After of a server that we follow. */
    static final Duration MAX_RETRY_AFTER = Duration.ofMinutes(5);

    private static final int HTTP_NOT_FOUND = 404;
    private static final Logger LOG = LoggerFactory.getLogger(Reflector.class);
    /** The name for every object without one. */
    private static final NamespacedName NAMELESS = new NamespacedName("", "");

    private final ApiClient client;
    private final ResourceKind<R> kind;
    private final ObjectSink<R> sink;
    private final SkippedObjects skipped;
    private final WatchHealth health;
    private final WatchLimits limits;
    private final RandomGenerator random;
    private final Semaphore listing;
    private final CountDownLatch stop;
    private final WaitClock time;
    private final ObjectMapper mapper = new ObjectMapper();
    private final SharedValues namespaces = new SharedValues();

    /** The resourceVersion to watch from; null if a list is necessary. */
    private @Nullable String version;
    /** Whether the last watch ended abnormally, so that the server's store may be another one. */
    private boolean doubtful;

    private boolean progressed;
    private int failures;
    private long failingSince;

    /**
     * @param listing one permit for all lists from this server, so that they run one after the other
     * @param stop is counted down at the end; the thread must be interrupted, too
     * @param time the clock of waits between tries; the client has its own limits for a request
     */
    Reflector(
            ApiClient client,
            ResourceKind<R> kind,
            ObjectSink<R> sink,
            SkippedObjects skipped,
            WatchHealth health,
            WatchLimits limits,
            RandomGenerator random,
            Semaphore listing,
            CountDownLatch stop,
            WaitClock time) {
        this.client = client;
        this.kind = kind;
        this.sink = sink;
        this.skipped = skipped;
        this.health = health;
        this.limits = limits;
        this.random = random;
        this.listing = listing;
        this.stop = stop;
        this.time = time;
    }

    /** Watches the server until it is stopped. */
    @Override
    public void run() {
        try {
            while (stop.getCount() > 0) {
                Duration wait = attempt();
                if (time.await(stop, wait)) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Lists if necessary, and watches until the watch ends. Returns the wait before the next attempt. */
    private Duration attempt() throws InterruptedException {
        long start = time.nanos();
        progressed = false;
        try {
            if (version == null || (doubtful && wentBack(version))) {
                version = null;
                version = list();
            }
            doubtful = true;
            watch(version);
            doubtful = !progressed;
            failures = 0;
            Duration elapsed = Duration.ofNanos(time.nanos() - start);
            Duration spacing = limits.retry().after(1, random).minus(elapsed);
            return spacing.isNegative() ? Duration.ZERO : spacing;
        } catch (IOException | RuntimeException e) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            return failed(e);
        }
    }

    private Duration failed(Exception e) {
        if (e instanceof ApiException answer && answer.code() == HTTP_NOT_FOUND && sink.isWithout()) {
            return withoutKind();
        }
        health.failed(e);
        failures = progressed ? 1 : failures + 1;
        Duration wait = limits.retry().after(failures, random);
        if (e instanceof ApiException answer && answer.retryAfter().isPresent()) {
            Duration asked = answer.retryAfter().get();
            wait = wait.plus(asked.compareTo(MAX_RETRY_AFTER) < 0 ? asked : MAX_RETRY_AFTER);
        }
        if ((e instanceof ApiException answer && answer.isVersionUnusable()) || e instanceof JsonProcessingException) {
            version = null;
        }
        if (failures == 1) {
            failingSince = time.nanos();
        }
        Optional<String> forbidden = forbidden(e);
        forbidden.ifPresent(right -> sink.forbidden());
        // A cut watch is ordinary. A lasting failure is logged once.
        boolean isNews = forbidden.map(health::forbidden).orElse(failures == 2);
        (isNews ? LOG.atWarn() : LOG.atDebug())
                .addKeyValue("kind", kind.name())
                .addKeyValue("error", forbidden.orElse(ApiClient.explain(e)))
                .addKeyValue("relist", version == null)
                .addKeyValue("retry_ms", wait.toMillis())
                .log("source.disconnected");
        return wait;
    }

    /** It may get the kind at any time. */
    private Duration withoutKind() {
        health.heard();
        version = null;
        failures = 0;
        return limits.retry().after(Integer.MAX_VALUE, random);
    }

    /** The request that the server forbids, with the missing RBAC rule. */
    private Optional<String> forbidden(Exception e) {
        return e instanceof ApiException answer && answer.isForbidden()
                ? Optional.of("GET " + client.url(kind.path()) + ": " + ApiClient.explain(e) + " (expected: "
                        + AccessRule.toFollow(kind.path()) + ")")
                : Optional.empty();
    }

    /** Whether the server's resourceVersion has gone back: its store was restored, and a watch would miss changes. */
    private boolean wentBack(String seen) throws IOException, InterruptedException {
        ObjectList now;
        try (BodyStream body = client.get(kind.query("limit=1"), kind.accept(false), limits.answer())) {
            now = ObjectList.read(mapper, body, kind.unread(), object -> {});
        }
        return isOlder(now.version(), seen);
    }

    private String list() throws IOException, InterruptedException {
        listing.acquire();
        try {
            long start = time.nanos();
            Map<NamespacedName, List<R>> objects = new HashMap<>();
            String listed;
            try {
                listed = pages(objects);
            } catch (ApiException e) {
                if (!e.isVersionUnusable()) {
                    throw e;
                }
                // The pages of a list are of one version; if that is gone between two of them, all at once cannot fail
                // so.
                objects.clear();
                listed = page("", objects).version();
            }
            // The end of an object without a name cannot be reported.
            Set<NamespacedName> present = new HashSet<>(objects.keySet());
            present.add(NAMELESS);
            skipped.retain(kind.name(), present);
            health.listed();
            // Last: the figures of a snapshot are there before it is.
            sink.replace(objects);
            LOG.atInfo()
                    .addKeyValue("kind", kind.name())
                    .addKeyValue("objects", objects.size())
                    .addKeyValue("version", listed)
                    .addKeyValue("duration_ms", TimeUnit.NANOSECONDS.toMillis(time.nanos() - start))
                    .log("source.listed");
            return listed;
        } finally {
            listing.release();
        }
    }

    private String pages(Map<NamespacedName, List<R>> objects) throws IOException, InterruptedException {
        String limit = "limit=" + limits.pageSize();
        ObjectList page = page(limit, objects);
        String first = page.version();
        for (int pages = 1; !page.next().isEmpty(); pages++) {
            if (pages >= MAX_PAGES) {
                throw new IOException("list of more than " + MAX_PAGES + " pages");
            }
            page = page(limit + "&continue=" + ResourceKind.encode(page.next()), objects);
        }
        return first;
    }

    private ObjectList page(String parameters, Map<NamespacedName, List<R>> objects)
            throws IOException, InterruptedException {
        // Without a resourceVersion the answer is the newest state, so a list never goes back.
        try (BodyStream body = client.get(kind.query(parameters), kind.accept(false), limits.answer())) {
            return ObjectList.read(mapper, body, kind.unread(), object -> {
                Optional<NamespacedName> name = name(object);
                name.ifPresent(known -> objects.put(known, records(known, object)));
            });
        }
    }

    private void watch(String from) throws IOException, InterruptedException {
        String query = "watch=true&allowWatchBookmarks=true&resourceVersion=" + ResourceKind.encode(from)
                + "&timeoutSeconds=" + limits.watchSeconds(random);
        try (BodyStream body = client.get(kind.query(query), kind.accept(true), limits.silence())) {
            health.watching();
            for (Optional<byte[]> line = body.readLine(MAX_EVENT_BYTES);
                    line.isPresent();
                    line = body.readLine(MAX_EVENT_BYTES)) {
                event(mapper.readTree(line.get()));
            }
        }
    }

    private void event(JsonNode event) throws IOException {
        String type = event.path("type").asText("");
        JsonNode object = event.path("object");
        if (type.equals("ERROR")) {
            throw ApiClient.failure(object, object.path("code").asInt(0), Optional.empty());
        }
        String now = object.path("metadata").path("resourceVersion").asText("");
        if (version != null && isOlder(now, version)) {
            version = null;
            throw new IOException("resourceVersion went back to " + now);
        }
        if (type.equals("BOOKMARK")) {
            health.heard();
        } else {
            health.event();
            Optional<NamespacedName> name = name(object);
            if (name.isPresent()) {
                change(type, name.get(), object);
            }
        }
        if (!now.isEmpty()) {
            version = now;
        }
        progressed();
    }

    private void change(String type, NamespacedName name, JsonNode object) {
        switch (type) {
            case "ADDED", "MODIFIED" -> sink.put(name, records(name, object));
            case "DELETED" -> {
                skipped.forget(kind.name(), name);
                sink.remove(name);
            }
            // A type of a later version does not matter here.
            default -> LOG.atDebug().addKeyValue("type", type).log("source.event_unknown");
        }
    }

    private void progressed() {
        progressed = true;
        if (failures >= 2) {
            LOG.atInfo()
                    .addKeyValue("kind", kind.name())
                    .addKeyValue("outage_ms", TimeUnit.NANOSECONDS.toMillis(time.nanos() - failingSince))
                    .log("source.reconnected");
        }
        failures = 0;
    }

    private Optional<NamespacedName> name(JsonNode object) {
        JsonNode metadata = object.path("metadata");
        String name = metadata.path("name").asText("");
        if (!name.isEmpty()) {
            String namespace = namespaces.shared(metadata.path("namespace").asText(""));
            return Optional.of(new NamespacedName(namespace, name));
        }
        Problems problems = new Problems();
        problems.add("metadata.name", "missing (expected: a name)");
        skipped.report(kind.name(), NAMELESS, problems);
        return Optional.empty();
    }

    /** The records of an object; empty if it is unusable. An unusable object must not affect the others. */
    private List<R> records(NamespacedName name, JsonNode object) {
        Problems problems = new Problems();
        List<R> records = List.of();
        try {
            records = kind.converter().convert(name, Fields.of(object, problems));
        } catch (RuntimeException e) {
            problems.add("object", ApiClient.explain(e), "a " + kind.name());
        }
        skipped.report(kind.name(), name, problems);
        return records;
    }

    /**
     * Whether a resourceVersion is older. The versions of one server are growing numbers. Other texts cannot be
     * compared.
     */
    private static boolean isOlder(String one, String other) {
        try {
            return !one.isEmpty() && Long.parseLong(one) < Long.parseLong(other);
        } catch (NumberFormatException e) {
            return false;
        }
    }
}
