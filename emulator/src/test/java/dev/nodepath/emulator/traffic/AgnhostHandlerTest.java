package dev.nodepath.emulator.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AgnhostHandlerTest {
    private static final int NOT_STARTED = -1;

    private final List<Integer> exits = new ArrayList<>();
    private final Queue<Runnable> slow = new ArrayDeque<>();
    private final List<String> ran = new ArrayList<>();
    private boolean full;
    private ContainerCommands.Ended ended = new ContainerCommands.Ended(0, "");
    private final EmbeddedChannel channel = channel(false);

    private EmbeddedChannel channel(boolean alwaysHostname) {
        return new EmbeddedChannel(
                new HttpServerCodec(),
                new HttpObjectAggregator(AgnhostHandler.BODY_MAX),
                new AgnhostHandler(
                        "web-1",
                        alwaysHostname,
                        (dial, address, wanted) -> dial + " at " + address.getHostAddress(),
                        this::run,
                        this::later,
                        exits::add)) {
            @Override
            protected SocketAddress remoteAddress0() {
                return new InetSocketAddress("10.244.1.4", 40000);
            }
        };
    }

    private void later(Runnable work) {
        if (full) {
            throw new RejectedExecutionException("32 are enough");
        }
        slow.add(work);
    }

    private ContainerCommands.Ended run(List<String> command, byte[] input) throws IOException {
        if (ended.exitCode() == NOT_STARTED) {
            throw new IOException(ended.output());
        }
        ran.add(String.join(" ", command) + "|" + new String(input, StandardCharsets.US_ASCII));
        return ended;
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
            /dial?port=80&request=hostname          | 400 host: empty (expected: an address or a name)
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
        slow.remove().run();
        other.runPendingTasks();
        assertThat(other.isOpen()).isFalse();
        assertThat(answer(other))
                .isEqualTo("200 AgnhostDial[protocol=http, host=10.0.0.1, port=80, request=hostname, tries=2]"
                        + " at 10.0.0.1");
    }

    /** The result of a request with a command in the container. */
    private String asked(int exitCode, String output, String method, String uri, String type, String body) {
        ended = new ContainerCommands.Ended(exitCode, output);
        channel.writeInbound(Unpooled.copiedBuffer(
                method + " " + uri + " HTTP/1.1\r\nHost: web\r\nContent-Type: " + type + "\r\nContent-Length: "
                        + body.length() + "\r\n\r\n" + body,
                StandardCharsets.US_ASCII));
        slow.remove().run();
        channel.runPendingTasks();
        return answer(channel);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', ignoreLeadingAndTrailingWhitespace = true, quoteCharacter = '`', textBlock = """
            0  | a b          | GET  | /shell?shellCommand=ls%20x | ``          | 200 {"output":"a b"}                        | ls x
            0  | ``           | GET  | /shell?cmd=true            | ``          | 200 {}                                      | true
            3  | no           | GET  | /shell?cmd=false           | ``          | 200 {"error":"exit status 3","output":"no"} | false
            0  | x            | POST | /shell                     | cmd=id%20-u | 200 {"output":"x"}                          | id -u
            """)
    void runsALineInTheContainer(
            int exitCode, String output, String method, String uri, String form, String answer, String line) {
        assertThat(asked(exitCode, output, method, uri, "application/x-www-form-urlencoded", form))
                .isEqualTo(answer);
        assertThat(ran).containsExactly("/bin/sh -c " + line + "|");
    }

    @Test
    void saysWhyALineDidNotRun() {
        assertThat(asked(NOT_STARTED, "no container", "GET", "/shell?cmd=id", "text/plain", ""))
                .isEqualTo("200 {\"error\":\"no container\"}");
    }

    @Test
    void refusesWhatIsTooMuchAtOnceAndReadsOn() {
        full = true;
        assertThat(ask(channel, "/shell?cmd=id")).isEqualTo("503 32 are enough");
        assertThat(ask(channel, "/hostname")).isEqualTo("200 web-1");
    }

    @Test
    void readsNoMoreOfAClientThatWaits() {
        ask(channel, "/shell?cmd=id");
        assertThat(channel.config().isAutoRead()).isFalse();
        slow.remove().run();
        channel.runPendingTasks();
        assertThat(channel.config().isAutoRead()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            0  | /uploads/upload1 | file  | 201 {"output":"/uploads/upload1"}
            1  | read-only        | file  | 200 {"error":"Unable to open file for write"}
            -1 | no container     | file  | 200 {"error":"Unable to write file."}
            0  | unused           | other | 200 {"error":"Unable to upload file."}
            """)
    void writesAnUploadedFileIntoTheContainer(int exitCode, String output, String field, String answer) {
        String body = "--x\r\nContent-Disposition: form-data; name=\"" + field
                + "\"; filename=\"a\"\r\n\r\nsome octets\r\n--x--\r\n";
        assertThat(asked(exitCode, output, "POST", "/upload", "multipart/form-data; boundary=x", body))
                .isEqualTo(answer);
        assertThat(ran).allMatch(command -> command.endsWith("|some octets"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            10.0.0.9 STREAM web | 200 AgnhostDial[protocol=http, host=web, port=80, request=x, tries=1] at 10.0.0.9
            ``                  | 400 host and/or port param are invalid. lookup web: no such host
            """)
    void dialsANameAsTheContainerKnowsIt(String known, String answer) {
        assertThat(asked(0, known, "GET", "/dial?host=web&port=80&request=x", "text/plain", ""))
                .isEqualTo(answer);
        assertThat(ran).containsExactly("getent ahostsv4 -- web|");
    }
}
