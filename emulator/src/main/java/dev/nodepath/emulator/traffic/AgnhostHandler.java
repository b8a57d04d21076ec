package dev.nodepath.emulator.traffic;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;

/**
 * The HTTP side of {@code agnhost netexec}, as far as Kubernetes' network tests use it: {@code /hostname}, {@code
 * /clientip}, {@code /echo?msg=}, {@code /header?key=}, {@code /redirect?location=&code=}, {@code /dial}, {@code
 * /healthz}, {@code /exit?code=}, {@code /shutdown}. Other paths say the time, as there.
 */
final class AgnhostHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
    /** Dials from the Pod's network, and returns JSON. */
    interface Caller {
        String call(AgnhostDial dial, BooleanSupplier wanted);
    }

    /** Octets of a request's body. */
    static final int BODY_MAX = 64 * 1024;

    private static final String HOSTNAME = "/hostname";

    private final String hostname;
    private final boolean alwaysHostname;
    private final Caller caller;
    private final Executor dials;
    private final IntConsumer exit;
    private int dialing;
    private boolean clientDone;

    /**
     * The handler of one connection.
     *
     * @param alwaysHostname whether it is {@code serve-hostname}, whose every path says the name
     * @param caller dials
     * @param dials where it may take long
     * @param exit ends the container with a code
     */
    AgnhostHandler(String hostname, boolean alwaysHostname, Caller caller, Executor dials, IntConsumer exit) {
        this.hostname = hostname;
        this.alwaysHostname = alwaysHostname;
        this.caller = caller;
        this.dials = dials;
        this.exit = exit;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
        boolean keepAlive = HttpUtil.isKeepAlive(request);
        if (request.decoderResult().isFailure()) {
            answer(context, HttpResponseStatus.BAD_REQUEST, "400 Bad Request", "", false);
            return;
        }
        QueryStringDecoder uri = new QueryStringDecoder(request.uri());
        switch (alwaysHostname ? HOSTNAME : uri.path().toLowerCase(Locale.ROOT)) {
            case HOSTNAME -> answer(context, hostname, keepAlive);
            case "/clientip" -> answer(context, text(context.channel().remoteAddress()), keepAlive);
            case "/echo" ->
                answer(
                        context,
                        HttpResponseStatus.valueOf(number(first(uri, "code"), 200)),
                        first(uri, "msg"),
                        "",
                        keepAlive);
            case "/header" -> answer(context, String.valueOf(request.headers().get(first(uri, "key"), "")), keepAlive);
            case "/healthz" -> answer(context, "", keepAlive);
            case "/redirect" -> redirect(context, uri, keepAlive);
            case "/dial" -> dial(context, uri, keepAlive);
            case "/exit" -> {
                answer(context, "", false);
                exit.accept(number(first(uri, "code"), 0));
            }
            case "/shutdown" -> {
                answer(context, "", false);
                exit.accept(0);
            }
            case "/shell", "/upload" ->
                answer(
                        context,
                        HttpResponseStatus.NOT_IMPLEMENTED,
                        uri.path() + " is not here (expected: kubectl exec, kubectl cp)",
                        "",
                        keepAlive);
            default -> answer(context, "NOW: " + Instant.now(), keepAlive);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            clientDone = true;
            if (dialing == 0) {
                context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
            }
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        var unused = context.close();
    }

    /** {@code ADDRESS:PORT}, an IPv6 address in brackets. */
    static String text(SocketAddress address) {
        InetSocketAddress peer = (InetSocketAddress) address;
        String host = peer.getAddress().getHostAddress();
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + peer.getPort();
    }

    private static void redirect(ChannelHandlerContext context, QueryStringDecoder uri, boolean keepAlive) {
        HttpResponseStatus status = HttpResponseStatus.valueOf(number(first(uri, "code"), 302));
        answer(context, status, "", first(uri, "location"), keepAlive);
    }

    /** Calls block, so they have a thread of their own. */
    private void dial(ChannelHandlerContext context, QueryStringDecoder uri, boolean keepAlive) {
        String protocol = first(uri, "protocol").toLowerCase(Locale.ROOT);
        AgnhostDial dial = new AgnhostDial(
                protocol.isEmpty() ? "http" : protocol,
                first(uri, "host"),
                number(first(uri, "port"), 0),
                first(uri, "request"),
                number(first(uri, "tries"), 1));
        Optional<String> problem = dial.problem();
        if (problem.isPresent()) {
            answer(context, HttpResponseStatus.BAD_REQUEST, problem.get(), "", keepAlive);
            return;
        }
        dialing++;
        dials.execute(() -> {
            String body = caller.call(dial, context.channel()::isActive);
            try {
                context.executor().execute(() -> {
                    dialing--;
                    answer(context, body, keepAlive && !(clientDone && dialing == 0));
                });
            } catch (RejectedExecutionException e) {
                // The cluster ends.
                return;
            }
        });
    }

    private static String first(QueryStringDecoder uri, String name) {
        return uri.parameters().getOrDefault(name, List.of("")).get(0);
    }

    private static int number(String text, int otherwise) {
        return text.matches("[0-9]{1,6}") ? Integer.parseInt(text) : otherwise;
    }

    private static void answer(ChannelHandlerContext context, String body, boolean keepAlive) {
        answer(context, HttpResponseStatus.OK, body, "", keepAlive);
    }

    private static void answer(
            ChannelHandlerContext context, HttpResponseStatus status, String body, String location, boolean keepAlive) {
        DefaultFullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, status, Unpooled.copiedBuffer(body, StandardCharsets.UTF_8));
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, "text/plain; charset=utf-8")
                .setInt(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes());
        if (!location.isEmpty()) {
            response.headers().set(HttpHeaderNames.LOCATION, location);
        }
        if (!keepAlive) {
            response.headers().set(HttpHeaderNames.CONNECTION, "close");
        }
        var unused = context.writeAndFlush(response)
                .addListener(keepAlive ? ChannelFutureListener.CLOSE_ON_FAILURE : ChannelFutureListener.CLOSE);
    }
}
