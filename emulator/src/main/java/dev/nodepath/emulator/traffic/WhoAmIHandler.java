package dev.nodepath.emulator.traffic;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/**
 * The HTTP side of a pod: {@code {"pod":"web-1","source":"10.244.1.3"}}, the name of the answering pod and the source
 * address that it saw; and its readiness, which a request can switch off and on.
 */
final class WhoAmIHandler extends ChannelInboundHandlerAdapter {
    private final String pod;
    private final ServerReadiness readiness;
    private ByteBuf greeting = Unpooled.EMPTY_BUFFER;
    private HttpResponseStatus status = HttpResponseStatus.OK;
    private ByteBuf body = Unpooled.EMPTY_BUFFER;
    private boolean keepAlive;

    WhoAmIHandler(String pod, ServerReadiness readiness) {
        this.pod = pod;
        this.readiness = readiness;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        String source = ((InetSocketAddress) context.channel().remoteAddress())
                .getAddress()
                .getHostAddress();
        String json = "{\"pod\":\"" + pod + "\",\"source\":\"" + source + "\"}\n";
        greeting = Unpooled.unreleasableBuffer(Unpooled.wrappedBuffer(json.getBytes(StandardCharsets.UTF_8)));
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        boolean refused =
                message instanceof HttpObject part && part.decoderResult().isFailure();
        if (refused) {
            keepAlive = false;
            refuse();
        } else if (message instanceof HttpRequest request) {
            keepAlive = HttpUtil.isKeepAlive(request);
            decide(request);
        }
        boolean complete = refused || message instanceof LastHttpContent;
        ReferenceCountUtil.release(message);
        if (complete) {
            answer(context);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        context.flush();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        var unused = context.close();
    }

    /** The decoder reads nothing more of the connection. */
    private void refuse() {
        status = HttpResponseStatus.BAD_REQUEST;
        body = Unpooled.EMPTY_BUFFER;
    }

    private void decide(HttpRequest request) {
        status = HttpResponseStatus.OK;
        body = greeting;
        String uri = request.uri();
        if (request.method().equals(HttpMethod.POST) && (uri.equals("/ready") || uri.equals("/unready"))) {
            readiness.set(uri.equals("/ready"));
        } else if (readiness.isAsked(uri) && !readiness.isReady()) {
            status = HttpResponseStatus.SERVICE_UNAVAILABLE;
        }
    }

    private void answer(ChannelHandlerContext context) {
        FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, body.duplicate());
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.APPLICATION_JSON)
                .setInt(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes());
        if (!keepAlive) {
            response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        }
        ChannelFuture written = context.write(response);
        if (!keepAlive) {
            written.addListener(ChannelFutureListener.CLOSE);
        }
    }
}
