package dev.nodepath.page.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.nodepath.page.LivePage;
import dev.nodepath.page.PageActions;
import dev.nodepath.page.PageActions.RefusedException;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What each path answers. */
final class PageRoutes {
    private static final Logger LOG = LoggerFactory.getLogger(PageRoutes.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String API = "/api/";

    private final LivePage page;
    private final PageActions actions;
    private final RequestGuard guard;
    private final PageDocument document;

    PageRoutes(LivePage page, PageActions actions, RequestGuard guard, PageDocument document) {
        this.page = page;
        this.actions = actions;
        this.guard = guard;
        this.document = document;
    }

    LivePage page() {
        return page;
    }

    /** The answer, if nothing has to be done for it; empty for an action and for the stream of events. */
    Optional<PageAnswer> answer(FullHttpRequest request, InetSocketAddress local) {
        Optional<RequestGuard.Refusal> refusal = guard.refusal(request, local);
        if (refusal.isPresent()) {
            return Optional.of(
                    PageAnswer.error(refusal.get().status(), refusal.get().why()));
        }
        String path = new QueryStringDecoder(request.uri()).path();
        boolean reads =
                request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD);
        if (!reads) {
            return actionRefusal(request, path);
        }
        return switch (path) {
            case "/" -> Optional.of(PageAnswer.page(document));
            case "/api/state" ->
                Optional.of(PageAnswer.json(200, page.snapshot().json()));
            case "/api/events" ->
                request.method().equals(HttpMethod.HEAD)
                        ? Optional.of(PageAnswer.error(405, "HEAD /api/events (expected: GET)"))
                        : Optional.empty();
            default ->
                Optional.of(PageAnswer.error(404, path + ": nothing is here (expected: /, /api/state or /api/events)"));
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

    /** Does what a request asks for, and waits until it is done. */
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
            LOG.error("page.action_failed path={} problem=\"{}\"", path, e.toString());
            return PageAnswer.error(500, "it failed: " + e.getMessage());
        }
    }

    static byte[] body(FullHttpRequest request) {
        return request.content().toString(StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8);
    }
}
