package dev.nodepath.page.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides who may ask. A page of another origin may not, nor a name that somebody has pointed at this machine (DNS
 * rebinding). Acting needs the token. Reading needs it unless the server listens on loopback.
 */
final class RequestGuard {
    /** The header that carries the token. */
    static final String TOKEN = "x-nodepath-token";

    private static final int HTTP_PORT = 80;

    private final PageToken token;

    RequestGuard(PageToken token) {
        this.token = token;
    }

    /**
     * A refusal.
     *
     * @param status of HTTP
     * @param why a sentence for the caller
     */
    record Refusal(int status, String why) {}

    /**
     * Checks a request.
     *
     * @param local where it came in
     * @return empty if it may be answered
     */
    Optional<Refusal> refusal(HttpRequest request, InetSocketAddress local) {
        String host = request.headers().get(HttpHeaderNames.HOST, "");
        if (!isOurs(host, local)) {
            return refuse(421, "Host: \"" + host + "\" (expected: the address that this server listens at)");
        }
        String origin = request.headers().get(HttpHeaderNames.ORIGIN);
        if (origin != null && !origin.equalsIgnoreCase("http://" + host)) {
            return refuse(403, "Origin: \"" + origin + "\" (expected: http://" + host + ")");
        }
        boolean acts = !isReading(request.method());
        boolean open = !acts && local.getAddress().isLoopbackAddress();
        if (open || (!acts && isDocument(request.uri())) || token.is(sent(request, acts))) {
            return Optional.empty();
        }
        return refuse(
                401, "the token is missing or wrong (expected: the one of the address that 'nodepath page' prints)");
    }

    /** What acts needs the header: a page of another origin cannot send it. A stream of events can only have a query. */
    private static @Nullable String sent(HttpRequest request, boolean acts) {
        String header = request.headers().get(TOKEN);
        if (header != null || acts) {
            return header;
        }
        List<String> values = new QueryStringDecoder(request.uri()).parameters().get("token");
        return values == null ? null : values.get(0);
    }

    private static boolean isReading(HttpMethod method) {
        return method.equals(HttpMethod.GET) || method.equals(HttpMethod.HEAD);
    }

    /** The page itself says nothing of the cluster. All other paths need the token, however they are written. */
    private static boolean isDocument(String uri) {
        return uri.equals("/") || uri.startsWith("/?");
    }

    private static boolean isOurs(String host, InetSocketAddress local) {
        String lower = host.toLowerCase(Locale.ROOT);
        String literal = NetUtil.toAddressString(local.getAddress());
        String port = ":" + local.getPort();
        if (local.getPort() == HTTP_PORT && !lower.endsWith(port)) {
            // Browsers leave it out.
            lower += port;
        }
        return lower.equals(literal + port)
                || lower.equals("[" + literal + "]" + port)
                || (local.getAddress().isLoopbackAddress() && lower.equals("localhost" + port));
    }

    private static Optional<Refusal> refuse(int status, String why) {
        return Optional.of(new Refusal(status, why));
    }
}
