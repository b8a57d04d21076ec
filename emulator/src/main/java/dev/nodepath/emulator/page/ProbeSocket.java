package dev.nodepath.emulator.page;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.nodepath.emulator.page.ProbeAnswer.Kind;
import dev.nodepath.emulator.walk.Walk;
import dev.nodepath.emulator.walk.WalkTarget;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;

/** Asks a server once: a TCP connection with an HTTP request, or a datagram with a DNS query. */
final class ProbeSocket {
    /** The wait if the packet may get no answer. */
    private static final int SILENCE_MILLIS = 1500;
    /** The wait if an answer must come: a busy machine took more than a second for a DNS answer. */
    private static final int PATIENCE_MILLIS = 5000;
    /** After this time a query is sent again, as a resolver does (RFC 1035, 4.2.1): a datagram may be lost. */
    private static final int RESEND_MILLIS = 2000;
    /**
     * The wait for a server's first words: the connection already shows that it was reached. On a busy machine a relay
     * that has just started took more than 400 ms for its first connection.
     */
    private static final int ANSWER_MILLIS = 1000;

    private static final int ANSWER_BYTES_MAX = 4096;
    private static final ObjectMapper JSON = new ObjectMapper();
    /** A query for {@code kubernetes.default.svc.cluster.local}, type A (RFC 1035, 4.1). */
    static final byte[] QUERY = "\1\2\1\0\0\1\0\0\0\0\0\0\12kubernetes\7default\3svc\7cluster\5local\0\0\1\0\1"
            .getBytes(StandardCharsets.ISO_8859_1);

    private ProbeSocket() {}

    /** Asks from inside a namespace. */
    static ProbeAnswer ask(NetworkNamespace from, Walk walk) throws LinuxNetException {
        WalkTarget to = walk.to();
        InetSocketAddress target = new InetSocketAddress(to.address().toInetAddress(), to.port());
        InetAddress source = walk.source().toInetAddress();
        int wait = waitMillis(walk);
        return from.call(
                () -> to.protocol() == Protocol.UDP ? askUdp(target, source, wait) : askTcp(target, source, wait));
    }

    /** How long the first packet of an answer may take. */
    static int waitMillis(Walk walk) {
        return walk.mayBeSilent() ? SILENCE_MILLIS : PATIENCE_MILLIS;
    }

    private static ProbeAnswer askTcp(InetSocketAddress target, InetAddress source, int wait) throws IOException {
        long start = System.nanoTime();
        try (Socket socket = new Socket()) {
            socket.bind(new InetSocketAddress(source, 0));
            int port = socket.getLocalPort();
            try {
                socket.connect(target, wait);
            } catch (IOException e) {
                return failed(e, port, micros(start));
            }
            socket.setSoTimeout(ANSWER_MILLIS);
            String request = "GET / HTTP/1.1\r\nHost: " + target.getHostString() + "\r\nConnection: close\r\n\r\n";
            try {
                socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
                String answer = read(socket.getInputStream());
                return answered(port, micros(start), answer);
            } catch (SocketTimeoutException e) {
                return new ProbeAnswer(Kind.TAKEN, port, "", "", micros(start), "");
            } catch (IOException e) {
                return new ProbeAnswer(Kind.CLOSED, port, "", "", micros(start), "");
            }
        }
    }

    /**
     * Reads until the end, or until no more bytes come.
     *
     * @throws EOFException if the end comes before the first byte
     * @throws SocketTimeoutException if no byte comes
     */
    private static String read(InputStream input) throws IOException {
        byte[] answer = new byte[ANSWER_BYTES_MAX];
        int length = 0;
        try {
            for (int read = 0; read >= 0 && length < answer.length; length += Math.max(read, 0)) {
                read = input.read(answer, length, answer.length - length);
            }
        } catch (SocketTimeoutException e) {
            if (length == 0) {
                throw e;
            }
        }
        if (length == 0) {
            throw new EOFException();
        }
        return new String(answer, 0, length, StandardCharsets.UTF_8);
    }

    /** As {@link #ask}, with datagrams. */
    static ProbeAnswer askUdp(InetSocketAddress target, InetAddress source, int wait) throws IOException {
        long start = System.nanoTime();
        try (DatagramSocket socket = new DatagramSocket(new InetSocketAddress(source, 0))) {
            int port = socket.getLocalPort();
            try {
                socket.connect(target);
                int bytes = askUntilAnswered(socket, wait);
                return new ProbeAnswer(Kind.ANSWERED, port, "", "", micros(start), bytes + " bytes");
            } catch (IOException e) {
                return failed(e, port, micros(start));
            }
        }
    }

    /**
     * The length of the first answer.
     *
     * @throws SocketTimeoutException if there is none in time
     */
    private static int askUntilAnswered(DatagramSocket socket, int wait) throws IOException {
        DatagramPacket answer = new DatagramPacket(new byte[ANSWER_BYTES_MAX], ANSWER_BYTES_MAX);
        for (int left = wait; ; left -= RESEND_MILLIS) {
            socket.send(new DatagramPacket(QUERY, QUERY.length));
            socket.setSoTimeout(Math.min(left, RESEND_MILLIS));
            try {
                socket.receive(answer);
                return answer.getLength();
            } catch (SocketTimeoutException e) {
                if (left <= RESEND_MILLIS) {
                    throw e;
                }
            }
        }
    }

    /** A connection that is reset during the look-up existed: a refusal has another error. */
    static ProbeAnswer failed(IOException error, int port, long micros) {
        String text = String.valueOf(error.getMessage());
        Kind kind = Kind.UNREACHABLE;
        if (error instanceof SocketTimeoutException) {
            kind = Kind.SILENT;
        } else if (error instanceof PortUnreachableException
                || (error instanceof ConnectException && text.contains("refused"))) {
            kind = Kind.REFUSED;
        } else if (text.startsWith("Connection reset")) {
            return new ProbeAnswer(Kind.CLOSED, port, "", "", micros, "");
        }
        return new ProbeAnswer(kind, port, "", "", micros, text);
    }

    /** A Pod's built-in server tells its name and the source that it saw. */
    private static ProbeAnswer answered(int port, long micros, String answer) {
        int head = answer.indexOf("\r\n\r\n");
        String body = head < 0 ? answer : answer.substring(head + 4);
        JsonNode json = json(body);
        String line = body.strip().lines().findFirst().orElse("");
        return new ProbeAnswer(
                Kind.ANSWERED,
                port,
                json.path("pod").asText(""),
                json.path("source").asText(""),
                micros,
                line.length() > 200 ? line.substring(0, 200) : line);
    }

    private static JsonNode json(String body) {
        try {
            JsonNode json = JSON.readTree(body);
            return json == null ? MissingNode.getInstance() : json;
        } catch (JsonProcessingException e) {
            return MissingNode.getInstance();
        }
    }

    private static long micros(long start) {
        return (System.nanoTime() - start) / 1000;
    }
}
