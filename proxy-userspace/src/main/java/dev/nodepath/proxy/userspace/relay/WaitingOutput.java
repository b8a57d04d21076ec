package dev.nodepath.proxy.userspace.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The bytes of one direction that the kernel did not take yet: copied ones or a pipe, never both. */
final class WaitingOutput {
    private final WaitingBytes room;
    private @Nullable ByteBuf copied;
    private @Nullable Pipe pipe;

    WaitingOutput(WaitingBytes room) {
        this.room = room;
    }

    boolean isEmpty() {
        return copied == null && pipe == null;
    }

    @Nullable
    ByteBuf copied() {
        return copied;
    }

    @Nullable
    Pipe pipe() {
        return pipe;
    }

    /** Reserves room for bytes that wait in {@link RoundSends}. Returns whether there was room. */
    boolean reserve(int bytes) {
        return room.take(bytes);
    }

    /** Gives back reserved room. */
    void giveBack(int bytes) {
        room.giveBack(bytes);
    }

    /** Copies bytes. Returns whether there was room for them. */
    boolean keep(ByteBuffer rest) {
        int bytes = rest.remaining();
        if (!room.take(bytes)) {
            return false;
        }
        try {
            copied = ByteBufAllocator.DEFAULT.directBuffer(bytes, bytes).writeBytes(rest);
        } finally {
            if (copied == null) {
                room.giveBack(bytes);
            }
        }
        return true;
    }

    void keep(Pipe filled) {
        pipe = filled;
    }

    /** Frees the room of the waiting bytes. The bytes themselves are lost. */
    void drop() {
        if (copied != null) {
            room.giveBack(copied.capacity());
            copied.release();
            copied = null;
        }
        if (pipe != null) {
            pipe.release();
            pipe = null;
        }
    }
}
