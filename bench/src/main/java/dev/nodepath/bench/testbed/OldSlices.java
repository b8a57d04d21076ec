package dev.nodepath.bench.testbed;

import dev.nodepath.apiserver.request.ApiRequest;
import dev.nodepath.apiserver.request.ApiResponse;
import dev.nodepath.apiserver.request.PieceSource;
import dev.nodepath.apiserver.request.RequestHandler;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Serves EndpointSlices as {@code discovery.k8s.io/v1beta1}, too. kube-proxy before 1.21 asks for no other version. The
 * fields of the slices here are the same in both. An apiVersion stands in one piece of an answer: the head of a list,
 * or a line of a watch.
 *
 * @param handler answers with {@code v1}
 */
record OldSlices(RequestHandler handler) implements RequestHandler {
    private static final String GROUP = "discovery.k8s.io";
    private static final String NEW = "\"apiVersion\":\"" + GROUP + "/v1\"";
    private static final String OLD = "\"apiVersion\":\"" + GROUP + "/v1beta1\"";
    private static final List<String> START = List.of("apis", GROUP, "v1beta1");

    @Override
    public ApiResponse answer(ApiRequest request) {
        List<String> path = new ArrayList<>(request.path());
        if (path.size() <= START.size() || !path.subList(0, START.size()).equals(START)) {
            return handler.answer(request);
        }
        path.set(START.size() - 1, "v1");
        ApiResponse answer = handler.answer(
                new ApiRequest(request.method(), path, request.query(), request.headers(), request.body()));
        if (answer instanceof ApiResponse.Pieces list) {
            return new ApiResponse.Pieces(list.contentType(), new OldPieces(list.pieces()));
        }
        return answer instanceof ApiResponse.Stream watch
                ? new ApiResponse.Stream(watch.contentType(), new OldLines(watch.source()))
                : answer;
    }

    private static byte[] old(byte[] piece) {
        return new String(piece, StandardCharsets.UTF_8).replace(NEW, OLD).getBytes(StandardCharsets.UTF_8);
    }

    private record OldPieces(Iterator<byte[]> pieces) implements Iterator<byte[]> {
        @Override
        public boolean hasNext() {
            return pieces.hasNext();
        }

        @Override
        public byte[] next() {
            return old(pieces.next());
        }
    }

    private record OldLines(PieceSource source) implements PieceSource {
        @Override
        public void start(Runnable ready) {
            source.start(ready);
        }

        @Override
        public byte @Nullable [] poll() {
            byte[] line = source.poll();
            return line == null ? null : old(line);
        }

        @Override
        public boolean ended() {
            return source.ended();
        }

        @Override
        public void close() {
            source.close();
        }
    }
}
