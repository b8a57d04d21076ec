package dev.nodepath.page.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.codec.http.cookie.ServerCookieDecoder;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Decides which requests are answered. It refuses pages of another origin, and names that an attacker has pointed at
 * this machine (DNS rebinding). All other requests need the token: a program sends it in {@code Authorization}. A
 * browser sends it once with the printed address, and gets a cookie and the address without the token.
 */
final class RequestGuard {
    private static final String BEARER = "bearer ";
    private static final String QUERY = "token";
    private static final int HTTP_PORT = 80;

    private final PageToken token;
    private final PageAnswer door = PageAnswer.page(401, PageDocument.door()).with("www-authenticate", "Bearer");

    RequestGuard(PageToken token) {
        this.token = token;
    }

    /**
     * Checks a request.
     *
     * @param local the address of the connection on this side
     * @return a refusal, or a redirect from the printed address to the page; empty if the request may be answered
     * @throws IllegalArgumentException if the request's target is no URL
     */
    Optional<PageAnswer> greeting(HttpRequest request, InetSocketAddress local) {
        String host = request.headers().get(HttpHeaderNames.HOST, "");
        if (!isOurs(host, local)) {
            return refuse(421, "Host: \"" + host + "\" (expected: the address that this server listens at)");
        }
        String origin = request.headers().get(HttpHeaderNames.ORIGIN);
        if (origin != null && !origin.equalsIgnoreCase("http://" + host)) {
            return refuse(403, "Origin: \"" + origin + "\" (expected: http://" + host + ")");
        }
        QueryStringDecoder target = new QueryStringDecoder(request.uri());
        String path = target.path();
        boolean reads = isReading(request.method());
        List<String> brought = target.parameters().get(QUERY);
        if (reads && brought != null && path.equals("/")) {
            return Optional.of(token.is(brought.get(0)) ? letIn(local) : door);
        }
        String authorization = request.headers().get(HttpHeaderNames.AUTHORIZATION);
        if (authorization != null ? isToken(authorization) : hasCookie(request, local)) {
            return reads || authorization != null || origin != null
                    ? Optional.empty()
                    : refuse(403, "Origin: none (expected beside a cookie: http://" + host + ")");
        }
        if (reads && !path.startsWith("/api/")) {
            return Optional.of(door);
        }
        return Optional.of(
                PageAnswer.error(401, "no token, or a wrong one (expected: that of the address 'nodepath page' prints)")
                        .with("www-authenticate", "Bearer"));
    }

    /** The redirect removes the token from the address, and so from the browser's history and the screen. */
    private PageAnswer letIn(InetSocketAddress local) {
        return PageAnswer.redirect("/")
                .with("set-cookie", cookie(local) + "=" + token.value() + "; Path=/; HttpOnly; SameSite=Strict");
    }

    private boolean isToken(String authorization) {
        return authorization.toLowerCase(Locale.ROOT).startsWith(BEARER)
                && token.is(authorization.substring(BEARER.length()).strip());
    }

    /** Another server of this machine may have set a cookie of the same name besides ours. */
    private boolean hasCookie(HttpRequest request, InetSocketAddress local) {
        return request.headers().getAll(HttpHeaderNames.COOKIE).stream()
                .flatMap(header -> ServerCookieDecoder.STRICT.decodeAll(header).stream())
                .anyMatch(cookie -> cookie.name().equals(cookie(local)) && token.is(cookie.value()));
    }

    /** Browsers share cookies among all ports of a machine. */
    private static String cookie(InetSocketAddress local) {
        return "nodepath-" + local.getPort();
    }

    private static boolean isReading(HttpMethod method) {
        return method.equals(HttpMethod.GET) || method.equals(HttpMethod.HEAD);
    }

    private static boolean isOurs(String host, InetSocketAddress local) {
        String lower = host.toLowerCase(Locale.ROOT);
        String literal = NetUtil.toAddressString(local.getAddress());
        String port = ":" + local.getPort();
        if (local.getPort() == HTTP_PORT && !lower.endsWith(port)) {
            // Browsers leave the port out.
            lower += port;
        }
        return lower.equals(literal + port)
                || lower.equals("[" + literal + "]" + port)
                || (local.getAddress().isLoopbackAddress() && lower.equals("localhost" + port));
    }

    private static Optional<PageAnswer> refuse(int status, String why) {
        return Optional.of(PageAnswer.error(status, why));
    }
}
