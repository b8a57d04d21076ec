package dev.nodepath.proxy.userspace.relay;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.io.DatagramBatch;
import dev.nodepath.linux.io.SendBatch;
import dev.nodepath.proxy.userspace.metrics.RelayCount;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.unix.Socket;
import io.netty.util.concurrent.Future;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An event loop, with the objects that its connections share. Methods are called on the loop, unless they say
 * otherwise.
 */
public final class RelayLoop {
    /** The bytes of one read at most, and the bytes that wait in one direction of a connection at most. */
    public static final int BUFFER_BYTES = 256 << 10;

    /** The limit of a connection's waiting bytes while room for them is scarce. */
    public static final int SPARING_BYTES = 16 << 10;

    /** The pipes of all loops. Each has two descriptors of {@link DescriptorLimit#RESERVE}. */
    static final int PIPES_MAX = 32;

    /** The datagrams of one system call at most. */
    private static final int DATAGRAMS_AT_A_TIME = 32;

    /** The resolution of dial timeouts. */
    private static final Duration DIAL_BEAT = Duration.ofMillis(10);

    /** How long a loop that refuses tasks may take to end. */
    private static final Duration END_LIMIT = Duration.ofSeconds(1);

    private static final Duration BEAT_MAX = Duration.ofSeconds(1);
    private static final Duration BEAT_MIN = Duration.ofMillis(10);

    private final IoEventLoop loop;
    private final RelayContext context;

    /** All event loops. */
    private final List<RelayLoop> loops;

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private final ByteBuffer sparing = buffer.slice(0, SPARING_BYTES);
    private final PipePool pipes;
    private final RoundSends sends;
    private final WaitingBytes waiting;
    private final Set<Relay> relays = new HashSet<>();
    private final Queue<Side> closing = new ArrayDeque<>();
    private final Queue<Relay> resuming = new ArrayDeque<>();
    private final PeriodicCheck<Dial> dialling;
    private final PeriodicCheck<Relay> lingering;
    private final PeriodicCheck<UdpPortal> flows;
    private final AtomicInteger flowCount = new AtomicInteger();
    private @Nullable DatagramBatch requests;
    private @Nullable UdpAnswers answers;

    /**
     * Wraps an event loop.
     *
     * @param loops all event loops; the list is filled later
     */
    RelayLoop(IoEventLoop loop, RelayContext context, List<RelayLoop> loops) {
        this.loop = loop;
        this.context = context;
        this.loops = loops;
        this.pipes = new PipePool(Math.max(1, PIPES_MAX / context.config().eventLoops()), this::nanoTime);
        SendBatch batch = context.config().usesIoUring() ? RoundSends.openBatch() : null;
        this.sends = new RoundSends(loop, batch, context.metrics());
        this.waiting = new WaitingBytes(
                context.config().waitingBytesMax() / context.config().eventLoops());
        this.dialling = new PeriodicCheck<>(loop, DIAL_BEAT);
        this.lingering = new PeriodicCheck<>(loop, beat(context.config().halfCloseLinger()));
        this.flows = new PeriodicCheck<>(loop, beat(context.config().udpTimeout()));
    }

    private static Duration beat(Duration limit) {
        Duration quarter = limit.dividedBy(4);
        Duration atMost = quarter.compareTo(BEAT_MAX) < 0 ? quarter : BEAT_MAX;
        return atMost.compareTo(BEAT_MIN) > 0 ? atMost : BEAT_MIN;
    }

    RelayContext context() {
        return context;
    }

    /** Netty's event loop. */
    public IoEventLoop eventLoop() {
        return loop;
    }

    /** Runs a task on the loop and waits for it. Thread-safe. */
    void await(Runnable task, Duration limit) {
        Future<?> done;
        try {
            done = loop.submit(task);
        } catch (RejectedExecutionException e) {
            runWithoutLoop(task);
            return;
        }
        done.awaitUninterruptibly(limit.toMillis());
        if (!done.isDone() && loop.isTerminated()) {
            // The loop ended meanwhile, and lost the task.
            runWithoutLoop(task);
        }
    }

    /** Queues a task on the loop. If the loop has ended, the task runs at once. */
    private void soon(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            runWithoutLoop(task);
        }
    }

    /**
     * Runs a task after the end of the loop. The lock keeps such tasks apart; nobody else uses the loop's objects then.
     */
    private synchronized void runWithoutLoop(Runnable task) {
        if (!loop.terminationFuture().awaitUninterruptibly(END_LIMIT.toMillis())) {
            return;
        }
        try {
            task.run();
        } catch (Throwable e) {
            context.brokenDown(e);
        }
    }

    /** Whether the loop has ended. */
    boolean isOver() {
        return loop.isShuttingDown();
    }

    /** Cancels the registration of a closed socket. An ended loop has cancelled it already. */
    static void forget(IoRegistration registration) {
        try {
            registration.cancel();
        } catch (RejectedExecutionException e) {
            // It has ended.
        }
    }

    long nanoTime() {
        return loop.ticker().nanoTime();
    }

    /** The buffer for reads. The bytes of a read are written or copied before the next read. */
    ByteBuffer buffer() {
        return waiting.isScarce() ? sparing : buffer;
    }

    /** The pipes for bulk. */
    PipePool pipes() {
        return pipes;
    }

    /** The small writes of this round. */
    RoundSends sends() {
        return sends;
    }

    /** The limit of bytes that wait for slow readers. */
    WaitingBytes waitingBytes() {
        return waiting;
    }

    /** The dials, with their timeouts. */
    PeriodicCheck<Dial> dialling() {
        return dialling;
    }

    /** The half-closed connections. */
    PeriodicCheck<Relay> lingering() {
        return lingering;
    }

    PeriodicCheck<UdpPortal> flows() {
        return flows;
    }

    void flowBegun() {
        flowCount.incrementAndGet();
        context.metrics().flowsActive.incrementAndGet();
    }

    void flowEnded() {
        flowCount.decrementAndGet();
        context.metrics().flowsActive.decrementAndGet();
    }

    /**
     * Makes room for one more flow at the limit. It ends the longest silent flow of the loop with the most flows. If
     * this is another loop, there may be one flow too many for a moment.
     */
    void makeRoomForFlow() {
        if (context.hasRoomForFlow()) {
            return;
        }
        RelayLoop fullest = this;
        for (RelayLoop other : loops) {
            if (!other.isOver() && other.flowCount.get() > fullest.flowCount.get()) {
                fullest = other;
            }
        }
        if (fullest == this) {
            endEldestFlow();
        } else {
            fullest.soon(fullest::endEldestFlow);
        }
    }

    private void endEldestFlow() {
        UdpFlow eldest = null;
        for (UdpPortal portal : flows.watched()) {
            UdpFlow flow = portal.eldest();
            if (flow != null && (eldest == null || flow.usedAtNanos() - eldest.usedAtNanos() < 0)) {
                eldest = flow;
            }
        }
        if (eldest != null) {
            context.metrics().increment(RelayCount.FLOWS_EVICTED);
            eldest.end();
        }
    }

    /**
     * The batch for datagrams of clients. It is sent at once. It is made at the first use, because not every process
     * has UDP portals.
     */
    DatagramBatch requests() {
        DatagramBatch batch = requests;
        if (batch == null) {
            batch = DatagramBatch.allocate(DATAGRAMS_AT_A_TIME);
            requests = batch;
        }
        return batch;
    }

    /** The answers of endpoints to UDP clients. */
    UdpAnswers answers() {
        UdpAnswers all = answers;
        if (all == null) {
            all = new UdpAnswers(loop, DatagramBatch.allocate(DATAGRAMS_AT_A_TIME), context.metrics());
            answers = all;
        }
        return all;
    }

    /** Starts the relay of an accepted connection. */
    void accepted(Socket socket, IpAddress clientAddress, PortalTable.Entry portal) {
        Relay relay = new Relay(this, socket, clientAddress, portal.service());
        relays.add(relay);
        relay.start(portal);
    }

    /** Starts the events of a side. */
    void register(Side side) {
        Future<IoRegistration> registration = loop.register(side);
        side.registered(registration.getNow());
    }

    /**
     * Closes a side after the events of this round. A new socket may get the same descriptor number, and would get the
     * old socket's events.
     */
    void close(Side side, boolean reset) {
        if (reset) {
            TcpOptions.resetAtClose(side.socket());
        }
        side.mute();
        closing.add(side);
        if (closing.size() == 1) {
            soon(this::closeNow);
        }
    }

    private void closeNow() {
        for (Side side = closing.poll(); side != null; side = closing.poll()) {
            side.close();
        }
    }

    /** Resumes a relay after the others had their turn. */
    void later(Relay relay) {
        if (resuming.isEmpty()) {
            loop.execute(this::resume);
        }
        resuming.add(relay);
    }

    private void resume() {
        List<Relay> now = List.copyOf(resuming);
        resuming.clear();
        now.forEach(Relay::resume);
    }

    void ended(Relay relay) {
        relays.remove(relay);
        context.metrics().active.decrementAndGet();
    }

    /** Resets every connection to an endpoint soon. Thread-safe. */
    void endAllTo(RelayEndpoint endpoint) {
        soon(() -> endNowAllTo(endpoint));
    }

    private void endNowAllTo(RelayEndpoint endpoint) {
        List.copyOf(relays).stream().filter(relay -> relay.isTo(endpoint)).forEach(relay -> relay.end(true));
    }

    /** Resets every connection. The sockets and pipes are closed when this returns. */
    void endAll() {
        List.copyOf(relays).forEach(relay -> relay.end(true));
        closeNow();
        pipes.close();
        sends.close();
    }
}
