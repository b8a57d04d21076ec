package dev.nodepath.emulator.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AgnhostHandlerTest {
    private final List<Integer> exits = new ArrayList<>();
    private final Queue<Runnable> dials = new ArrayDeque<>();
    private final EmbeddedChannel channel = channel(false);

    private EmbeddedChannel channel(boolean alwaysHostname) {
        return new EmbeddedChannel(
                new HttpServerCodec(),
                new HttpObjectAggregator(AgnhostHandler.BODY_MAX),
                new AgnhostHandler(
                        "web-1", alwaysHostname, (dial, wanted) -> dial.toString(), dials::add, exits::add)) {
            @Override
            protected SocketAddress remoteAddress0() {
                return new InetSocketAddress("10.244.1.4", 40000);
            }
        };
    }

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    private static String ask(EmbeddedChannel channel, String uri) {
        channel.writeInbound(Unpooled.copiedBuffer(
                "GET " + uri + " HTTP/1.1\r\nHost: web\r\nX-Word: said\r\n\r\n", StandardCharsets.US_ASCII));
        return answer(channel);
    }

    private static String answer(EmbeddedChannel channel) {
        StringBuilder answer = new StringBuilder();
        for (ByteBuf each = channel.readOutbound(); each != null; each = channel.readOutbound()) {
            answer.append(each.toString(StandardCharsets.US_ASCII));
            each.release();
        }
        String[] parts = answer.toString().split("\r\n\r\n", 2);
        return parts.length < 2 ? answer.toString() : parts[0].substring(9, 12) + " " + parts[1];
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', ignoreLeadingAndTrailingWhitespace = true, textBlock = """
            /hostname                | 200 web-1
            /hostName?x=y            | 200 web-1
            /clientip                | 200 10.244.1.4:40000
            /echo?msg=a%20b&code=418 | 418 a b
            /header?key=x-word       | 200 said
            /header?key=none         | '200 '
            /healthz                 | '200 '
            /redirect?location=/x    | '302 '
            /shell?shellCommand=ls   | 501 /shell is not here (expected: kubectl exec, kubectl cp)
            /dial?host=web&port=80&request=hostname | 400 host: "web" (expected: an address)
            /dial?host=10.0.0.1&request=hostname    | 400 port: 0 (expected: from 1 to 65535)
            /dial?host=10.0.0.1&port=80             | 400 request: empty (expected: a path, or a datagram)
            /dial?host=10.0.0.1&port=1&request=x&protocol=SCTP | 400 protocol: "sctp" (expected: http or udp)
            """)
    void answersAsNetexecDoes(String uri, String answer) {
        assertThat(ask(channel, uri)).isEqualTo(answer);
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    void everyOtherPathSaysTheTime() {
        assertThat(ask(channel, "/")).startsWith("200 NOW: 20");
        assertThat(ask(channel(true), "/")).isEqualTo("200 web-1");
    }

    @Test
    void endsWithACodeOrInOrder() {
        ask(channel, "/exit?code=7");
        assertThat(channel.isOpen()).isFalse();
        ask(channel(false), "/shutdown");
        assertThat(exits).containsExactly(7, 0);
    }

    @Test
    void aConnectionEndsWithItsClientButNotBeforeItsAnswer() {
        channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        assertThat(channel.isOpen()).isFalse();

        EmbeddedChannel other = channel(false);
        assertThat(ask(other, "/dial?host=10.0.0.1&port=80&request=hostname&tries=2"))
                .isEmpty();
        other.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        assertThat(other.isOpen()).isTrue();
        dials.remove().run();
        other.runPendingTasks();
        assertThat(other.isOpen()).isFalse();
        assertThat(answer(other))
                .isEqualTo("200 AgnhostDial[protocol=http, host=10.0.0.1, port=80, request=hostname, tries=2]");
    }
}
