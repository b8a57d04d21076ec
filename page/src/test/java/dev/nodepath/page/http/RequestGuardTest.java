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
                // point | local | method | path | Host | Origin | Authorization | Cookie | status, 0 if it may pass
                "reading on loopback | 127.0.0.1 | GET | /api/state | 127.0.0.1:7070 | - | - | - | 401",
                "the page on loopback | 127.0.0.1 | GET | / | 127.0.0.1:7070 | - | - | - | 401",
                "a program that reads | 127.0.0.1 | GET | /api/state | 127.0.0.1:7070 | - | Bearer 5ecret | - | 0",
                "a program with another token | 127.0.0.1 | GET | /api/state | 127.0.0.1:7070 | - | Bearer 5ecreT | - | 401",
                "a program without the scheme | 127.0.0.1 | GET | /api/state | 127.0.0.1:7070 | - | 5ecret | - | 401",
                "a program with another scheme | 127.0.0.1 | GET | /api/state | 127.0.0.1:7070 | - | Basic 5ecret | - | 401",
                "no token after the scheme | 127.0.0.1 | GET | /api/state | 127.0.0.1:7070 | - | Bearer | - | 401",
                "the printed address | 127.0.0.1 | GET | /?token=5ecret | 127.0.0.1:7070 | - | - | - | 303",
                "a printed address of before | 127.0.0.1 | GET | /?token=before | 127.0.0.1:7070 | - | - | nodepath-7070=5ecret | 401",
                "the token in the address of data | 127.0.0.1 | GET | /api/state?token=5ecret | 127.0.0.1:7070 | - | - | - | 401",
                "a browser that reads | 127.0.0.1 | GET | /api/events | 127.0.0.1:7070 | - | - | nodepath-7070=5ecret | 0",
                "a cookie beside others | 127.0.0.1 | GET | / | 127.0.0.1:7070 | - | - | a=b; nodepath-7070=5ecret | 0",
                "a cookie that somebody put before | 127.0.0.1 | GET | / | 127.0.0.1:7070 | - | - | nodepath-7070=x; nodepath-7070=5ecret | 0",
                "a cookie of another port | 127.0.0.1 | GET | / | 127.0.0.1:7070 | - | - | nodepath-7071=5ecret | 401",
                "a wrong cookie | 127.0.0.1 | GET | / | 127.0.0.1:7070 | - | - | nodepath-7070=5ecre | 401",
                "a wrong token beside a cookie | 127.0.0.1 | GET | / | 127.0.0.1:7070 | - | Bearer x | nodepath-7070=5ecret | 401",
                "by the name localhost | 127.0.0.1 | GET | /api/state | LocalHost:7070 | - | Bearer 5ecret | - | 0",
                "a name that was pointed here | 127.0.0.1 | GET | /?token=5ecret | evil.example:7070 | - | - | - | 421",
                "another port of this machine | 127.0.0.1 | GET | /api/state | 127.0.0.1:8080 | - | Bearer 5ecret | - | 421",
                "no Host | 127.0.0.1 | GET | / | - | - | Bearer 5ecret | - | 421",
                "a page of another origin reads | 127.0.0.1 | GET | /api/state | 127.0.0.1:7070 | http://evil | - | nodepath-7070=5ecret | 403",
                "its own page acts | 127.0.0.1 | POST | /api/probe | 127.0.0.1:7070 | http://127.0.0.1:7070 | - | nodepath-7070=5ecret | 0",
                "a cookie acts without an origin | 127.0.0.1 | POST | /api/probe | 127.0.0.1:7070 | - | - | nodepath-7070=5ecret | 403",
                "a page of another port acts | 127.0.0.1 | POST | /api/probe | 127.0.0.1:7070 | http://127.0.0.1:8080 | - | nodepath-7070=5ecret | 403",
                "a program acts | 127.0.0.1 | POST | /api/probe | 127.0.0.1:7070 | - | bearer 5ecret | - | 0",
                "acting without a token | 127.0.0.1 | POST | /api/probe | 127.0.0.1:7070 | - | - | - | 401",
                "a forged origin with the token | 127.0.0.1 | POST | /api/probe | 127.0.0.1:7070 | http://evil | Bearer 5ecret | - | 403",
                "an opaque origin | 127.0.0.1 | POST | /api/probe | 127.0.0.1:7070 | null | Bearer 5ecret | - | 403",
                "the same name by TLS | 127.0.0.1 | POST | /api/probe | 127.0.0.1:7070 | https://127.0.0.1:7070 | Bearer 5ecret | - | 403",
                "acting with the token in the query | 127.0.0.1 | POST | /?token=5ecret | 127.0.0.1:7070 | - | - | - | 401",
                "acting by an escaped path | 127.0.0.1 | POST | /%61pi/probe | 127.0.0.1:7070 | - | - | - | 401",
                "reading from afar | 192.0.2.1 | GET | /api/state | 192.0.2.1:7070 | - | - | - | 401",
                "the printed address from afar | 192.0.2.1 | GET | /?token=5ecret | 192.0.2.1:7070 | - | - | - | 303",
                "localhost from afar | 192.0.2.1 | GET | / | localhost:7070 | - | Bearer 5ecret | - | 421",
                "IPv6 | ::1 | GET | /api/state | [::1]:7070 | - | Bearer 5ecret | - | 0",
            })
    void answers(
            String what,
            String local,
            String method,
            String path,
            String host,
            String origin,
            String authorization,
            String cookie,
            int status) {
        HttpRequest request = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.valueOf(method), path);
        add(request, "host", host);
        add(request, "origin", origin);
        add(request, "authorization", authorization);
        add(request, "cookie", cookie);

        int answered = guard.greeting(request, new InetSocketAddress(local, 7070))
                .map(PageAnswer::status)
                .orElse(0);

        assertThat(answered).as(what).isEqualTo(status);
    }

    private static void add(HttpRequest request, String name, String value) {
        if (value != null) {
            request.headers().set(name, value);
        }
    }
}
