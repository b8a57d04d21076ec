package dev.nodepath.emulator.page;

import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.Subscription;
import dev.nodepath.emulator.cluster.Cluster;
import dev.nodepath.emulator.cluster.ForwardedSockets;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.page.LivePage;
import dev.nodepath.page.http.PageServer;
import dev.nodepath.page.http.PageToken;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The live page of a running cluster. It is idle until a process outside sends it a listening socket, so a cluster
 * without a page has no cost.
 */
public final class ClusterPage implements AutoCloseable {
    /** The unix socket's name below the cluster's folder. */
    public static final String SOCKET = "page.sock";
    /** The name of the file with the page's token below the cluster's folder. */
    public static final String TOKEN = "page-token";

    private static final Logger LOG = LoggerFactory.getLogger(ClusterPage.class);

    /** How long changes are gathered before the page shows them. */
    private static final long GATHER_MILLIS = 25;

    private static final long TROUBLES_MILLIS = 1000;

    private static final List<Resource> SHOWN =
            List.of(Resources.NODES, Resources.PODS, Resources.SERVICES, Resources.ENDPOINT_SLICES);

    private final Cluster cluster;
    private final KernelLinuxNet net;
    private final Path folder;
    private final PageToken token = PageToken.random();
    private final LivePage page = new LivePage(InstantSource.system());
    private final ProbedChanges changes = new ProbedChanges();
    private final TimeLine timeLine;
    private final PictureReader reader;
    private final FlowReader flows;
    private final RateReader rates;
    private final ScheduledExecutorService drawing = Executors.newSingleThreadScheduledExecutor(runnable -> {
        Thread thread = new Thread(runnable, "page-drawing");
        thread.setDaemon(true);
        return thread;
    });
    private List<String> told = List.of();
    private final AtomicBoolean changed = new AtomicBoolean();
    private final List<Subscription> subscriptions = new ArrayList<>();
    private final Restarts restarts;
    private @Nullable ForwardedSockets sockets;
    private @Nullable OrderSocket orders;
    private @Nullable PageServer server;

    /**
     * A page without a listening socket.
     *
     * @param folder of the cluster
     */
    public ClusterPage(Cluster cluster, KernelLinuxNet net, Path folder) {
        this.cluster = cluster;
        this.net = net;
        this.folder = folder;
        this.reader = new PictureReader(cluster);
        this.timeLine = new TimeLine(cluster, net, page);
        this.restarts = new Restarts(cluster, timeLine);
        this.flows = new FlowReader(cluster, net, page::picture, InstantSource.system());
        this.rates = new RateReader(cluster, net, page::picture, InstantSource.system());
    }

    /** Waits in the background for sockets, and for orders of commands. */
    public synchronized void awaitReaders() throws IOException {
        Path file = folder.resolve(TOKEN);
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, token.value());
        sockets = ForwardedSockets.receive(folder.resolve(SOCKET), this::listen);
        orders = OrderSocket.listen(folder.resolve(OrderSocket.NAME), restarts::restart);
    }

    private synchronized void listen(int descriptor) throws IOException {
        PageServer running = server;
        if (running == null) {
            running = new PageServer(
                    page,
                    new ClusterActions(cluster, net, changes, timeLine, restarts, page, this::redraw),
                    flows,
                    token,
                    new PageFraming());
            running.tell(rates);
            server = running;
            follow();
        }
        running.listen(descriptor);
    }

    private void follow() {
        for (Resource resource : SHOWN) {
            subscriptions.add(cluster.api().subscribe(resource, change -> redrawSoon()));
        }
        changes.follow(cluster.api());
        timeLine.follow();
        flows.count();
        cluster.agents().onSync(node -> redrawSoon());
        cluster.agents().onEnd(node -> redrawSoon());
        cluster.onPower(node -> {
            flows.openAgain();
            redrawSoon();
        });
        var unused = drawing.scheduleWithFixedDelay(
                this::tellTroubles, TROUBLES_MILLIS, TROUBLES_MILLIS, TimeUnit.MILLISECONDS);
        redrawSoon();
    }

    /** Tells the new faults of the cluster itself. */
    private void tellTroubles() {
        List<String> now = cluster.troubles();
        now.stream()
                .filter(trouble -> !told.contains(trouble))
                .forEach(trouble -> timeLine.tell("note", "cluster", trouble));
        told = now;
    }

    private void redrawSoon() {
        if (changed.compareAndSet(false, true) && !drawing.isShutdown()) {
            var unused = drawing.schedule(this::redraw, GATHER_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void redraw() {
        changed.set(false);
        try {
            synchronized (reader) { // an older picture never comes after a newer one
                page.show(reader.read());
            }
        } catch (RuntimeException e) {
            LOG.atError().addKeyValue("problem", e.toString()).log("page.not_drawn");
        }
    }

    @Override
    public synchronized void close() {
        if (sockets != null) {
            sockets.close();
        }
        if (orders != null) {
            orders.close();
        }
        restarts.close();
        subscriptions.forEach(Subscription::close);
        changes.close();
        timeLine.close();
        drawing.shutdownNow();
        if (server != null) {
            server.close();
        }
        flows.close();
        rates.close();
    }
}
