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
import io.netty.handler.codec.http.multipart.DefaultHttpDataFactory;
import io.netty.handler.codec.http.multipart.FileUpload;
import io.netty.handler.codec.http.multipart.HttpPostRequestDecoder;
import java.io.IOException;
import java.net.InetAddress;
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
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The HTTP side of {@code agnhost netexec}, as far as Kubernetes' network tests use it: {@code /hostname}, {@code
 * /clientip}, {@code /echo?msg=}, {@code /header?key=}, {@code /redirect?location=&code=}, {@code /dial}, {@code
 * /shell?cmd=}, {@code /upload}, {@code /healthz}, {@code /exit?code=}, {@code /shutdown}. Other paths answer with the
 * time, as agnhost's do.
 */
final class AgnhostHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
    /** Dials from the Pod's network, and returns JSON. */
    interface Caller {
        String call(AgnhostDial dial, InetAddress address, BooleanSupplier wanted);
    }

    /** Octets of a request's body, such as an uploaded file. */
    static final int BODY_MAX = 1024 * 1024;

    private static final String HOSTNAME = "/hostname";

    private final String hostname;
    private final boolean alwaysHostname;
    private final Caller caller;
    private final AgnhostShell shell;
    private final Executor slow;
    private final IntConsumer exit;
    private int unanswered;
    private boolean clientDone;

    /**
     * The handler of one connection.
     *
     * @param alwaysHostname whether it is {@code serve-hostname}, which answers every path with the name
     * @param caller dials
     * @param container runs commands
     * @param slow runs blocking dials and commands; it rejects a task beyond its limit
     * @param exit ends the container with a code
     */
    AgnhostHandler(
            String hostname,
            boolean alwaysHostname,
            Caller caller,
            ContainerCommands container,
            Executor slow,
            IntConsumer exit) {
        this.hostname = hostname;
        this.alwaysHostname = alwaysHostname;
        this.caller = caller;
        this.shell = new AgnhostShell(container);
        this.slow = slow;
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
            case "/shell" -> {
                String line = shellLine(uri, request);
                answerLater(context, keepAlive, () -> shell.shell(line));
            }
            case "/upload" -> {
                Optional<byte[]> file = file(request);
                answerLater(context, keepAlive, () -> file.map(shell::upload).orElseGet(AgnhostShell::noFile));
            }
            default -> answer(context, "NOW: " + Instant.now(), keepAlive);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            clientDone = true;
            if (unanswered == 0) {
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
        answerLater(context, keepAlive, () -> dialed(dial, context.channel()::isActive));
    }

    private AgnhostShell.Answer dialed(AgnhostDial dial, BooleanSupplier wanted) {
        try {
            String body = caller.call(dial, shell.address(dial.host()), wanted);
            return new AgnhostShell.Answer(HttpResponseStatus.OK, body);
        } catch (IOException e) {
            return new AgnhostShell.Answer(
                    HttpResponseStatus.BAD_REQUEST, "host and/or port param are invalid. " + e.getMessage());
        }
    }

    /** Blocking work has a thread of its own. */
    private void answerLater(ChannelHandlerContext context, boolean keepAlive, Supplier<AgnhostShell.Answer> work) {
        unanswered++;
        // Each client's requests are handled one after the other, and answered in this order.
        context.channel().config().setAutoRead(false);
        try {
            slow.execute(() -> {
                AgnhostShell.Answer answer = work.get();
                try {
                    context.executor().execute(() -> answered(context, answer, keepAlive));
                } catch (RejectedExecutionException e) {
                    // The cluster ends.
                    return;
                }
            });
        } catch (RejectedExecutionException e) {
            answered(
                    context,
                    new AgnhostShell.Answer(HttpResponseStatus.SERVICE_UNAVAILABLE, String.valueOf(e.getMessage())),
                    keepAlive);
        }
    }

    private void answered(ChannelHandlerContext context, AgnhostShell.Answer answer, boolean keepAlive) {
        unanswered--;
        boolean more = keepAlive && !(clientDone && unanswered == 0);
        answer(context, answer.status(), answer.body(), "", more);
        context.channel().config().setAutoRead(true);
    }

    /** The line is in the query, or in a posted form. */
    private static String shellLine(QueryStringDecoder uri, FullHttpRequest request) {
        QueryStringDecoder form = new QueryStringDecoder(request.content().toString(StandardCharsets.UTF_8), false);
        return Stream.of(uri, form)
                .flatMap(values -> Stream.of(first(values, "shellCommand"), first(values, "cmd")))
                .filter(line -> !line.isEmpty())
                .findFirst()
                .orElse("");
    }

    /** The field {@code file} of a multipart form. */
    private static Optional<byte[]> file(FullHttpRequest request) {
        if (!HttpPostRequestDecoder.isMultipart(request)) {
            return Optional.empty();
        }
        HttpPostRequestDecoder form = null;
        try {
            form = new HttpPostRequestDecoder(new DefaultHttpDataFactory(false), request);
            return form.getBodyHttpData("file") instanceof FileUpload file ? Optional.of(file.get()) : Optional.empty();
        } catch (HttpPostRequestDecoder.ErrorDataDecoderException | IOException e) {
            return Optional.empty();
        } finally {
            if (form != null) {
                form.destroy();
            }
        }
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
