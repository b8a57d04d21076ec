package dev.nodepath.apiserver.http;

import dev.nodepath.apiserver.request.ApiResponse;
import dev.nodepath.apiserver.request.PieceSource;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpChunkedInput;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.stream.ChunkedInput;
import io.netty.handler.stream.ChunkedWriteHandler;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** Writes answers. */
@SuppressWarnings("FutureReturnValueIgnored") // a close or a write that fails ends the connection anyway
final class AnswerWriter {
    /** The most warnings: clients read no more. */
    private static final int WARNINGS_MAX = 100;

    private AnswerWriter() {}

    /**
     * Writes an answer; the future is done when all of it is sent.
     *
     * @param held counts the pieces of a list or a watch
     */
    static ChannelFuture write(
            ChannelHandlerContext context, ApiResponse response, boolean keepAlive, HeldOctets held) {
        if (response instanceof ApiResponse.Document document) {
            return whole(context, document, keepAlive);
        }
        if (response instanceof ApiResponse.Pieces pieces) {
            PieceSource source = PieceInput.of(pieces.pieces());
            return chunked(context, pieces.contentType(), new PieceInput(source, context.channel(), held), keepAlive);
        }
        if (response instanceof ApiResponse.Upgrade upgrade) {
            return streams(context, upgrade);
        }
        ApiResponse.Stream stream = (ApiResponse.Stream) response;
        ChannelFuture sent = chunked(
                context, stream.contentType(), new PieceInput(stream.source(), context.channel(), held), keepAlive);
        stream.source().start(resumeOnce(context));
        return sent;
    }

    private static ChannelFuture whole(
            ChannelHandlerContext context, ApiResponse.Document document, boolean keepAlive) {
        DefaultFullHttpResponse head = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                HttpResponseStatus.valueOf(document.code()),
                Unpooled.wrappedBuffer(document.body()));
        headers(head.headers(), document.contentType(), keepAlive);
        head.headers().set(HttpHeaderNames.CONTENT_LENGTH, document.body().length);
        document.headers().forEach((name, value) -> head.headers().set(name, value));
        List<String> warnings = document.warnings();
        for (String warning : warnings.subList(0, Math.min(warnings.size(), WARNINGS_MAX))) {
            head.headers()
                    .add("Warning", "299 - \"" + warning.replace("\\", "\\\\").replace("\"", "\\\"") + "\"");
        }
        return context.writeAndFlush(head);
    }

    private static ChannelFuture streams(ChannelHandlerContext context, ApiResponse.Upgrade upgrade) {
        DefaultFullHttpResponse head = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, HttpResponseStatus.SWITCHING_PROTOCOLS, Unpooled.EMPTY_BUFFER);
        upgrade.headers().forEach((name, value) -> head.headers().set(name, value));
        ChannelFuture sent = context.writeAndFlush(head);
        StreamPipeline.replaceHttp(context.pipeline(), upgrade);
        return sent;
    }

    private static ChannelFuture chunked(
            ChannelHandlerContext context, String contentType, ChunkedInput<ByteBuf> body, boolean keepAlive) {
        DefaultHttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
        headers(head.headers(), contentType, keepAlive);
        head.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
        context.write(head);
        return context.writeAndFlush(new HttpChunkedInput(body));
    }

    private static void headers(HttpHeaders headers, String contentType, boolean keepAlive) {
        headers.set(HttpHeaderNames.CONTENT_TYPE, contentType);
        headers.set(HttpHeaderNames.CACHE_CONTROL, "no-cache, private");
        if (!keepAlive) {
            headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        }
    }

    /** Several changes at once resume the connection once. */
    private static Runnable resumeOnce(ChannelHandlerContext context) {
        ChunkedWriteHandler writer = context.pipeline().get(ChunkedWriteHandler.class);
        AtomicBoolean waking = new AtomicBoolean();
        return () -> {
            if (waking.compareAndSet(false, true)) {
                context.executor().execute(() -> {
                    waking.set(false);
                    writer.resumeTransfer();
                });
            }
        };
    }
}
