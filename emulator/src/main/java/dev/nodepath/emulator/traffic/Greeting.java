package dev.nodepath.emulator.traffic;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * The result of one new connection with one request.
 *
 * @param outcome how it ended
 * @param pod the pod that answered; empty unless {@link Outcome#ANSWERED}
 * @param source the source address that the pod saw; empty likewise
 * @param elapsed from the start of the connect to the end
 */
public record Greeting(Outcome outcome, String pod, String source, Duration elapsed) {
    private static final JsonFactory JSON = new JsonFactory();
    private static final int ANSWER_BYTES_MAX = 8 * 1024;

    /** How a connection ended. */
    public enum Outcome {
        /** A pod answered. */
        ANSWERED,
        /** The connect was refused, by a reset or by ICMP. */
        REFUSED,
        /** Nothing came within the limit. */
        TIMED_OUT,
        /** The connection was cut, or the answer was a different one. */
        BROKEN
    }

    /**
     * Connects, asks {@code GET /} and closes. Run it on a thread inside the client's namespace.
     *
     * @param limit for the connect and for each read
     */
    public static Greeting ask(InetSocketAddress target, Duration limit) {
        long start = System.nanoTime();
        try {
            return parse(exchange(target, "GET", "/", limit), since(start));
        } catch (ConnectException e) {
            return failed(Outcome.REFUSED, start);
        } catch (SocketTimeoutException e) {
            return failed(Outcome.TIMED_OUT, start);
        } catch (IOException e) {
            return failed(Outcome.BROKEN, start);
        }
    }

    /** The status code of a request without a body, such as {@code POST /unready}; 0 if there was no answer. */
    public static int status(InetSocketAddress target, String method, String path, Duration limit) {
        try {
            String answer = exchange(target, method, path, limit);
            return answer.matches("(?s)HTTP/1\\.[01] [0-9]{3}.*") ? Integer.parseInt(answer.substring(9, 12)) : 0;
        } catch (IOException e) {
            return 0;
        }
    }

    private static String exchange(InetSocketAddress target, String method, String path, Duration limit)
            throws IOException {
        try (Socket socket = new Socket()) {
            socket.setSoTimeout((int) limit.toMillis());
            socket.connect(target, (int) limit.toMillis());
            OutputStream out = socket.getOutputStream();
            String head = method + " " + path + " HTTP/1.1\r\nHost: " + target.getHostString()
                    + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            out.write(head.getBytes(StandardCharsets.US_ASCII));
            out.flush();
            InputStream in = socket.getInputStream();
            return new String(in.readNBytes(ANSWER_BYTES_MAX), StandardCharsets.UTF_8);
        }
    }

    private static Greeting parse(String answer, Duration elapsed) throws IOException {
        int bodyAt = answer.indexOf("\r\n\r\n");
        if (bodyAt < 0 || !answer.startsWith("HTTP/1.1 200")) {
            return new Greeting(Outcome.BROKEN, "", "", elapsed);
        }
        String pod = "";
        String source = "";
        try (JsonParser parser = JSON.createParser(answer.substring(bodyAt + 4))) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token == JsonToken.VALUE_STRING && "pod".equals(parser.currentName())) {
                    pod = parser.getText();
                } else if (token == JsonToken.VALUE_STRING && "source".equals(parser.currentName())) {
                    source = parser.getText();
                }
            }
        }
        return new Greeting(pod.isEmpty() ? Outcome.BROKEN : Outcome.ANSWERED, pod, source, elapsed);
    }

    private static Greeting failed(Outcome outcome, long start) {
        return new Greeting(outcome, "", "", since(start));
    }

    private static Duration since(long start) {
        return Duration.ofNanos(System.nanoTime() - start);
    }
}
