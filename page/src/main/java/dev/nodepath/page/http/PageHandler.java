package dev.nodepath.page.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.timeout.IdleStateHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One connection of a reader. */
@SuppressWarnings("FutureReturnValueIgnored") // a write or a close that fails ends the connection anyway
final class PageHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
    /** The limit leaves room for plain requests, and one reader leaves room for others. */
    static final int STREAMS_MAX = 128;

    static final int STREAMS_OF_ONE_MAX = 64;

    private static final Logger LOG = LoggerFactory.getLogger(PageHandler.class);

    private final PageRoutes routes;
    private final Executor workers;
    private final Executor readers;
    private final Set<EventStream> streams;
    private final Connections connections;
    private @Nullable EventStream stream;
    private boolean waiting;

    /**
     * The handler of one connection.
     *
     * @param workers carry out the actions of readers
     * @param readers run slow reads
     * @param streams all open ones, on the event loop of this connection
     * @param connections all others
     */
    PageHandler(
            PageRoutes routes, Executor workers, Executor readers, Set<EventStream> streams, Connections connections) {
        this.routes = routes;
        this.workers = workers;
        this.readers = readers;
        this.streams = streams;
        this.connections = connections;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        connections.arrived(context.channel());
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
        if (stream != null || waiting || !context.channel().isWritable()) {
            // One request at a time, and only while its client reads the answers.
            context.close();
            return;
        }
        Optional<PageAnswer> greeting = greeting(context, request);
        if (greeting.isPresent()) {
            send(context, greeting.get(), hasBody(request), false);
            return;
        }
        connections.know(context.channel());
        Optional<PageAnswer> answer = routes.answer(request);
        if (answer.isPresent()) {
            send(context, answer.get(), hasBody(request), HttpUtil.isKeepAlive(request));
        } else if (request.method().equals(HttpMethod.POST)) {
            String path = PageRoutes.path(request);
            byte[] body = PageRoutes.body(request);
            sendLater(context, workers, () -> routes.act(path, body), HttpUtil.isKeepAlive(request));
        } else if (PageRoutes.takesTime(request)) {
            String path = PageRoutes.path(request);
            sendLater(context, readers, () -> routes.read(path), HttpUtil.isKeepAlive(request));
        } else {
            open(context, request);
        }
    }

    /** An answer that ends the connection: to a malformed request, or to a client without the right to ask. */
    private Optional<PageAnswer> greeting(ChannelHandlerContext context, FullHttpRequest request) {
        if (request.decoderResult().isFailure()) {
            Throwable cause = request.decoderResult().cause();
            int status = cause instanceof TooLongHttpLineException
                    ? 414
                    : cause instanceof TooLongHttpHeaderException ? 431 : 400;
            return Optional.of(PageAnswer.error(status, "the request is no HTTP: " + cause.getMessage()));
        }
        try {
            return routes.greeting(
                    request, (InetSocketAddress) context.channel().localAddress());
        } catch (IllegalArgumentException e) {
            return Optional.of(PageAnswer.error(400, "the path is no URL: " + e.getMessage()));
        }
    }

    private static boolean hasBody(FullHttpRequest request) {
        return !request.method().equals(HttpMethod.HEAD);
    }

    private void sendLater(
            ChannelHandlerContext context, Executor executor, Supplier<PageAnswer> work, boolean keepAlive) {
        waiting = true;
        try {
            executor.execute(() -> {
                PageAnswer answer = done(work);
                context.executor().execute(() -> {
                    waiting = false;
                    send(context, answer, true, keepAlive);
                });
            });
        } catch (RejectedExecutionException e) {
            waiting = false;
            send(context, PageAnswer.error(429, "too many requests wait (expected: one at a time)"), true, keepAlive);
        }
    }

    /** After every failure there is an answer: without one the connection would wait for ever. */
    private static PageAnswer done(Supplier<PageAnswer> work) {
        try {
            return work.get();
        } catch (RuntimeException | Error e) {
            LOG.atError().setCause(e).log("page.request_failed");
            return PageAnswer.error(500, "it failed: " + e);
        }
    }

    private void open(ChannelHandlerContext context, FullHttpRequest request) {
        InetAddress peer = peer(context.channel());
        long ofPeer = streams.stream()
                .filter(each -> peer(each.channel()).equals(peer))
                .count();
        if (streams.size() >= STREAMS_MAX || ofPeer >= STREAMS_OF_ONE_MAX) {
            String many = streams.size() + " readers follow, " + ofPeer + " of them from " + peer.getHostAddress()
                    + " (expected: fewer than " + STREAMS_MAX + ", and than " + STREAMS_OF_ONE_MAX + " from one)";
            send(context, PageAnswer.error(503, many), true, HttpUtil.isKeepAlive(request));
            return;
        }
        connections.forget(context.channel());
        HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
        head.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, "text/event-stream")
                .set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
        PageAnswer.secureStream(head.headers());
        context.write(head);
        context.pipeline().remove(IdleStateHandler.class);
        EventStream opened = new EventStream(context.channel(), routes.page(), lastKnown(request));
        stream = opened;
        streams.add(opened);
        opened.start();
    }

    private static InetAddress peer(Channel channel) {
        return ((InetSocketAddress) channel.remoteAddress()).getAddress();
    }

    /** The header of a browser that reconnects, or the query of a program. */
    private static long lastKnown(FullHttpRequest request) {
        String sent = request.headers().get("last-event-id", "");
        if (sent.isEmpty()) {
            sent = String.join(
                    "", new QueryStringDecoder(request.uri()).parameters().getOrDefault("after", List.of()));
        }
        try {
            return Long.parseLong(sent);
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    private static void send(ChannelHandlerContext context, PageAnswer answer, boolean body, boolean keepAlive) {
        HttpResponse response = answer.response(body);
        HttpUtil.setKeepAlive(response, keepAlive);
        var written = context.writeAndFlush(response);
        if (!keepAlive) {
            written.addListener(ChannelFutureListener.CLOSE);
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (stream != null) {
            stream.advance();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        connections.forget(context.channel());
        if (stream != null) {
            streams.remove(stream);
        }
    }

    /** No data have come for long. A connection that waits for an answer stays: some actions take long. */
    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (!waiting) {
            context.close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }
}
