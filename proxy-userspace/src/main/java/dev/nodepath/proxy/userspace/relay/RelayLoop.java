package dev.nodepath.proxy.userspace.relay;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.io.DatagramBatch;
import dev.nodepath.proxy.userspace.balance.RelayEndpoint;
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

/** An event loop with what its connections share. Everything is called on the loop itself, if it does not say otherwise. */
public final class RelayLoop {
    /** The most that one read takes, and the most that waits in one direction of a connection. */
    public static final int BUFFER_BYTES = 256 << 10;

    /** Likewise, when much is waiting already. */
    public static final int SPARING_BYTES = 16 << 10;

    /** Datagrams taken or sent by one system call at most. */
    private static final int DATAGRAMS_AT_A_TIME = 32;

    /** How exactly the time for a dial is kept. */
    private static final Duration DIAL_BEAT = Duration.ofMillis(10);

    /** From refusing tasks to its end a loop has nothing more to do than its last ones. */
    private static final Duration END_LIMIT = Duration.ofSeconds(1);

    private static final Duration BEAT_MAX = Duration.ofSeconds(1);
    private static final Duration BEAT_MIN = Duration.ofMillis(10);

    private final IoEventLoop loop;
    private final RelayContext context;

    /** All event loops. */
    private final List<RelayLoop> loops;

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private final ByteBuffer sparing = buffer.slice(0, SPARING_BYTES);
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
     * Not used yet.
     *
     * @param loops all event loops, later
     */
    RelayLoop(IoEventLoop loop, RelayContext context, List<RelayLoop> loops) {
        this.loop = loop;
        this.context = context;
        this.loops = loops;
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

    public IoEventLoop eventLoop() {
        return loop;
    }

    /** Runs something on the loop and waits for it. For any thread. */
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
            // It was taken while the loop ended, and got lost.
            runWithoutLoop(task);
        }
    }

    /** Runs something on the loop, later; at once if it has ended. */
    private void soon(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            runWithoutLoop(task);
        }
    }

    /** When the loop has ended nobody else is at what was its own, but for others who come this way. */
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

    /** Whether it carries traffic no more. */
    boolean isOver() {
        return loop.isShuttingDown();
    }

    /** Has an event loop forget a socket that is closed; one that has ended has done so. */
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

    /** What is read goes in here and out of here at once. */
    ByteBuffer buffer() {
        return waiting.isScarce() ? sparing : buffer;
    }

    /** The room for what slow readers leave. */
    WaitingBytes waitingBytes() {
        return waiting;
    }

    /** Dials, each of which ends in time. */
    PeriodicCheck<Dial> dialling() {
        return dialling;
    }

    /** Connections that one side has ended. */
    PeriodicCheck<Relay> lingering() {
        return lingering;
    }

    /** UDP portals with flows. */
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
     * Makes room for one more flow, if there are as many as there may be: the one ends that was silent longest on the loop with
     * the most. If that is another loop, there may be one too many for a moment.
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

    /** What UDP clients send goes in here and out of here at once. Made at the first use, as not every process has UDP portals. */
    DatagramBatch requests() {
        DatagramBatch batch = requests;
        if (batch == null) {
            batch = DatagramBatch.allocate(DATAGRAMS_AT_A_TIME);
            requests = batch;
        }
        return batch;
    }

    /** What endpoints answer to UDP clients. */
    UdpAnswers answers() {
        UdpAnswers all = answers;
        if (all == null) {
            all = new UdpAnswers(loop, DatagramBatch.allocate(DATAGRAMS_AT_A_TIME), context.metrics());
            answers = all;
        }
        return all;
    }

    /** A client has come. */
    void accepted(Socket socket, IpAddress clientAddress, PortalTable.Entry portal) {
        Relay relay = new Relay(this, socket, clientAddress, portal.service());
        relays.add(relay);
        relay.start(portal);
    }

    /** From now on the side's owner hears of it. */
    void register(Side side) {
        Future<IoRegistration> registration = loop.register(side);
        side.registered(registration.getNow());
    }

    /**
     * Closes when the events of this round are handled: a new socket would get the same number at once, and with it the
     * old one's events.
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

    /** Lets others have their turn first. */
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

    /** Breaks off every connection to an endpoint, soon. For any thread. */
    void endAllTo(RelayEndpoint endpoint) {
        soon(() -> endNowAllTo(endpoint));
    }

    private void endNowAllTo(RelayEndpoint endpoint) {
        List.copyOf(relays).stream().filter(relay -> relay.isTo(endpoint)).forEach(relay -> relay.end(true));
    }

    /** Breaks every connection off; its sockets are closed when this returns. */
    void endAll() {
        List.copyOf(relays).forEach(relay -> relay.end(true));
        closeNow();
    }
}
