package dev.nodepath.apiserver.stream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.request.Json;
import dev.nodepath.apiserver.request.StatusBody;
import dev.nodepath.apiserver.request.StreamSession;
import dev.nodepath.apiserver.request.StreamTransport;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A command whose input, output and end are streams: {@code error}, {@code stdin}, {@code stdout}, {@code stderr},
 * {@code resize} (Kubernetes' remotecommand, versions 4 and 5). It starts once the client has opened all of its
 * streams.
 */
public final class ExecSession implements StreamSession {
    private final PodStreams streams;
    private final ObjectNode pod;
    private final ExecOptions options;
    private final Map<Integer, String> roles = new ConcurrentHashMap<>();
    private final Map<String, Integer> places = new ConcurrentHashMap<>();
    private @Nullable StreamTransport transport;
    private volatile @Nullable ExecProcess process;
    private volatile boolean gone;

    /** A session that has not begun. */
    public ExecSession(PodStreams streams, ObjectNode pod, ExecOptions options) {
        this.streams = streams;
        this.pod = pod;
        this.options = options;
    }

    @Override
    public String protocol() {
        return "v4.channel.k8s.io";
    }

    @Override
    public Optional<String> channelProtocol() {
        return Optional.of("v5.channel.k8s.io");
    }

    @Override
    public void begin(StreamTransport through) {
        transport = through;
    }

    @Override
    public void opened(int stream, Map<String, String> headers) {
        String role = headers.getOrDefault("streamtype", "");
        if (!awaited().contains(role)) {
            return;
        }
        roles.put(stream, role);
        places.put(role, stream);
        StreamTransport through = transport;
        if (process == null && through != null && places.keySet().containsAll(awaited())) {
            start(new Output(through));
        }
    }

    @Override
    public void received(int stream, byte[] octets) {
        ExecProcess running = process;
        if (running == null) {
            return;
        }
        switch (roles.getOrDefault(stream, "")) {
            case "stdin" -> running.stdin(octets);
            case "resize" -> resize(running, octets);
            default -> {}
        }
    }

    @Override
    public void ended(int stream) {
        ExecProcess running = process;
        if (running != null && roles.getOrDefault(stream, "").equals("stdin")) {
            running.closeStdin();
        }
    }

    @Override
    public void disconnected() {
        gone = true;
        ExecProcess running = process;
        if (running != null) {
            running.close();
        }
    }

    private Set<String> awaited() {
        Set<String> awaited = new HashSet<>(Set.of("error"));
        if (options.stdin()) {
            awaited.add("stdin");
        }
        if (options.stdout()) {
            awaited.add("stdout");
        }
        if (options.stderr() && !options.tty()) {
            awaited.add("stderr");
        }
        if (options.tty()) {
            awaited.add("resize");
        }
        return awaited;
    }

    private void start(Output output) {
        try {
            ExecProcess started = streams.exec(pod, options, output);
            process = started;
            if (gone) {
                started.close();
            }
        } catch (StatusException e) {
            output.finish(StatusBody.of(e));
        }
    }

    private static void resize(ExecProcess running, byte[] octets) {
        try {
            JsonNode size = Json.MAPPER.readTree(octets);
            running.resize(size.path("Width").asInt(), size.path("Height").asInt());
        } catch (IOException e) {
            // a size that cannot be read changes nothing
        }
    }

    private final class Output implements ExecOutput {
        private final StreamTransport through;

        Output(StreamTransport through) {
            this.through = through;
        }

        @Override
        public void stdout(byte[] octets) {
            send("stdout", octets);
        }

        @Override
        public void stderr(byte[] octets) {
            send(options.tty() ? "stdout" : "stderr", octets);
        }

        @Override
        public void exited(int code) {
            if (code == 0) {
                finish(Json.MAPPER.createObjectNode().put("status", "Success"));
                return;
            }
            finish(StatusBody.of(new StatusException(
                    500,
                    "NonZeroExitCode",
                    "command terminated with non-zero exit code: exit status " + code,
                    "",
                    "",
                    "",
                    List.of(new StatusException.Cause("ExitCode", String.valueOf(code), "")))));
        }

        @Override
        public void failed(String why) {
            finish(StatusBody.of(new StatusException(500, "InternalError", why, "", "", "", List.of())));
        }

        private void send(String role, byte[] octets) {
            Integer stream = places.get(role);
            if (stream != null && octets.length > 0) {
                through.send(stream, octets);
            }
        }

        private void finish(ObjectNode status) {
            send("error", Json.bytes(status));
            places.values().forEach(through::end);
            through.close();
        }
    }
}
