package dev.nodepath.page.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.net.InetSocketAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestGuardTest {
    private static final String SECRET = "5ecret";
    private final RequestGuard guard = new RequestGuard(new PageToken(SECRET));

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                // what it is | local | method | path | Host | Origin | token | status, 0 if it may pass
                "reading on loopback | 127.0.0.1 | GET | /api/state | 127.0.0.1:7070 | - | - | 0",
                "by the name localhost | 127.0.0.1 | GET | /api/state | LocalHost:7070 | - | - | 0",
                "a name that was pointed here | 127.0.0.1 | GET | /api/state | evil.example:7070 | - | - | 421",
                "another port of this machine | 127.0.0.1 | GET | /api/state | 127.0.0.1:8080 | - | - | 421",
                "no Host | 127.0.0.1 | GET | / | - | - | - | 421",
                "a page of another origin reads | 127.0.0.1 | GET | /api/state | 127.0.0.1:7070 | http://evil | - | 403",
                "its own page | 127.0.0.1 | POST | /api/probe | 127.0.0.1:7070 | http://127.0.0.1:7070 | 5ecret | 0",
                "a program with the token | 127.0.0.1 | POST | /api/probe | 127.0.0.1:7070 | - | 5ecret | 0",
                "acting without a token | 127.0.0.1 | POST | /api/probe | 127.0.0.1:7070 | - | - | 401",
                "acting with a wrong token | 127.0.0.1 | POST | /api/probe | 127.0.0.1:7070 | - | 5ecreT | 401",
                "a forged origin with the token | 127.0.0.1 | POST | /api/probe | 127.0.0.1:7070 | http://evil | 5ecret | 403",
                "an opaque origin | 127.0.0.1 | POST | /api/probe | 127.0.0.1:7070 | null | 5ecret | 403",
                "the same name by TLS | 127.0.0.1 | POST | /api/probe | 127.0.0.1:7070 | https://127.0.0.1:7070 | 5ecret | 403",
                "acting with the token in the query | 127.0.0.1 | POST | /api/probe?token=5ecret | 127.0.0.1:7070 | - | - | 401",
                "acting by an escaped path without a token | 127.0.0.1 | POST | /%61pi/probe | 127.0.0.1:7070 | - | - | 401",
                "acting at the page itself without a token | 127.0.0.1 | POST | / | 127.0.0.1:7070 | - | - | 401",
                "reading by an escaped path from afar | 192.0.2.1 | GET | /%61pi/state | 192.0.2.1:7070 | - | - | 401",
                "the page with a query from afar | 192.0.2.1 | GET | /?a=b | 192.0.2.1:7070 | - | - | 0",
                "the page from afar | 192.0.2.1 | GET | / | 192.0.2.1:7070 | - | - | 0",
                "reading from afar | 192.0.2.1 | GET | /api/state | 192.0.2.1:7070 | - | - | 401",
                "reading from afar with the token | 192.0.2.1 | GET | /api/state | 192.0.2.1:7070 | - | 5ecret | 0",
                "a stream from afar | 192.0.2.1 | GET | /api/events?token=5ecret | 192.0.2.1:7070 | - | - | 0",
                "localhost from afar | 192.0.2.1 | GET | / | localhost:7070 | - | - | 421",
                "IPv6 | ::1 | GET | /api/state | [::1]:7070 | - | - | 0",
            })
    void answers(
            String what,
            String local,
            String method,
            String path,
            String host,
            String origin,
            String token,
            int status) {
        HttpRequest request = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.valueOf(method), path);
        add(request, "host", host);
        add(request, "origin", origin);
        add(request, RequestGuard.TOKEN, token);

        int answered = guard.refusal(request, new InetSocketAddress(local, 7070))
                .map(RequestGuard.Refusal::status)
                .orElse(0);

        assertThat(answered).as(what).isEqualTo(status);
    }

    private static void add(HttpRequest request, String name, String value) {
        if (value != null) {
            request.headers().set(name, value);
        }
    }
}
