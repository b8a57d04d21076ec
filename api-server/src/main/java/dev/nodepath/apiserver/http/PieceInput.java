package dev.nodepath.apiserver.http;

import dev.nodepath.apiserver.request.PieceSource;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.stream.ChunkedInput;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * The body of an answer, handed out as fast as the client reads it. Small pieces are joined. A piece that was handed
 * out counts as held until the next one is asked for: an unread object counts with its full size.
 */
final class PieceInput implements ChunkedInput<ByteBuf> {
    private static final int JOINED_MAX = 16 * 1024;

    private final PieceSource source;
    private final Channel channel;
    private final HeldOctets held;
    private long sending;
    private long progress;

    PieceInput(PieceSource source, Channel channel, HeldOctets held) {
        this.source = source;
        this.channel = channel;
        this.held = held;
    }

    static PieceSource of(Iterator<byte[]> pieces) {
        return new PieceSource() {
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
        };
    }

    @Override
    public boolean isEndOfInput() {
        return source.ended();
    }

    @Override
    public @Nullable ByteBuf readChunk(ByteBufAllocator allocator) {
        sent();
        ByteBuf chunk = nextChunk(allocator);
        if (chunk != null) {
            sending = chunk.readableBytes();
            progress += sending;
            held.add(channel, sending);
        }
        return chunk;
    }

    private @Nullable ByteBuf nextChunk(ByteBufAllocator allocator) {
        byte[] piece = source.poll();
        if (piece == null) {
            return null;
        }
        if (piece.length >= JOINED_MAX) {
            return Unpooled.wrappedBuffer(piece);
        }
        ByteBuf chunk = allocator.buffer(JOINED_MAX);
        while (piece != null) {
            chunk.writeBytes(piece);
            piece = chunk.readableBytes() < JOINED_MAX ? source.poll() : null;
        }
        return chunk;
    }

    private void sent() {
        held.remove(channel, sending);
        sending = 0;
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
        sent();
        source.close();
    }
}
