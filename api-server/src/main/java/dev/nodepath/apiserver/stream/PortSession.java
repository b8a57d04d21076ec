package dev.nodepath.apiserver.stream;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.request.StreamSession;
import dev.nodepath.apiserver.request.StreamTransport;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Connections to ports of a pod. Each has two streams with the same {@code requestid}: {@code data}, and {@code error}
 * for the text of a failure (Kubernetes' port forwarding).
 */
public final class PortSession implements StreamSession {
    private static final int PORT_MAX = 65_535;

    private final PodStreams streams;
    private final ObjectNode pod;
    private final Map<String, Integer> errors = new ConcurrentHashMap<>();
    private final Map<Integer, PortConnection> connections = new ConcurrentHashMap<>();
    private @Nullable StreamTransport transport;
    private volatile boolean gone;

    /** A session that has not begun. */
    public PortSession(PodStreams streams, ObjectNode pod) {
        this.streams = streams;
        this.pod = pod;
    }

    @Override
    public String protocol() {
        return "portforward.k8s.io";
    }

    @Override
    public void begin(StreamTransport through) {
        transport = through;
    }

    @Override
    public void opened(int stream, Map<String, String> headers) {
        String request = headers.getOrDefault("requestid", "");
        StreamTransport through = transport;
        if (headers.getOrDefault("streamtype", "").equals("error")) {
            errors.put(request, stream);
        } else if (through != null) {
            connect(stream, headers.getOrDefault("port", ""), new Output(through, stream, request));
        }
    }

    @Override
    public void received(int stream, byte[] octets) {
        PortConnection connection = connections.get(stream);
        if (connection != null) {
            connection.send(octets);
        }
    }

    @Override
    public void ended(int stream) {
        PortConnection connection = connections.get(stream);
        if (connection != null) {
            connection.closeInput();
        }
    }

    @Override
    public void disconnected() {
        gone = true;
        connections.values().forEach(PortConnection::close);
    }

    private void connect(int stream, String port, Output output) {
        try {
            int number = Integer.parseInt(port);
            if (number < 1 || number > PORT_MAX) {
                throw new NumberFormatException(port);
            }
            PortConnection connection = streams.connect(pod, number, output);
            connections.put(stream, connection);
            if (gone) {
                connection.close();
            }
        } catch (NumberFormatException e) {
            output.failed("port: Invalid value: \"" + port + "\": must be between 1 and 65535, inclusive");
        } catch (StatusException e) {
            output.failed(String.valueOf(e.getMessage()));
        }
    }

    private final class Output implements PortOutput {
        private final StreamTransport through;
        private final int stream;
        private final String request;

        Output(StreamTransport through, int stream, String request) {
            this.through = through;
            this.stream = stream;
            this.request = request;
        }

        @Override
        public void receive(byte[] octets) {
            through.send(stream, octets);
        }

        @Override
        public void ended() {
            finish(new byte[0]);
        }

        @Override
        public void failed(String why) {
            finish(why.getBytes(StandardCharsets.UTF_8));
        }

        private void finish(byte[] error) {
            Integer place = errors.get(request);
            if (place != null) {
                if (error.length > 0) {
                    through.send(place, error);
                }
                through.end(place);
            }
            through.end(stream);
        }
    }
}
