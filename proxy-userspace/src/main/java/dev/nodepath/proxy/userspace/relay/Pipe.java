package dev.nodepath.proxy.userspace.relay;

import dev.nodepath.linux.io.PipeCapacity;
import io.netty.channel.epoll.Native;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;
import java.io.IOException;

/** A pipe that takes bytes from one socket to another without a copy ({@code splice(2)}). */
final class Pipe {
    private static final int NO_OFFSET = -1;

    private final PipePool pool;
    private final FileDescriptor readEnd;
    private final FileDescriptor writeEnd;
    private final int capacity;
    private int bytes;

    private Pipe(PipePool pool, FileDescriptor readEnd, FileDescriptor writeEnd, int capacity) {
        this.pool = pool;
        this.readEnd = readEnd;
        this.writeEnd = writeEnd;
        this.capacity = capacity;
    }

    /**
     * Opens an empty pipe.
     *
     * @throws IOException if no descriptor is free, or this user may not have more pages in pipes
     */
    static Pipe open(PipePool pool, PipeCapacity capacities, int capacity) throws IOException {
        FileDescriptor[] ends = FileDescriptor.pipe();
        try {
            return new Pipe(pool, ends[0], ends[1], capacities.set(ends[1].intValue(), capacity));
        } catch (IOException e) {
            ends[0].close();
            ends[1].close();
            throw e;
        }
    }

    boolean isEmpty() {
        return bytes == 0;
    }

    /**
     * Takes the available bytes of a socket. The pipe must be empty.
     *
     * @return the number of bytes; 0 if there is nothing now, and also at the end of the stream
     */
    int fill(Socket from) throws IOException {
        bytes = Native.splice(from.intValue(), NO_OFFSET, writeEnd.intValue(), NO_OFFSET, capacity);
        return bytes;
    }

    /** Gives a socket as many bytes as it takes now. */
    void drain(Socket to) throws IOException {
        int taken;
        do {
            taken = Native.splice(readEnd.intValue(), NO_OFFSET, to.intValue(), NO_OFFSET, bytes);
            bytes -= taken;
        } while (taken > 0 && bytes > 0);
    }

    /** Ends the use of the pipe. Bytes left in it are lost. */
    void release() {
        pool.giveBack(this);
    }

    void close() {
        for (FileDescriptor end : new FileDescriptor[] {readEnd, writeEnd}) {
            try {
                end.close();
            } catch (IOException e) {
                // The descriptor is closed in any case.
            }
        }
    }
}
