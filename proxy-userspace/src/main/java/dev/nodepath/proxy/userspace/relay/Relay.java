package dev.nodepath.proxy.userspace.relay;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.proxy.userspace.metrics.RelayCount;
import io.netty.channel.unix.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Copies bytes between a client and an endpoint. All calls are made on one event loop, so there are no locks.
 *
 * <p>The relay reads nothing from a client before an endpoint has answered. Then it writes the bytes of one side to
 * the other in the same round of the event loop. Bytes that the kernel does not take yet wait, and the relay does not
 * read their sender meanwhile. When one side ends its stream, the relay ends the stream to the other after the last
 * byte. The opposite direction goes on. When a side is reset, the relay reads its last bytes, writes them, and resets
 * the other side. It resets a client that no endpoint answers: a plain close would look like an empty answer.
 */
final class Relay implements Side.Owner, PeriodicCheck.Watched {
    /** The reads of one connection in one round, before others get their turn. */
    private static final int READS_AT_A_TIME = 16;

    /** A pipe takes as many bytes as this many reads. */
    private static final int SPLICE_READS = PipePool.CAPACITY / RelayLoop.BUFFER_BYTES;

    private final RelayLoop loop;
    private final RelayContext context;
    private final IpAddress clientAddress;
    private final Side client;
    private final long startNanos;
    private final RelayService service;
    private @Nullable Side backend;
    private @Nullable RelayEndpoint endpoint;
    private @Nullable Dial dial;
    private boolean lingers;
    private boolean over;
    private long bytesFromClient;
    private long bytesToClient;
    private long seenBytes;
    private long seenAtNanos;

    /** A connection that was just accepted. {@link #start} starts the dial. */
    Relay(RelayLoop loop, Socket accepted, IpAddress clientAddress, RelayService service) {
        this.loop = loop;
        this.context = loop.context();
        this.clientAddress = clientAddress;
        this.service = service;
        this.startNanos = loop.nanoTime();
        this.client = Side.accepted(accepted, this, loop.waitingBytes(), loop.sends());
    }

    void start(PortalTable.Entry portal) {
        try {
            loop.register(client);
            dial = new Dial(loop, portal, this);
            dial.next();
        } catch (Throwable e) {
            breakDown(e);
        }
    }

    /** Ends this connection after an unexpected error, such as a lack of memory. The event loop goes on. */
    @Override
    public void breakDown(Throwable cause) {
        end(true);
        context.brokenDown(cause);
    }

    IpAddress clientAddress() {
        return clientAddress;
    }

    /** An endpoint answered. */
    void connected(Side answered, RelayEndpoint reached) {
        dial = null;
        backend = answered;
        endpoint = reached;
        // The client's first bytes are usually there. The acknowledgement of the endpoint's handshake goes with them.
        client.expectInput();
        advance(client, answered);
        if (bytesFromClient == 0 && !over) {
            TcpOptions.acknowledge(answered.socket());
        }
    }

    /** Whether it is connected to this endpoint. */
    boolean isTo(RelayEndpoint other) {
        return endpoint == other;
    }

    /** No endpoint answered, or there is none. */
    void failed() {
        dial = null;
        end(true);
    }

    @Override
    public void ready(Side side) {
        Side answered = backend;
        if (over) {
            return;
        }
        try {
            if (answered != null) {
                advance(client, answered);
            } else if (client.failed()) {
                end(true);
            } else if (dial != null && side != client) {
                dial.ready();
            }
        } catch (Throwable e) {
            breakDown(e);
        }
    }

    /** Copies the available bytes in both directions. */
    private void advance(Side client, Side backend) {
        boolean more = pass(client, backend);
        more |= pass(backend, client);
        if (over) {
            return;
        }
        if (isBrokenOff(client, backend) || isBrokenOff(backend, client)) {
            context.metrics().increment(RelayCount.RESET);
            end(true);
        } else if (client.isDone() && backend.isDone()) {
            end(false);
        } else if (client.inputEnded() || backend.inputEnded() || client.failed() || backend.failed()) {
            linger();
        }
        if (more && !over) {
            loop.later(this);
        }
    }

    /** Continues after {@link #READS_AT_A_TIME} reads. */
    void resume() {
        if (!over && backend != null) {
            try {
                advance(client, backend);
            } catch (Throwable e) {
                breakDown(e);
            }
        }
    }

    /** Copies in one direction. Returns whether more bytes may be available at once. */
    private boolean pass(Side from, Side to) {
        ByteBuffer buffer = loop.buffer();
        int reads = 0;
        while (!over && to.flush() && from.readable() && reads++ < READS_AT_A_TIME) {
            int spliced = splice(from, to);
            if (spliced > 0) {
                reads += SPLICE_READS - 1;
                count(from, spliced);
                continue;
            }
            int count = from.read(buffer);
            if (count > 0) {
                count(from, count);
                if (from.inputEnded()) {
                    TcpOptions.holdForEnd(to.socket());
                }
                if (!to.failed() && !to.write(buffer, count)) {
                    context.metrics().increment(RelayCount.OVER_MEMORY);
                    context.log().memoryLimitReached(context.config().waitingBytesMax());
                    end(true);
                    return false;
                }
            }
        }
        if (!over && from.inputEnded() && !from.failed() && !to.failed() && !to.outputEnded() && !to.isWaiting()) {
            to.endOutput(from.outputEnded());
        }
        return reads > READS_AT_A_TIME;
    }

    /** Passes bytes through a pipe. Returns their number; 0 if they are to be copied, or there are none. */
    private int splice(Side from, Side to) {
        Pipe pipe = from.isBulk() && !to.failed() ? loop.pipes().take() : null;
        if (pipe == null) {
            return 0;
        }
        int count = from.read(pipe);
        to.write(pipe);
        context.metrics().add(RelayCount.BYTES_SPLICED, count);
        return count;
    }

    private void count(Side from, int bytes) {
        if (from == client) {
            bytesFromClient += bytes;
            context.metrics().add(RelayCount.BYTES_FROM_CLIENTS, bytes);
            if (endpoint != null) {
                endpoint.addBytesFromClient(bytes);
            }
        } else {
            bytesToClient += bytes;
            context.metrics().add(RelayCount.BYTES_FROM_BACKENDS, bytes);
            if (endpoint != null) {
                endpoint.addBytesToClient(bytes);
            }
        }
    }

    /** Whether a side has failed, and the other has received all earlier bytes. */
    private static boolean isBrokenOff(Side side, Side other) {
        return side.failed() && (other.failed() || (side.inputEnded() && !other.isWaiting()));
    }

    /** Starts the linger timeout: one side has ended its stream or has failed. */
    private void linger() {
        if (!lingers) {
            lingers = true;
            seenAtNanos = loop.nanoTime();
            loop.lingering().add(this);
        }
    }

    @Override
    public void look(long nowNanos) {
        try {
            expireIfStill(nowNanos);
        } catch (Throwable e) {
            breakDown(e);
        }
    }

    private void expireIfStill(long nowNanos) {
        long movedBytes = bytesFromClient + bytesToClient;
        if (movedBytes != seenBytes) {
            seenBytes = movedBytes;
            seenAtNanos = nowNanos;
        } else if (nowNanos - seenAtNanos >= context.config().halfCloseLinger().toNanos()) {
            expire(nowNanos);
        }
    }

    private void expire(long nowNanos) {
        Side answered = backend;
        if (hasSentLately(client) || (answered != null && hasSentLately(answered))) {
            // The kernel sends its own buffers long after ours are empty.
            seenAtNanos = nowNanos;
            return;
        }
        context.metrics().increment(RelayCount.LINGER_EXPIRED);
        end(false);
    }

    private boolean hasSentLately(Side side) {
        return TcpInfo.sinceDataSentMillis(side.socket())
                < context.config().halfCloseLinger().toMillis();
    }

    /**
     * Ends the connection in any state.
     *
     * @param reset whether to reset both sides; else only a side is reset whose stream has not ended yet
     */
    void end(boolean reset) {
        if (over) {
            return;
        }
        over = true;
        if (lingers) {
            loop.lingering().remove(this);
        }
        if (dial != null) {
            dial.cancel();
        }
        loop.close(client, reset || !client.outputEnded());
        if (backend != null) {
            loop.close(backend, reset || !backend.outputEnded());
        }
        if (endpoint != null) {
            endpoint.closed();
        }
        if (context.config().accessLog()) {
            long millis = TimeUnit.NANOSECONDS.toMillis(loop.nanoTime() - startNanos);
            context.log()
                    .access(
                            service,
                            clientAddress,
                            endpoint,
                            new RelayLog.Access(bytesFromClient, bytesToClient, millis));
        }
        loop.ended(this);
    }
}
