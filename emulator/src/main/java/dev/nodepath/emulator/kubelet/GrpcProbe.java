package dev.nodepath.emulator.kubelet;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2ChannelDuplexHandler;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2FrameStream;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2SettingsFrame;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One try of a gRPC probe, as a kubelet makes it: {@code grpc.health.v1.Health/Check} over HTTP/2 without TLS (gRPC,
 * "GRPC Health Checking Protocol" and "gRPC over HTTP2").
 */
final class GrpcProbe {
    private static final List<String> STATUSES = List.of("UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN");
    private static final int SERVING = 1;

    /** The names of gRPC's status codes, by number. */
    private static final List<String> CODES = List.of(
            "OK",
            "Canceled",
            "Unknown",
            "InvalidArgument",
            "DeadlineExceeded",
            "NotFound",
            "AlreadyExists",
            "PermissionDenied",
            "ResourceExhausted",
            "FailedPrecondition",
            "Aborted",
            "OutOfRange",
            "Unimplemented",
            "Internal",
            "Unavailable",
            "DataLoss",
            "Unauthenticated");

    private static final String UNAVAILABLE = "Unavailable";
    private static final String INTERNAL = "Internal";
    private static final String UNIMPLEMENTED = "Unimplemented";
    private static final String DEADLINE_EXCEEDED = "DeadlineExceeded";
    private static final int ANSWER_BYTES_MAX = 64 * 1024;
    /** A message of gRPC begins with a flag and four octets of length. */
    private static final int PREFIX = 5;

    /** Tags of protobuf fields: the field's number, and the form of its value. */
    private static final int SERVICE = 1 << 3 | 2;

    private static final int STATUS = 1 << 3;

    private final ProbeSpec.Grpc probe;
    private final InetSocketAddress target;
    private final Duration timeout;
    private final ProbeDeadline deadline;
    private final Streams streams = new Streams();
    private final ByteArrayOutputStream answer = new ByteArrayOutputStream();
    private boolean connected;
    private @Nullable Throwable fault;
    private Optional<Http2Headers> end = Optional.empty();

    private GrpcProbe(ProbeSpec.Grpc probe, InetAddress pod, Duration timeout) {
        this.probe = probe;
        this.target = new InetSocketAddress(ProbeSpec.host("", pod), probe.port());
        this.timeout = timeout;
        this.deadline = new ProbeDeadline(timeout);
    }

    /** Makes a stream, and gets errors of HTTP/2. */
    private final class Streams extends Http2ChannelDuplexHandler {
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            fault = cause;
        }
    }

    /** A call that has ended without an answer. */
    private static final class CallException extends Exception {
        private static final long serialVersionUID = 1L;

        private final String code;

        CallException(String code, String message) {
            super(message);
            this.code = code;
        }
    }

    /**
     * Makes one try.
     *
     * @return why it failed, in a kubelet's words; empty if it passed
     */
    static Optional<String> problem(ProbeSpec.Grpc probe, InetAddress pod, Duration timeout) {
        return new GrpcProbe(probe, pod, timeout).problem();
    }

    private Optional<String> problem() {
        try {
            int status = status();
            return status == SERVING
                    ? Optional.empty()
                    : Optional.of("service unhealthy (responded with \""
                            + (status < STATUSES.size() ? STATUSES.get(status) : String.valueOf(status)) + "\")");
        } catch (CallException e) {
            if (!connected) {
                return Optional.of("timeout: failed to connect service \"" + Prober.text(target) + "\" within "
                        + text(timeout) + ": context deadline exceeded");
            }
            return Optional.of(
                    switch (e.code) {
                        case UNIMPLEMENTED ->
                            "error: this server does not implement the grpc health protocol"
                                    + " (grpc.health.v1.Health): " + e.getMessage();
                        case DEADLINE_EXCEEDED -> "timeout: health rpc did not complete within " + text(timeout);
                        default ->
                            "error: health rpc probe failed: rpc error: code = " + e.code + " desc = " + e.getMessage();
                    });
        }
    }

    private int status() throws CallException {
        EmbeddedChannel http =
                new EmbeddedChannel(Http2FrameCodecBuilder.forClient().build(), streams);
        try (Socket socket = Prober.connect(target, deadline.left())) {
            http.writeOutbound(call());
            send(http, socket);
            byte[] octets = new byte[8192];
            while (end.isEmpty()) {
                socket.setSoTimeout(deadline.left());
                int count = socket.getInputStream().read(octets);
                if (count < 0) {
                    throw new CallException(UNAVAILABLE, "error reading from server: EOF");
                }
                http.writeInbound(Unpooled.copiedBuffer(octets, 0, count));
                receive(http);
                if (fault != null) {
                    throw new CallException(INTERNAL, String.valueOf(fault.getMessage()));
                }
                send(http, socket);
            }
            return status(end.get());
        } catch (SocketTimeoutException e) {
            throw new CallException(DEADLINE_EXCEEDED, "context deadline exceeded");
        } catch (IOException e) {
            throw new CallException(UNAVAILABLE, String.valueOf(e.getMessage()));
        } finally {
            http.finishAndReleaseAll();
        }
    }

    private Object[] call() {
        Http2FrameStream stream = streams.newStream();
        Http2Headers headers = new DefaultHttp2Headers()
                .method("POST")
                .scheme("http")
                .authority(Prober.text(target))
                .path("/grpc.health.v1.Health/Check")
                .set("te", "trailers")
                .set("content-type", "application/grpc")
                .set("user-agent", HttpProbe.USER_AGENT);
        byte[] service = probe.service().getBytes(StandardCharsets.UTF_8);
        ByteBuf message = Unpooled.buffer();
        if (service.length > 0) {
            message.writeByte(SERVICE);
            for (int rest = service.length; ; rest >>>= 7) {
                message.writeByte(rest < 0x80 ? rest : (rest & 0x7f) | 0x80);
                if (rest < 0x80) {
                    break;
                }
            }
            message.writeBytes(service);
        }
        ByteBuf prefix = Unpooled.buffer(PREFIX).writeByte(0).writeInt(message.readableBytes());
        return new Object[] {
            new DefaultHttp2HeadersFrame(headers).stream(stream),
            new DefaultHttp2DataFrame(Unpooled.wrappedBuffer(prefix, message), true).stream(stream)
        };
    }

    private static void send(EmbeddedChannel http, Socket socket) throws IOException {
        for (ByteBuf octets = http.readOutbound(); octets != null; octets = http.readOutbound()) {
            socket.getOutputStream().write(ByteBufUtil.getBytes(octets));
            octets.release();
        }
    }

    private void receive(EmbeddedChannel http) throws IOException, CallException {
        for (Object frame = http.readInbound(); frame != null; frame = http.readInbound()) {
            try {
                received(frame);
            } finally {
                ReferenceCountUtil.release(frame);
            }
        }
    }

    private void received(Object frame) throws IOException, CallException {
        connected |= frame instanceof Http2SettingsFrame;
        if (frame instanceof Http2HeadersFrame headers) {
            received(headers);
        } else if (frame instanceof Http2DataFrame data) {
            answer.write(ByteBufUtil.getBytes(data.content()));
            if (data.isEndStream() || answer.size() > ANSWER_BYTES_MAX) {
                throw new CallException(INTERNAL, "server closed the stream without sending trailers");
            }
        } else if (frame instanceof Http2ResetFrame reset) {
            @Nullable Http2Error error = Http2Error.valueOf(reset.errorCode());
            throw new CallException(
                    error == null ? INTERNAL : codeOf(error),
                    "stream terminated by RST_STREAM with error code: " + (error == null ? reset.errorCode() : error));
        }
    }

    private void received(Http2HeadersFrame frame) throws CallException {
        Http2Headers headers = frame.headers();
        CharSequence status = headers.status();
        String code = status == null ? "200" : status.toString();
        if (code.matches("1[0-9]{2}")) {
            return;
        }
        if (!code.equals("200")) {
            String reason = code.matches("[2-9][0-9]{2}")
                    ? " (" + HttpResponseStatus.valueOf(Integer.parseInt(code)).reasonPhrase() + ")"
                    : "";
            throw new CallException(codeOf(code), "unexpected HTTP status code received from server: " + code + reason);
        }
        if (frame.isEndStream()) {
            end = Optional.of(headers);
        }
    }

    /** gRPC, "HTTP to gRPC Status Code Mapping". */
    private static String codeOf(String httpStatus) {
        return switch (httpStatus) {
            case "400" -> INTERNAL;
            case "401" -> "Unauthenticated";
            case "403" -> "PermissionDenied";
            case "404" -> UNIMPLEMENTED;
            case "429", "502", "503", "504" -> UNAVAILABLE;
            default -> "Unknown";
        };
    }

    /** gRPC over HTTP2, "HTTP2 Transport Mapping". */
    private static String codeOf(Http2Error error) {
        return switch (error) {
            case REFUSED_STREAM -> UNAVAILABLE;
            case CANCEL -> "Canceled";
            case ENHANCE_YOUR_CALM, FLOW_CONTROL_ERROR -> "ResourceExhausted";
            case INADEQUATE_SECURITY -> "PermissionDenied";
            default -> INTERNAL;
        };
    }

    /** The status in the whole answer. */
    private int status(Http2Headers trailers) throws CallException {
        String code = String.valueOf(trailers.get("grpc-status"));
        if (!code.matches("[0-9]{1,9}")) {
            throw new CallException(INTERNAL, "grpc-status: \"" + code + "\" (expected: a number)");
        }
        int number = Integer.parseInt(code);
        if (number != 0) {
            CharSequence message = trailers.get("grpc-message");
            throw new CallException(
                    number < CODES.size() ? CODES.get(number) : "Code(" + number + ")",
                    message == null ? "" : message.toString());
        }
        ByteBuffer octets = ByteBuffer.wrap(answer.toByteArray());
        octets.position(Math.min(PREFIX, octets.limit()));
        return octets.remaining() >= 2 && octets.get() == STATUS ? octets.get() & 0xff : 0;
    }

    /** As Go prints it: {@code 1m30s}. */
    private static String text(Duration time) {
        return (time.toMinutes() > 0 ? time.toMinutes() + "m" : "") + time.toSecondsPart() + "s";
    }
}
