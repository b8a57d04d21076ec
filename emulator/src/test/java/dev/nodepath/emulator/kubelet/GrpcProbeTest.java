package dev.nodepath.emulator.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.HeldPorts;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2StreamFrame;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(900)
@SuppressWarnings("FutureReturnValueIgnored") // the prober gets the server's answer
class GrpcProbeTest {
    private static final InetAddress POD = InetAddress.getLoopbackAddress();
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Duration SHORT = Duration.ofSeconds(10);

    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());

    @AfterEach
    void stop() {
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    /** A server of the health protocol: the name of a service decides its answer. */
    private static final class Health extends SimpleChannelInboundHandler<Http2StreamFrame> {
        private String asked = "";

        @Override
        protected void channelRead0(ChannelHandlerContext context, Http2StreamFrame frame) {
            if (frame instanceof Http2HeadersFrame head) {
                Http2Headers headers = head.headers();
                asked = headers.method() + " " + headers.path() + " " + headers.get("content-type") + " "
                        + headers.get("te");
            } else if (frame instanceof Http2DataFrame data && data.isEndStream()) {
                assertThat(asked).isEqualTo("POST /grpc.health.v1.Health/Check application/grpc trailers");
                byte[] message = ByteBufUtil.getBytes(data.content());
                String service = message.length == 5 ? "" : new String(message, 7, message[6], StandardCharsets.UTF_8);
                answer(context, service);
            }
        }

        private static void answer(ChannelHandlerContext context, String service) {
            if (service.equals("reset")) {
                context.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.REFUSED_STREAM));
            } else if (service.startsWith("code-")) {
                context.writeAndFlush(new DefaultHttp2HeadersFrame(
                        head().set("grpc-status", service.substring(5)).set("grpc-message", "no " + service), true));
            } else if (service.equals("http")) {
                context.writeAndFlush(new DefaultHttp2HeadersFrame(new DefaultHttp2Headers().status("404"), true));
            } else if (!service.equals("never")) {
                context.write(new DefaultHttp2HeadersFrame(head()));
                byte[] status = service.isEmpty()
                        ? new byte[] {0, 0, 0, 0, 2, 8, 1}
                        : new byte[] {0, 0, 0, 0, 2, 8, (byte) Integer.parseInt(service)};
                context.write(new DefaultHttp2DataFrame(Unpooled.wrappedBuffer(status)));
                context.writeAndFlush(
                        new DefaultHttp2HeadersFrame(new DefaultHttp2Headers().set("grpc-status", "0"), true));
            }
        }

        private static Http2Headers head() {
            return new DefaultHttp2Headers().status("200").set("content-type", "application/grpc");
        }
    }

    private int serve() throws Exception {
        Channel server = new ServerBootstrap()
                .group(loops)
                .channel(EpollServerSocketChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline()
                                .addLast(
                                        Http2FrameCodecBuilder.forServer().build(),
                                        new Http2MultiplexHandler(new ChannelInitializer<>() {
                                            @Override
                                            protected void initChannel(Channel stream) {
                                                stream.pipeline().addLast(new Health());
                                            }
                                        }));
                    }
                })
                .bind(POD, 0)
                .sync()
                .channel();
        return ((InetSocketAddress) server.localAddress()).getPort();
    }

    private static Optional<String> problem(int port, String service, Duration timeout) {
        return Prober.problem(new ProbeSpec.Grpc(port, service), POD, Path.of("/none"), timeout);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ''      |
            1       |
            0       | service unhealthy (responded with "UNKNOWN")
            2       | service unhealthy (responded with "NOT_SERVING")
            3       | service unhealthy (responded with "SERVICE_UNKNOWN")
            code-5  | error: health rpc probe failed: rpc error: code = NotFound desc = no code-5
            code-12 | error: this server does not implement the grpc health protocol (grpc.health.v1.Health): no code-12
            code-99 | error: health rpc probe failed: rpc error: code = Code(99) desc = no code-99
            http    | error: this server does not implement the grpc health protocol (grpc.health.v1.Health): unexpected HTTP status code received from server: 404 (Not Found)
            200     | service unhealthy (responded with "200")
            code-x  | error: health rpc probe failed: rpc error: code = Internal desc = grpc-status: "x" (expected: a number)
            reset   | error: health rpc probe failed: rpc error: code = Unavailable desc = stream terminated by RST_STREAM with error code: REFUSED_STREAM
            """)
    void asksAsAKubeletDoes(String service, String expected) throws Exception {
        assertThat(problem(serve(), service, LONG)).isEqualTo(Optional.ofNullable(expected));
    }

    @Test
    void aServerThatDoesNotAnswerFails() throws Exception {
        assertThat(problem(serve(), "never", SHORT)).contains("timeout: health rpc did not complete within 10s");
    }

    @Test
    void whoDoesNotSpeakHttp2CannotBeReached() throws Exception {
        int free = HeldPorts.next();
        try (ServerSocket server = new ServerSocket(free, 1, POD)) {
            Thread http1 = new Thread(() -> answerHttp1(server));
            http1.start();
            assertThat(problem(free, "", LONG)).contains(unreached(free, "5m0s"));
            http1.join();
            assertThat(problem(free, "", SHORT)).contains(unreached(free, "10s"));
        }
        assertThat(problem(free, "", SHORT)).contains(unreached(free, "10s"));
    }

    private static String unreached(int port, String seconds) {
        return "timeout: failed to connect service \"127.0.0.1:" + port + "\" within " + seconds
                + ": context deadline exceeded";
    }

    private static void answerHttp1(ServerSocket server) {
        try (Socket client = server.accept()) {
            client.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            client.getInputStream().readAllBytes();
        } catch (IOException e) {
            // The prober has gone.
            return;
        }
    }
}
