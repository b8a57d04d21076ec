package dev.nodepath.apiserver.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.apiserver.TestCluster;
import dev.nodepath.apiserver.resource.Resources;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolConfig;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolHandler;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolHandler.ClientHandshakeStateEvent;
import io.netty.handler.codec.spdy.DefaultSpdyDataFrame;
import io.netty.handler.codec.spdy.DefaultSpdySynStreamFrame;
import io.netty.handler.codec.spdy.SpdyDataFrame;
import io.netty.handler.codec.spdy.SpdyFrameCodec;
import io.netty.handler.codec.spdy.SpdySynStreamFrame;
import io.netty.handler.codec.spdy.SpdyVersion;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** exec and port-forward over WebSockets, which kubectl tries first since 1.30. */
class WebSocketStreamsTest {
    private static final String EXEC = "/api/v1/namespaces/default/pods/p/exec?stdout=true&stderr=true&command=";
    private static final String CHANNELS = "v5.channel.k8s.io";
    private static final byte STDIN = 0;
    private static final byte RESIZE = 4;
    private static final byte CLOSE = (byte) 255;

    private final ScriptedPods pods = new ScriptedPods();

    @AutoClose
    private TestCluster cluster;

    private Messages messages;

    @BeforeEach
    void start() throws Exception {
        cluster = TestCluster.withRules(pods);
        messages = new Messages();
        cluster.api.create(
                Resources.PODS,
                TestCluster.tree("{'metadata':{'name':'p','namespace':'default'},'spec':{'nodeName':'n','containers':"
                        + "[{'name':'c','image':'i'}]}}"));
    }

    @Test
    void carriesInputOutputAndTheEnd() throws Exception {
        WebSocket socket = open(EXEC + "cat&stdin=true", CHANNELS);
        assertThat(socket.getSubprotocol()).isEqualTo(CHANNELS);
        send(socket, STDIN, "hello");
        assertThat(messages.next()).isEqualTo("1 hello");
        send(socket, CLOSE, "\0");
        assertThat(messages.next()).isEqualTo("3 {\"status\":\"Success\"}");
        assertThat(messages.next()).isEqualTo("closed 1000");
    }

    @Test
    void tellsErrorsAndTheExitCode() throws Exception {
        open(EXEC + "fail&command=3", CHANNELS);
        assertThat(messages.next()).isEqualTo("2 no luck\n");
        assertThat(messages.next()).startsWith("3 ").contains("\"NonZeroExitCode\"", "\"message\":\"3\"");
    }

    @Test
    void tellsTheTerminalsSize() throws Exception {
        WebSocket socket = open(EXEC + "cat&stdin=true&tty=true", CHANNELS);
        send(socket, RESIZE, "{\"Width\":100,\"Height\":40}");
        assertThat(messages.next()).isEqualTo("1 100 by 40");
    }

    @Test
    void endsACommandThatReadsNoInputWhenItsClientGoes() throws Exception {
        WebSocket socket = open(EXEC + "stuck&stdin=true", CHANNELS);
        send(socket, STDIN, "x");
        send(socket, STDIN, "y");
        socket.abort();
        assertThat(pods.clientGone.get(5, TimeUnit.MINUTES)).isTrue();
    }

    @Test
    void sendsNothingOnAStreamThatNobodyAskedFor() throws Exception {
        open(EXEC.replace("stderr=true", "stderr=false") + "fail&command=3", CHANNELS);
        assertThat(messages.next()).startsWith("3 ");
    }

    /** The JDK's client takes no such name of a protocol, so Netty's is used. */
    @Test
    void tunnelsPortForwardsFrames() throws Exception {
        BlockingQueue<String> answers = new LinkedBlockingQueue<>();
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try {
            new Bootstrap()
                    .group(loop)
                    .channel(NioSocketChannel.class)
                    .handler(new ChannelInitializer<SocketChannel>() {
                        @Override
                        protected void initChannel(SocketChannel channel) throws Exception {
                            tunnel(channel.pipeline(), answers);
                        }
                    })
                    .connect(cluster.address)
                    .sync();
            assertThat(answers.poll(5, TimeUnit.MINUTES)).endsWith("port 8080");
        } finally {
            loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        }
    }

    @Test
    void refusesAProtocolThatItDoesNotKnow() {
        assertThatThrownBy(() -> open(EXEC + "cat", "v1.channel.k8s.io"))
                .cause()
                .isInstanceOfSatisfying(
                        WebSocketHandshakeException.class,
                        e -> assertThat(e.getResponse().statusCode()).isEqualTo(400));
    }

    private void tunnel(ChannelPipeline pipeline, BlockingQueue<String> answers) throws Exception {
        SslContext trusting = SslContextBuilder.forClient()
                .trustManager(cluster.certificate.certificate())
                .build();
        pipeline.addLast(
                trusting.newHandler(pipeline.channel().alloc(), "localhost", cluster.address.getPort()),
                new HttpClientCodec(),
                new HttpObjectAggregator(64 * 1024),
                new WebSocketClientProtocolHandler(WebSocketClientProtocolConfig.newBuilder()
                        .webSocketUri(webSocketUri("/api/v1/namespaces/default/pods/p/portforward"))
                        .subprotocol("SPDY/3.1+portforward.k8s.io")
                        .customHeaders(new DefaultHttpHeaders().set("Authorization", "Bearer " + cluster.token.value()))
                        .build()),
                new SimpleChannelInboundHandler<>(SpdyDataFrame.class) {
                    @Override
                    @SuppressWarnings("FutureReturnValueIgnored") // a frame that is not sent has no answer
                    public void userEventTriggered(ChannelHandlerContext context, Object event) {
                        if (event == ClientHandshakeStateEvent.HANDSHAKE_COMPLETE) {
                            context.pipeline()
                                    .addBefore(context.name(), null, new WebSocketTunnel())
                                    .addBefore(context.name(), null, new SpdyFrameCodec(SpdyVersion.SPDY_3_1));
                            context.write(opened(1, "error"));
                            context.write(opened(3, "data"));
                            context.writeAndFlush(new DefaultSpdyDataFrame(
                                    3, Unpooled.copiedBuffer("GET", StandardCharsets.US_ASCII)));
                        }
                    }

                    @Override
                    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                        answers.add(String.valueOf(cause));
                    }

                    @Override
                    protected void channelRead0(ChannelHandlerContext context, SpdyDataFrame data) {
                        if (data.streamId() == 3 && data.content().isReadable()) {
                            answers.add(data.content().toString(StandardCharsets.US_ASCII));
                        }
                    }
                });
    }

    private static SpdySynStreamFrame opened(int stream, String type) {
        SpdySynStreamFrame frame = new DefaultSpdySynStreamFrame(stream, 0, (byte) 0);
        frame.headers().set("streamtype", type).set("port", "8080").set("requestid", "0");
        return frame;
    }

    private URI webSocketUri(String path) {
        return URI.create(cluster.uri(path).toString().replace("https:", "wss:"));
    }

    private WebSocket open(String path, String protocol) throws Exception {
        return cluster.client
                .newWebSocketBuilder()
                .header("Authorization", "Bearer " + cluster.token.value())
                .subprotocols(protocol)
                .buildAsync(webSocketUri(path), messages)
                .get(5, TimeUnit.MINUTES);
    }

    private static void send(WebSocket socket, byte stream, String text) throws Exception {
        byte[] octets = (" " + text).getBytes(StandardCharsets.UTF_8);
        octets[0] = stream;
        socket.sendBinary(ByteBuffer.wrap(octets), true).get(5, TimeUnit.MINUTES);
    }

    /** The server's output: each message's stream and text. */
    private static final class Messages implements WebSocket.Listener {
        private final BlockingQueue<byte[]> received = new LinkedBlockingQueue<>();
        private final ByteArrayOutputStream parts = new ByteArrayOutputStream();

        @Override
        public CompletionStage<?> onBinary(WebSocket socket, ByteBuffer data, boolean last) {
            byte[] part = new byte[data.remaining()];
            data.get(part);
            parts.writeBytes(part);
            if (last) {
                received.add(parts.toByteArray());
                parts.reset();
            }
            return WebSocket.Listener.super.onBinary(socket, data, last);
        }

        @Override
        public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
            received.add(("\377closed " + code).getBytes(StandardCharsets.ISO_8859_1));
            return WebSocket.Listener.super.onClose(socket, code, reason);
        }

        byte[] octets() throws InterruptedException {
            byte[] octets = received.poll(5, TimeUnit.MINUTES);
            if (octets == null) {
                throw new AssertionError("the server sends nothing more");
            }
            return octets;
        }

        String next() throws InterruptedException {
            byte[] octets = octets();
            String text = new String(octets, 1, octets.length - 1, StandardCharsets.UTF_8);
            return octets[0] == CLOSE ? text : octets[0] + " " + text;
        }
    }
}
