package dev.nodepath.emulator.traffic;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * {@code /dial} of {@code agnhost netexec}: it asks another server several times, each over a connection of its own,
 * and reports all answers: {@code {"responses":["web-1"],"errors":["..."]}}.
 *
 * @param protocol {@code http} or {@code udp}
 * @param host an address, or a name as the Pod knows it
 * @param request a path, or a datagram
 */
record AgnhostDial(String protocol, String host, int port, String request, int tries) {
    private static final int TIMEOUT_MILLIS = 5_000;
    private static final int PORT_MAX = 65535;
    private static final int TRIES_MAX = 1000;
    private static final int ANSWER_BYTES_MAX = 64 * 1024;

    /** The fault of the request; empty if there is none. */
    Optional<String> problem() {
        if (!protocol.equals("http") && !protocol.equals("udp")) {
            return Optional.of("protocol: \"" + protocol + "\" (expected: http or udp)");
        }
        if (host.isEmpty()) {
            return Optional.of("host: empty (expected: an address or a name)");
        }
        if (port < 1 || port > PORT_MAX) {
            return Optional.of("port: " + port + " (expected: from 1 to " + PORT_MAX + ")");
        }
        return request.isEmpty() ? Optional.of("request: empty (expected: a path, or a datagram)") : Optional.empty();
    }

    /**
     * Calls from the network namespace of this thread, and returns JSON.
     *
     * @param address the host's
     * @param wanted whether a client still waits for it
     */
    String call(InetAddress address, BooleanSupplier wanted) {
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        for (int i = 0; i < Math.min(tries, TRIES_MAX) && wanted.getAsBoolean(); i++) {
            try {
                answer.withArrayProperty("responses").add(once(address));
            } catch (IOException | IllegalArgumentException e) {
                answer.withArrayProperty("errors").add(String.valueOf(e.getMessage()));
            }
        }
        return answer.toString();
    }

    private String once(InetAddress address) throws IOException {
        return protocol.equals("udp") ? udp(address) : http(address);
    }

    private String http(InetAddress address) throws IOException {
        String target = address.getHostAddress();
        URI uri = URI.create(
                "http://" + (target.indexOf(':') < 0 ? target : "[" + target + "]") + ":" + port + "/" + request);
        HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection(Proxy.NO_PROXY);
        connection.setConnectTimeout(TIMEOUT_MILLIS);
        connection.setReadTimeout(TIMEOUT_MILLIS);
        // A kept connection would be used from other namespaces too.
        connection.setRequestProperty("Connection", "close");
        try (InputStream body =
                connection.getResponseCode() < 400 ? connection.getInputStream() : connection.getErrorStream()) {
            return body == null ? "" : new String(body.readNBytes(ANSWER_BYTES_MAX), StandardCharsets.UTF_8);
        } finally {
            connection.disconnect();
        }
    }

    private String udp(InetAddress address) throws IOException {
        byte[] octets = request.getBytes(StandardCharsets.UTF_8);
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.connect(new InetSocketAddress(address, port));
            socket.send(new DatagramPacket(octets, octets.length));
            DatagramPacket answer = new DatagramPacket(new byte[ANSWER_BYTES_MAX], ANSWER_BYTES_MAX);
            socket.receive(answer);
            return new String(answer.getData(), 0, answer.getLength(), StandardCharsets.UTF_8);
        }
    }
}
