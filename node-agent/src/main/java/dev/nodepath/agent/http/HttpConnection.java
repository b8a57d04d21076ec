package dev.nodepath.agent.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One client: its request as far as it has come, then its answer as far as it has gone. For the server's thread. */
final class HttpConnection {
    /** A request's first line and headers; ours need none of them. */
    static final int HEAD_MAX_BYTES = 8 * 1024;

    /** How long a client may take to send its request, and again to take the answer. */
    static final Duration CLIENT_TIMEOUT = Duration.ofSeconds(10);

    /** How long a handler may take before the client is sent away. */
    static final Duration HANDLER_TIMEOUT = Duration.ofSeconds(60);

    private static final String END_OF_HEAD = "\r\n\r\n";

    private final SocketChannel channel;
    private final HttpHandler handler;
    private final Duration timeout;
    private final ByteBuffer head = ByteBuffer.allocate(HEAD_MAX_BYTES);
    private ByteBuffer answer = ByteBuffer.allocate(0);
    private long deadlineNanos;

    HttpConnection(SocketChannel channel, HttpHandler handler, Duration timeout, long nowNanos) {
        this.timeout = timeout;
        this.channel = channel;
        this.handler = handler;
        this.deadlineNanos = nowNanos + timeout.toNanos();
    }

    HttpHandler handler() {
        return handler;
    }

    boolean isLate(long nowNanos) {
        return nowNanos - deadlineNanos > 0;
    }

    /** What has come, if it is a whole request or cannot become one; null to wait for more. */
    @Nullable
    Received read(long nowNanos) throws IOException {
        int read = channel.read(head);
        String text = new String(head.array(), 0, head.position(), StandardCharsets.ISO_8859_1);
        int end = text.indexOf(END_OF_HEAD);
        if (end >= 0) {
            deadlineNanos = nowNanos + HANDLER_TIMEOUT.toNanos();
            return Received.parse(text.substring(0, end));
        }
        if (read < 0) {
            throw new IOException("closed by the client");
        }
        return head.hasRemaining() ? null : Received.refused(HttpResponse.text(431, "request too long\n"));
    }

    void answer(byte[] bytes, long nowNanos) {
        answer = ByteBuffer.wrap(bytes);
        deadlineNanos = nowNanos + timeout.toNanos();
    }

    /** Sends what the client takes; true if that was the end. */
    boolean write() throws IOException {
        channel.write(answer);
        return !answer.hasRemaining();
    }

    /** A request, or the answer to what is none. */
    record Received(@Nullable HttpRequest request, @Nullable HttpResponse refusal) {
        static Received refused(HttpResponse response) {
            return new Received(null, response);
        }

        static Received parse(String head) {
            String[] words = head.lines().findFirst().orElse("").split(" ", -1);
            if (words.length != 3 || !words[2].startsWith("HTTP/1.") || !words[1].startsWith("/")) {
                return refused(HttpResponse.text(400, "not an HTTP/1 request\n"));
            }
            if (!words[0].equals("GET") && !words[0].equals("HEAD")) {
                return refused(HttpResponse.text(405, "only GET and HEAD\n").with("Allow", "GET, HEAD"));
            }
            int question = words[1].indexOf('?');
            return new Received(
                    new HttpRequest(
                            words[0],
                            question < 0 ? words[1] : words[1].substring(0, question),
                            question < 0 ? "" : words[1].substring(question + 1)),
                    null);
        }
    }
}
