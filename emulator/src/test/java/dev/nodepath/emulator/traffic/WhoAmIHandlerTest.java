package dev.nodepath.emulator.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpServerCodec;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WhoAmIHandlerTest {
    private static final String GOOD = "GET / HTTP/1.1\r\nHost: web\r\n\r\n";

    private final EmbeddedChannel channel =
            new EmbeddedChannel(
                    new HttpServerCodec(), new WhoAmIHandler("web-1", new ServerReadiness("/readyz", () -> {}))) {
                @Override
                protected SocketAddress remoteAddress0() {
                    return new InetSocketAddress("10.244.1.4", 40000);
                }
            };

    @ParameterizedTest
    @ValueSource(
            strings = {
                "no HTTP\r\n\r\n",
                "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"
            })
    void answersOnceToWhatIsNoHttp(String faulty) {
        channel.writeInbound(Unpooled.copiedBuffer(GOOD + faulty + GOOD, StandardCharsets.US_ASCII));
        StringBuilder answers = new StringBuilder();
        for (ByteBuf each = channel.readOutbound(); each != null; each = channel.readOutbound()) {
            answers.append(each.toString(StandardCharsets.US_ASCII));
            each.release();
        }

        assertThat(answers.toString())
                .startsWith("HTTP/1.1 200 OK")
                .contains("{\"pod\":\"web-1\",\"source\":\"10.244.1.4\"}")
                .contains("HTTP/1.1 400 Bad Request")
                .doesNotContainPattern("(?s)400.*HTTP/1.1");
        assertThat(channel.isOpen()).isFalse();
    }
}
