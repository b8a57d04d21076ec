package dev.nodepath.apiserver.http;

import dev.nodepath.apiserver.request.PieceSource;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.stream.ChunkedInput;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/** The body of an answer, handed out as fast as the client reads it. Small pieces are joined. */
final class PieceInput implements ChunkedInput<ByteBuf> {
    private static final int JOINED_MAX = 16 * 1024;

    private final PieceSource source;
    private long progress;

    PieceInput(PieceSource source) {
        this.source = source;
    }

    static PieceInput of(Iterator<byte[]> pieces) {
        return new PieceInput(new PieceSource() {
            @Override
            public void start(Runnable ready) {}

            @Override
            public byte @Nullable [] poll() {
                return pieces.hasNext() ? pieces.next() : null;
            }

            @Override
            public boolean ended() {
                return !pieces.hasNext();
            }

            @Override
            public void close() {}
        });
    }

    @Override
    public boolean isEndOfInput() {
        return source.ended();
    }

    @Override
    public @Nullable ByteBuf readChunk(ByteBufAllocator allocator) {
        byte[] piece = source.poll();
        if (piece == null) {
            return null;
        }
        if (piece.length >= JOINED_MAX) {
            progress += piece.length;
            return Unpooled.wrappedBuffer(piece);
        }
        ByteBuf chunk = allocator.buffer(JOINED_MAX);
        while (piece != null) {
            chunk.writeBytes(piece);
            piece = chunk.readableBytes() < JOINED_MAX ? source.poll() : null;
        }
        progress += chunk.readableBytes();
        return chunk;
    }

    @Override
    @Deprecated
    @SuppressWarnings("InlineMeSuggester") // Netty's own is not inlined either
    public @Nullable ByteBuf readChunk(ChannelHandlerContext context) {
        return readChunk(context.alloc());
    }

    @Override
    public long length() {
        return -1;
    }

    @Override
    public long progress() {
        return progress;
    }

    @Override
    public void close() {
        source.close();
    }
}
