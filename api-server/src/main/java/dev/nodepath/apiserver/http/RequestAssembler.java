package dev.nodepath.apiserver.http;

import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.request.ApiRequest;
import dev.nodepath.apiserver.request.Query;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Puts the parts of a request together. A body of more than {@value #BODY_MAX} octets is refused. So is a request that
 * is still incomplete {@value #REQUEST_SECONDS_MAX} seconds after its begin, or after the begin of the connection. A
 * connection without a request ends after {@value #IDLE_SECONDS_MAX} seconds, and so does a connection whose client
 * does not read an answer.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a close or a write that fails ends the connection anyway
final class RequestAssembler extends ChannelInboundHandlerAdapter {
    /** As kube-apiserver's. */
    static final int BODY_MAX = 3 * 1024 * 1024;

    private static final int DROPPED_MAX = 64 * 1024 * 1024;

    static final int REQUEST_SECONDS_MAX = 30;
    static final int IDLE_SECONDS_MAX = 300;

    private final RequestQueue queue;
    private final HeldOctets held;
    private @Nullable HttpRequest head;
    private @Nullable ByteBuf body;
    private @Nullable StatusException refusal;
    private @Nullable ScheduledFuture<?> deadline;
    private @Nullable ChannelFuture answered;
    private long dropped;
    private long unsent;

    /**
     * The requests of one connection.
     *
     * @param held of all connections
     */
    RequestAssembler(RequestQueue queue, HeldOctets held) {
        this.queue = queue;
        this.held = held;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) throws Exception {
        expire(context, REQUEST_SECONDS_MAX);
        super.channelActive(context);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ChannelFuture answer = answered;
        try {
            if (answer != null) {
                drop(message, answer);
                return;
            }
            if (message instanceof HttpRequest request) {
                begin(context, request);
            }
            if (message instanceof HttpContent content) {
                add(context, content);
            }
            if (message instanceof LastHttpContent) {
                finish(context);
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
        releaseBody();
        cancelDeadline();
        queue.closed();
        held.forget(context.channel());
        super.channelInactive(context);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        releaseBody();
        cancelDeadline();
    }

    /** Errors of connections: for example a client without TLS, or one that has gone away. */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }

    private void begin(ChannelHandlerContext context, HttpRequest request) {
        expire(context, REQUEST_SECONDS_MAX);
        head = request;
        refusal = null;
        body = context.alloc().buffer();
        if (request.decoderResult().isFailure()) {
            refusal = noHttp(request.decoderResult().cause());
        } else if (HttpUtil.getContentLength(request, 0L) > BODY_MAX) {
            refusal = tooLarge();
        } else if (HttpUtil.is100ContinueExpected(request)) {
            context.writeAndFlush(new DefaultFullHttpResponse(
                    HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
        }
        if (request.decoderResult().isFailure()) {
            refuseWhole(context);
        } else if (refusal != null) {
            refuse(context);
        }
    }

    private void add(ChannelHandlerContext context, HttpContent message) {
        ByteBuf content = message.content();
        if (refusal == null && body != null) {
            if (message.decoderResult().isFailure()) {
                refusal = noHttp(message.decoderResult().cause());
            } else if (body.readableBytes() + content.readableBytes() > BODY_MAX) {
                refusal = tooLarge();
            } else {
                held.add(context.channel(), content.readableBytes());
                body.writeBytes(content);
            }
        }
    }

    private void finish(ChannelHandlerContext context) {
        HttpRequest request = head;
        ByteBuf whole = body;
        if (request == null || whole == null) {
            return;
        }
        if (refusal != null) {
            refuseWhole(context);
            return;
        }
        try {
            ApiRequest read = request(request, ByteBufUtil.getBytes(whole));
            head = null;
            releaseBody();
            expire(context, IDLE_SECONDS_MAX);
            queue.add(context, read, HttpUtil.isKeepAlive(request));
        } catch (IllegalArgumentException e) {
            refusal = StatusException.badRequest("the path is no URL: " + e.getMessage());
            refuseWhole(context);
        }
    }

    /** The rest of the request does not come. */
    private void refuseWhole(ChannelHandlerContext context) {
        refuse(context);
        if (answered != null) {
            answered.addListener(ChannelFutureListener.CLOSE);
        }
    }

    /**
     * The connection ends with the answer. Until then further input is dropped, so that the client can read the
     * answer.
     */
    private void refuse(ChannelHandlerContext context) {
        StatusException why = refusal;
        if (why != null && head != null) {
            head = null;
            held.forget(context.channel());
            releaseBody();
            answered = queue.refuse(context, why);
        }
    }

    /**
     * Drops the rest of a refused request; ends the connection at the request's end, or when the rest is far too long.
     */
    private void drop(Object message, ChannelFuture answer) {
        if (message instanceof HttpContent content) {
            dropped += content.content().readableBytes();
        }
        if (message instanceof LastHttpContent || dropped > DROPPED_MAX) {
            answer.addListener(ChannelFutureListener.CLOSE);
        }
    }

    private static ApiRequest request(HttpRequest request, byte[] body) {
        QueryStringDecoder uri = new QueryStringDecoder(request.uri());
        List<String> path = new ArrayList<>(List.of(uri.path().split("/", -1)));
        if (path.contains(".") || path.contains("..")) {
            throw new IllegalArgumentException("\"" + uri.path() + "\" (expected: no \".\" or \"..\" in it)");
        }
        path.remove(0);
        if (!path.isEmpty() && path.get(path.size() - 1).isEmpty()) {
            path.remove(path.size() - 1);
        }
        Map<String, List<String>> headers = new HashMap<>();
        for (String name : request.headers().names()) {
            headers.put(
                    name.toLowerCase(Locale.ROOT), List.copyOf(request.headers().getAll(name)));
        }
        return new ApiRequest(request.method().name(), path, new Query(uri.parameters()), headers, body);
    }

    private void expire(ChannelHandlerContext context, long seconds) {
        cancelDeadline();
        deadline = context.executor().schedule(() -> expired(context), seconds, TimeUnit.SECONDS);
    }

    /** A connection with an answer on its way may stay, if its client reads. */
    private void expired(ChannelHandlerContext context) {
        long waiting = context.channel().bytesBeforeWritable();
        boolean stuck = waiting > 0 && waiting == unsent;
        unsent = waiting;
        if (stuck || answered != null || !queue.isBusy()) {
            context.close();
        } else {
            expire(context, REQUEST_SECONDS_MAX);
        }
    }

    private void cancelDeadline() {
        if (deadline != null) {
            deadline.cancel(false);
        }
    }

    private void releaseBody() {
        if (body != null) {
            body.release();
            body = null;
        }
    }

    private static StatusException noHttp(Throwable fault) {
        String why = "the request is no HTTP: " + fault.getMessage();
        if (fault instanceof TooLongHttpLineException) {
            return new StatusException(414, "RequestURITooLong", why, "", "", "", List.of());
        }
        return fault instanceof TooLongHttpHeaderException
                ? new StatusException(431, "RequestHeaderFieldsTooLarge", why, "", "", "", List.of())
                : StatusException.badRequest(why);
    }

    private static StatusException tooLarge() {
        return new StatusException(
                413, "RequestEntityTooLarge", "Request entity too large: limit is " + BODY_MAX, "", "", "", List.of());
    }
}
