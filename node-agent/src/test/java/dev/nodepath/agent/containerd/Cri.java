package dev.nodepath.agent.containerd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The few calls of the container runtime interface that a kubelet makes for a pod's sandbox. A gRPC call is one HTTP/2
 * request with a length-prefixed protocol buffer, which curl can send; the field numbers are those of cri-api's
 * {@code api.proto}, v1.
 */
final class Cri {
    private static final String SERVICE = "http://localhost/runtime.v1.RuntimeService/";
    private static final int GRPC_PREFIX_BYTES = 5;
    private static final int VARINT = 0;
    private static final int BYTES = 2;

    private final Path socket;
    private final Path directory;

    Cri(Path socket, Path directory) {
        this.socket = socket;
        this.directory = directory;
    }

    /** The runtime refused, and said why. */
    static final class Refusal extends Exception {
        Refusal(String message) {
            super(message);
        }
    }

    /** Runs a sandbox and returns its ID. */
    String run(String pod, OptionalInt hostPort) throws Exception {
        byte[] metadata = message(text(1, pod), text(2, "uid-" + pod), text(3, "default"));
        byte[] ports =
                hostPort.isEmpty() ? new byte[0] : field(5, message(number(2, 80), number(3, hostPort.getAsInt())));
        byte[] config = message(field(1, metadata), text(3, "/run/pod-logs"), ports);
        return first(call("RunPodSandbox", field(1, config)), 1).orElseThrow();
    }

    void stop(String id) throws Exception {
        assertThat(call("StopPodSandbox", text(1, id))).isEmpty();
    }

    void remove(String id) throws Exception {
        assertThat(call("RemovePodSandbox", text(1, id))).isEmpty();
    }

    /** The address that the runtime tells a kubelet. */
    String address(String id) throws Exception {
        byte[] answer = call("PodSandboxStatus", text(1, id));
        byte[] status = fields(answer, 1).get(0);
        return first(fields(status, 5).get(0), 1).orElseThrow();
    }

    /** The IDs of all sandboxes, including those that are not ready. */
    List<String> list() throws Exception {
        List<String> ids = new ArrayList<>();
        for (byte[] item : fields(call("ListPodSandbox", new byte[0]), 1)) {
            ids.add(first(item, 1).orElseThrow());
        }
        return ids;
    }

    /** The IDs of a pod's sandboxes, including those that could be neither run nor removed. */
    List<String> list(String pod) throws Exception {
        List<String> ids = new ArrayList<>();
        for (byte[] item : fields(call("ListPodSandbox", new byte[0]), 1)) {
            if (first(fields(item, 2).get(0), 1).orElseThrow().equals(pod)) {
                ids.add(first(item, 1).orElseThrow());
            }
        }
        return ids;
    }

    private byte[] call(String method, byte[] request) throws IOException, InterruptedException, Refusal {
        Path body = Files.createTempFile(directory, "request", "");
        Path answer = Files.createTempFile(directory, "answer", "");
        try {
            Files.write(
                    body,
                    ByteBuffer.allocate(GRPC_PREFIX_BYTES + request.length)
                            .put((byte) 0)
                            .putInt(request.length)
                            .put(request)
                            .array());
            String headers = Program.run(List.of(
                            "curl",
                            "-sS",
                            "--max-time",
                            "50",
                            "--http2-prior-knowledge",
                            "--unix-socket",
                            socket.toString(),
                            "-H",
                            "content-type: application/grpc",
                            "-H",
                            "te: trailers",
                            "--data-binary",
                            "@" + body,
                            "-D",
                            "-",
                            "-o",
                            answer.toString(),
                            SERVICE + method))
                    .text();
            if (!headers.contains("grpc-status: 0\r\n")) {
                throw new Refusal(method + ": " + headers);
            }
            byte[] bytes = Files.readAllBytes(answer);
            return Arrays.copyOfRange(bytes, GRPC_PREFIX_BYTES, bytes.length);
        } finally {
            Files.delete(body);
            Files.delete(answer);
        }
    }

    private static byte[] text(int field, String value) {
        return field(field, value.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] field(int field, byte[] value) {
        return message(varint((field << 3) | BYTES), varint(value.length), value);
    }

    private static byte[] number(int field, int value) {
        return message(varint((field << 3) | VARINT), varint(value));
    }

    private static byte[] varint(int value) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int rest = value;
        while (rest > 0x7f) {
            out.write((rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        out.write(rest);
        return out.toByteArray();
    }

    private static byte[] message(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }

    private static Optional<String> first(byte[] message, int field) {
        return fields(message, field).stream().findFirst().map(bytes -> new String(bytes, StandardCharsets.UTF_8));
    }

    /** The values of a field that holds bytes; other fields are passed over. */
    private static List<byte[]> fields(byte[] message, int field) {
        List<byte[]> values = new ArrayList<>();
        ByteBuffer in = ByteBuffer.wrap(message);
        while (in.hasRemaining()) {
            long tag = readVarint(in);
            long value = readVarint(in);
            if ((tag & 7) == BYTES) {
                byte[] bytes = new byte[(int) value];
                in.get(bytes);
                if (tag >> 3 == field) {
                    values.add(bytes);
                }
            }
        }
        return values;
    }

    private static long readVarint(ByteBuffer in) {
        long value = 0;
        for (int shift = 0; ; shift += 7) {
            byte next = in.get();
            value |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                return value;
            }
        }
    }
}
