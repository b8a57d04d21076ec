package dev.nodepath.apiserver.http;

import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.request.ApiRequest;
import dev.nodepath.apiserver.request.ApiResponse;
import dev.nodepath.apiserver.request.Json;
import dev.nodepath.apiserver.request.RequestHandler;
import dev.nodepath.apiserver.request.StatusBody;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requests of one connection, answered one after the other. A client may send {@value #PIPELINED_MAX} before it
 * has its answers. All but the answering itself is done on the connection's event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a close or a write that fails ends the connection anyway
final class RequestQueue {
    private static final int PIPELINED_MAX = 16;
    private static final Logger LOG = LoggerFactory.getLogger(RequestQueue.class);

    /** Made in advance, as memory may be short when it is needed. */
    private static final ApiResponse FAILED = refusal(failed("see the server's log"));

    private record Waiting(ApiRequest request, boolean keepAlive) {}

    private final RequestHandler handler;
    private final Executor workers;
    private final HeldOctets held;
    private final Queue<Waiting> waiting = new ArrayDeque<>();
    private boolean busy;
    private Runnable last = () -> {};
    /** The request in work; null when its client has gone. */
    private volatile @Nullable Waiting current;

    RequestQueue(RequestHandler handler, Executor workers, HeldOctets held) {
        this.handler = handler;
        this.workers = workers;
        this.held = held;
    }

    boolean isBusy() {
        return busy;
    }

    void closed() {
        waiting.clear();
        current = null;
    }

    void add(ChannelHandlerContext context, ApiRequest request, boolean keepAlive) {
        waiting.add(new Waiting(request, keepAlive));
        if (waiting.size() > PIPELINED_MAX) {
            context.close();
        } else if (!busy) {
            next(context);
        }
    }

    /** Answers a request that cannot be read, after the earlier ones. Later requests get no answer. */
    ChannelFuture refuse(ChannelHandlerContext context, StatusException why) {
        ChannelPromise sent = context.newPromise();
        last = () -> AnswerWriter.write(context, refusal(why), false, held).addListener(done -> sent.setSuccess());
        if (!busy) {
            next(context);
        }
        return sent;
    }

    private void next(ChannelHandlerContext context) {
        Waiting first = waiting.poll();
        if (!context.channel().isActive()) {
            return;
        }
        if (first == null) {
            last.run();
            return;
        }
        busy = true;
        current = first;
        try {
            workers.execute(() -> work(context));
        } catch (RejectedExecutionException e) {
            held.remove(context.channel(), first.request().body().length);
            send(context, refusal(tooMany()), first.keepAlive());
        }
    }

    /** Answers a request if its client is still there. Its place in the queue becomes free after any failure too. */
    private void work(ChannelHandlerContext context) {
        Waiting first = current;
        if (first == null) {
            return;
        }
        int octets = first.request().body().length;
        boolean keepAlive = first.keepAlive();
        ApiResponse response = FAILED;
        try {
            response = answer(first.request());
        } finally {
            ApiResponse answer = response;
            held.remove(context.channel(), octets);
            context.executor().execute(() -> send(context, answer, keepAlive));
        }
    }

    private ApiResponse answer(ApiRequest request) {
        try {
            return handler.answer(request);
        } catch (RuntimeException | Error e) {
            LOG.atError()
                    .addKeyValue("method", request.method())
                    .addKeyValue("path", request.pathText())
                    .setCause(e)
                    .log("request.failed");
            return refusal(failed(e.toString()));
        }
    }

    private static StatusException failed(String why) {
        return new StatusException(500, "InternalError", "Internal error occurred: " + why, "", "", "", List.of());
    }

    private void send(ChannelHandlerContext context, ApiResponse response, boolean keepAlive) {
        if (!context.channel().isActive()) {
            // A closed channel drops written data and closes no source.
            if (response instanceof ApiResponse.Stream stream) {
                stream.source().close();
            }
            return;
        }
        int octets = response instanceof ApiResponse.Document document ? document.body().length : 0;
        held.add(context.channel(), octets);
        ChannelFuture sent;
        try {
            sent = AnswerWriter.write(context, response, keepAlive, held);
        } catch (RuntimeException | Error e) {
            LOG.atError().setCause(e).log("answer.failed");
            held.remove(context.channel(), octets);
            context.close();
            return;
        }
        if (response instanceof ApiResponse.Upgrade) {
            return;
        }
        sent.addListener(done -> {
            busy = false;
            held.remove(context.channel(), octets);
            if (!done.isSuccess() || !keepAlive) {
                context.close();
            } else {
                next(context);
            }
        });
    }

    private static ApiResponse refusal(StatusException why) {
        return new ApiResponse.Document(why.code(), ApiResponse.JSON, Json.bytes(StatusBody.of(why)));
    }

    private static StatusException tooMany() {
        return new StatusException(
                429, "TooManyRequests", "Too many requests, please try again later.", "", "", "", List.of());
    }
}
