package dev.nodepath.page.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.nodepath.page.Lessons;
import dev.nodepath.page.LivePage;
import dev.nodepath.page.PageActions;
import dev.nodepath.page.PageActions.RefusedException;
import dev.nodepath.page.PageFlows;
import dev.nodepath.page.Recording;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The answer for each path. */
final class PageRoutes {
    /** Made once: the text is part of the program. */
    private static final String LESSONS = Lessons.json();

    private static final Logger LOG = LoggerFactory.getLogger(PageRoutes.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String REPLAYS = "this is a recording (expected: GET / or /api/record)";
    private static final String API = "/api/";
    private static final String FLOWS = "/api/flows";
    private static final String RECORD = "/api/record";

    /** Readers that ask at almost the same time get the same answer. */
    private static final Duration FLOWS_AGE_MAX = Duration.ofMillis(500);

    private final LivePage page;
    private final PageActions actions;
    private final PageFlows flows;
    private final RequestGuard guard;
    private final PageDocument document;
    private final RecordingAnswer recording;
    private final boolean replays;

    /** The last answer about flows, for the thread that reads them. */
    private Optional<PageAnswer> flowsAnswer = Optional.empty();

    private long flowsReadAt;

    PageRoutes(LivePage page, PageActions actions, PageFlows flows, RequestGuard guard, PageDocument document) {
        this.page = page;
        this.actions = actions;
        this.flows = flows;
        this.guard = guard;
        this.document = document;
        this.replays = false;
        this.recording = new RecordingAnswer(page::recording);
    }

    /** Shows only a recording: the page gets it as a whole and plays it itself. */
    PageRoutes(Recording recorded, RequestGuard guard, PageDocument document) {
        this.page = new LivePage(InstantSource.system());
        this.actions = (name, what) -> {
            throw new RefusedException(409, REPLAYS);
        };
        this.flows = () -> {
            throw new IOException(REPLAYS);
        };
        this.guard = guard;
        this.document = document.ofRecording();
        this.recording = new RecordingAnswer(() -> recorded);
        this.replays = true;
    }

    LivePage page() {
        return page;
    }

    /** Whether a request needs a slow read. */
    static boolean takesTime(FullHttpRequest request) {
        return path(request).equals(FLOWS) || path(request).equals(RECORD);
    }

    /** Runs a slow read. Call it on one thread only. */
    PageAnswer read(String path) {
        return path.equals(RECORD) ? recording.read() : flows();
    }

    static String path(FullHttpRequest request) {
        return new QueryStringDecoder(request.uri()).path();
    }

    /** The answer to a client without the right to ask, or with the printed address; empty for all other clients. */
    Optional<PageAnswer> greeting(FullHttpRequest request, InetSocketAddress local) {
        return guard.greeting(request, local);
    }

    /** The answer, if it is available at once; empty for an action, a slow read and the stream. */
    Optional<PageAnswer> answer(FullHttpRequest request) {
        String path = path(request);
        boolean reads =
                request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD);
        if (!reads) {
            return actionRefusal(request, path);
        }
        if (replays && !path.equals("/") && !path.equals(RECORD)) {
            return Optional.of(PageAnswer.error(404, path + ": " + REPLAYS));
        }
        return switch (path) {
            case "/" -> Optional.of(PageAnswer.page(200, document));
            case "/api/state" ->
                Optional.of(PageAnswer.json(200, page.snapshot().json()));
            case "/api/lessons" -> Optional.of(PageAnswer.json(200, LESSONS));
            case "/api/events", FLOWS, RECORD ->
                request.method().equals(HttpMethod.HEAD)
                        ? Optional.of(PageAnswer.error(405, "HEAD " + path + " (expected: GET)"))
                        : Optional.empty();
            default ->
                Optional.of(PageAnswer.error(
                        404,
                        path + ": nothing is here (expected: /, /api/state, /api/flows, /api/lessons, /api/record"
                                + " or /api/events)"));
        };
    }

    private static Optional<PageAnswer> actionRefusal(FullHttpRequest request, String path) {
        if (!request.method().equals(HttpMethod.POST) || !path.startsWith(API)) {
            return Optional.of(PageAnswer.error(405, request.method() + " " + path + " (expected: POST /api/...)"));
        }
        String type = request.headers().get(HttpHeaderNames.CONTENT_TYPE, "");
        return type.startsWith("application/json")
                ? Optional.empty()
                : Optional.of(PageAnswer.error(415, "Content-Type: \"" + type + "\" (expected: application/json)"));
    }

    /** Carries out the action of a request, and waits until it is done. */
    PageAnswer act(String path, byte[] body) {
        try {
            JsonNode what = JSON.readTree(body);
            if (what == null || !what.isObject()) {
                return PageAnswer.error(400, "the body is no JSON object");
            }
            return PageAnswer.json(
                    200, actions.act(path.substring(API.length()), what).toString());
        } catch (JsonProcessingException e) {
            return PageAnswer.error(400, "the body is no JSON: " + e.getOriginalMessage());
        } catch (RefusedException e) {
            return PageAnswer.error(e.status(), String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return PageAnswer.error(503, "the cluster ends");
        } catch (IOException | RuntimeException e) {
            LOG.atError()
                    .addKeyValue("path", path)
                    .addKeyValue("problem", e.toString())
                    .log("page.action_failed");
            return PageAnswer.error(500, "it failed: " + e.getMessage());
        }
    }

    private PageAnswer flows() {
        long now = System.nanoTime();
        if (flowsAnswer.isEmpty() || now - flowsReadAt > FLOWS_AGE_MAX.toNanos()) {
            flowsAnswer = Optional.of(readFlows());
            flowsReadAt = now;
        }
        return flowsAnswer.get();
    }

    private PageAnswer readFlows() {
        try {
            return PageAnswer.json(200, JSON.writeValueAsString(flows.read()));
        } catch (IOException | RuntimeException e) {
            LOG.atError().addKeyValue("problem", e.toString()).log("page.flows_not_read");
            return PageAnswer.error(500, "the flows cannot be read: " + e.getMessage());
        }
    }

    static byte[] body(FullHttpRequest request) {
        return request.content().toString(StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8);
    }
}
