package dev.nodepath.proxy.userspace.relay;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.proxy.userspace.metrics.RelayMetrics;
import dev.nodepath.proxy.userspace.portals.Portal;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The event loops of all connections, and for each family the listening port of all TCP Services. Both sockets of a
 * connection stay on the event loop that accepted it.
 */
public final class RelayServer implements AutoCloseable {
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

    /**
     * How long clients are still accepted after the rules are gone: their first packet may have been redirected just
     * before.
     */
    private static final Duration LATE_CLIENTS = Duration.ofMillis(300);

    private static final Duration DRAIN_LOOK = Duration.ofMillis(20);

    private final RelayContext context;
    private final MultiThreadIoEventLoopGroup group;
    private final List<RelayLoop> loops = new ArrayList<>();
    private final Map<IpFamily, List<Listener>> listeners = new EnumMap<>(IpFamily.class);

    private volatile boolean closing;

    private RelayServer(RelayContext context, MultiThreadIoEventLoopGroup group) {
        this.context = context;
        this.group = group;
        for (EventExecutor loop : group) {
            loops.add(new RelayLoop((IoEventLoop) loop, context, Collections.unmodifiableList(loops)));
            loop.terminationFuture().addListener(end -> loopEnded(end.cause()));
        }
    }

    /**
     * Starts the event loops. They open their descriptors in the network namespace of the calling thread, because new
     * threads inherit it.
     *
     * @throws IOException if epoll is missing
     */
    public static RelayServer open(RelayConfig config, OriginalDestination originalDestination, RelayMetrics metrics)
            throws IOException {
        return open(config, originalDestination, metrics, DescriptorLimit.ofThisProcess());
    }

    /** Opens a server with a limit of descriptors for connections and flows. */
    public static RelayServer open(
            RelayConfig config, OriginalDestination originalDestination, RelayMetrics metrics, int descriptorsMax)
            throws IOException {
        if (!Epoll.isAvailable()) {
            throw new IOException("epoll: not available", Epoll.unavailabilityCause());
        }
        RelayContext context =
                new RelayContext(config, originalDestination, metrics, new RelayLog(System::nanoTime), descriptorsMax);
        return new RelayServer(
                context,
                new MultiThreadIoEventLoopGroup(
                        config.eventLoops(), new DefaultThreadFactory("relay", true), EpollIoHandler.newFactory()));
    }

    /**
     * Listens in one more family, in the network namespace of the calling thread.
     *
     * @throws IOException if the address cannot be bound, or no port is free
     */
    public void listen(IpAddress address, Ports ports) throws IOException {
        List<Listener> opened = new ArrayList<>();
        try {
            opened.add(ports.open(port -> listener(loops.get(0), address, port, false)));
            int port = opened.get(0).port();
            for (RelayLoop loop : loops.subList(1, loops.size())) {
                opened.add(listener(loop, address, port, true));
            }
        } catch (IOException e) {
            opened.forEach(Listener::close);
            throw new IOException("cannot listen on " + address + ": " + e.getMessage(), e);
        }
        for (int i = 0; i < opened.size(); i++) {
            loops.get(i).eventLoop().submit(opened.get(i)::start).syncUninterruptibly();
        }
        listeners.put(address.family(), opened);
        context.log().listening(address, port(address.family()));
    }

    private static Listener listener(RelayLoop loop, IpAddress address, int port, boolean shares) throws IOException {
        return Listener.open(loop, new InetSocketAddress(address.toInetAddress(), port), shares);
    }

    /** The listening port of a family; 0 if there is none. */
    public int port(IpFamily family) {
        List<Listener> opened = listeners.get(family);
        return opened == null ? 0 : opened.get(0).port();
    }

    private void loopEnded(@Nullable Throwable cause) {
        if (!closing) {
            context.log().loopEnded(cause);
        }
    }

    /** Whether all event loops run. If one has ended by a fault, its connections hang until {@link #close}. */
    public boolean isWhole() {
        return loops.stream().noneMatch(RelayLoop::isOver);
    }

    /** The counters of all event loops. */
    public RelayMetrics metrics() {
        return context.metrics();
    }

    /** The loop of a UDP service port. */
    public RelayLoop loopOf(Portal.Key key) {
        return loops.get(Math.floorMod(key.hashCode(), loops.size()));
    }

    /** The table of portals for new TCP connections. */
    public PortalTable portals() {
        return context.portals();
    }

    /** Runs a task on an event loop after a delay. */
    @SuppressWarnings("FutureReturnValueIgnored") // Only a failure of the loop itself can prevent it.
    public void schedule(Runnable task, Duration delay) {
        loops.get(0).eventLoop().schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Resets every connection to an endpoint. */
    public void endAllTo(RelayEndpoint endpoint) {
        loops.forEach(loop -> loop.endAllTo(endpoint));
    }

    /**
     * Stops listening, and lets open connections go on until they end or the time is over. Then it resets the rest. If
     * an event loop has ended, it resets all at once, because a new relay has to start. Called when no rule redirects
     * here any more.
     *
     * @param closeFlows ends the UDP flows before the event loops end
     * @return whether it has reset connections
     */
    public boolean drain(Duration atMost, Runnable closeFlows) {
        Duration limit = isWhole() ? atMost : Duration.ZERO;
        long start = System.nanoTime();
        if (!limit.isZero()) {
            sleep(LATE_CLIENTS.compareTo(limit) < 0 ? LATE_CLIENTS : limit);
        }
        stopListening();
        while (isBusy() && !Thread.currentThread().isInterrupted() && System.nanoTime() - start < limit.toNanos()) {
            sleep(DRAIN_LOOK);
        }
        closeFlows.run();
        boolean resets = context.metrics().active.get() > 0;
        close();
        return resets;
    }

    private boolean isBusy() {
        return context.metrics().active.get() > 0
                || context.metrics().flowsActive.get() > 0;
    }

    private static void sleep(Duration duration) {
        try {
            TimeUnit.NANOSECONDS.sleep(duration.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void stopListening() {
        for (List<Listener> opened : listeners.values()) {
            for (int i = 0; i < opened.size(); i++) {
                loops.get(i).await(opened.get(i)::stop, CLOSE_LIMIT);
                // Again, because a stuck loop may have kept its socket.
                opened.get(i).close();
            }
        }
        listeners.clear();
    }

    /** Stops listening and resets every connection. */
    @Override
    public void close() {
        if (closing) {
            return;
        }
        stopListening();
        closing = true;
        for (RelayLoop loop : loops) {
            loop.await(loop::endAll, CLOSE_LIMIT);
        }
        group.shutdownGracefully(0, CLOSE_LIMIT.toMillis(), TimeUnit.MILLISECONDS)
                .awaitUninterruptibly(2 * CLOSE_LIMIT.toMillis());
    }
}
