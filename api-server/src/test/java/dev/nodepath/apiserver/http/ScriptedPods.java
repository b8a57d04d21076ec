package dev.nodepath.apiserver.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.request.PieceSource;
import dev.nodepath.apiserver.stream.ExecOptions;
import dev.nodepath.apiserver.stream.ExecOutput;
import dev.nodepath.apiserver.stream.ExecProcess;
import dev.nodepath.apiserver.stream.LogOptions;
import dev.nodepath.apiserver.stream.PodStreams;
import dev.nodepath.apiserver.stream.PortConnection;
import dev.nodepath.apiserver.stream.PortOutput;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Pods that answer from a script. */
final class ScriptedPods implements PodStreams {
    /** Completes when the client of a command is gone. */
    final CompletableFuture<Boolean> clientGone = new CompletableFuture<>();

    @Override
    public PieceSource log(ObjectNode pod, LogOptions options) {
        Queue<byte[]> lines = new ArrayDeque<>(List.of(octets("one\n"), octets("two " + options.tailLines() + "\n")));
        return new PieceSource() {
            @Override
            public void start(Runnable ready) {}

            @Override
            public byte @Nullable [] poll() {
                return lines.poll();
            }

            @Override
            public boolean ended() {
                return lines.isEmpty();
            }

            @Override
            public void close() {}
        };
    }

    /**
     * {@code cat} gives back its input; {@code big} prints a megabyte; {@code fail CODE} ends with that code;
     * {@code stuck} reads no input until its client is gone.
     */
    @Override
    public ExecProcess exec(ObjectNode pod, ExecOptions options, ExecOutput output) {
        switch (options.command().get(0)) {
            case "fail" -> {
                output.stderr(octets("no luck\n"));
                output.exited(Integer.parseInt(options.command().get(1)));
            }
            case "big" -> {
                for (int i = 0; i < 64; i++) {
                    output.stdout(octets("x".repeat(16 * 1024)));
                }
                output.exited(0);
            }
            default -> {}
        }
        return new ExecProcess() {
            @Override
            public void stdin(byte[] octets) {
                if (options.command().contains("stuck")) {
                    clientGone.join();
                }
                output.stdout(octets);
            }

            @Override
            public void closeStdin() {
                output.exited(0);
            }

            @Override
            public void resize(int columns, int rows) {
                output.stdout(octets(columns + " by " + rows));
            }

            @Override
            public void close() {
                clientGone.complete(true);
            }
        };
    }

    /** Answers any request by HTTP with the port. */
    @Override
    public PortConnection connect(ObjectNode pod, int port, PortOutput output) {
        return new PortConnection() {
            @Override
            public void send(byte[] octets) {
                output.receive(octets("HTTP/1.0 200 OK\r\n\r\nport " + port));
                output.ended();
            }

            @Override
            public void closeInput() {}

            @Override
            public void close() {}
        };
    }

    private static byte[] octets(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
