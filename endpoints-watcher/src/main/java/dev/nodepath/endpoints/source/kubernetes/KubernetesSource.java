package dev.nodepath.endpoints.source.kubernetes;

import dev.nodepath.endpoints.EndpointSlice;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.Service;
import dev.nodepath.endpoints.ServiceCidr;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.SnapshotTracker;
import dev.nodepath.endpoints.source.NodeConverter;
import dev.nodepath.endpoints.source.ServiceCidrConverter;
import dev.nodepath.endpoints.source.ServiceConverter;
import dev.nodepath.endpoints.source.ServiceSource;
import dev.nodepath.endpoints.source.SkippedObjects;
import dev.nodepath.endpoints.source.SliceConverter;
import dev.nodepath.endpoints.source.SnapshotListener;
import dev.nodepath.endpoints.source.SourceException;
import dev.nodepath.endpoints.source.SourceStats;
import dev.nodepath.linux.time.WaitClock;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Services, EndpointSlices and Nodes of a Kubernetes API server, 1.21 or newer: only this node's Node, or all Nodes.
 *
 * <p>While the server cannot be reached the last snapshot stays in force. Objects that cannot be used are left out,
 * named in the log once ({@code source.object_skipped}) and counted.
 */
public final class KubernetesSource implements ServiceSource {
    private static final Logger LOG = LoggerFactory.getLogger(KubernetesSource.class);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

    /** The wait between tries for objects that may be forbidden for ever. */
    private static final Duration RARELY = Duration.ofMinutes(5);

    private final ApiServerAccess access;
    private final String nodeName;
    private final Nodes nodes;
    private final Optional<PolicyListener> policies;
    private final String serviceProxyName;
    private final WatchLimits limits;
    private final RandomGenerator random;
    private final InstantSource clock;
    private final WaitClock time;
    private final SkippedObjects skipped = new SkippedObjects();
    private final List<WatchHealth> healths = new CopyOnWriteArrayList<>();
    private final CountDownLatch stop = new CountDownLatch(1);
    private final List<Thread> threads = new ArrayList<>();
    private final List<Followed<?>> others = new ArrayList<>();
    private boolean serviceCidrs;
    private volatile @Nullable Publisher publisher;
    private @Nullable ApiClient client;

    /** The Nodes to watch. */
    public enum Nodes {
        /**
         * Only this node's Node, which is enough for a proxy. In a cluster of thousands, heartbeats of other Nodes are
         * most of the events.
         */
        OWN,
        /** All Nodes, which routes to the pods of other nodes need. */
        ALL
    }

    /**
     * A source of one or all Nodes that has not started. The first snapshot waits only for this node's Node.
     *
     * @param nodeName the name of this node's Node
     * @param policies is told of NetworkPolicies; without it they are not followed. Without the right to
     *     follow them, {@link #stats} says so, and all else works
     * @param serviceProxyName the value of the label {@code service.kubernetes.io/service-proxy-name} that objects must
     *     have; if it is empty, they must not have it
     * @param random spreads waits; several threads use it, which java.util.Random allows
     * @param clock for the times in {@link #stats}
     */
    public KubernetesSource(
            ApiServerAccess access,
            String nodeName,
            Nodes nodes,
            Optional<PolicyListener> policies,
            String serviceProxyName,
            WatchLimits limits,
            RandomGenerator random,
            InstantSource clock) {
        this(access, nodeName, nodes, policies, serviceProxyName, limits, random, clock, WaitClock.SYSTEM);
    }

    KubernetesSource(
            ApiServerAccess access,
            String nodeName,
            Nodes nodes,
            Optional<PolicyListener> policies,
            String serviceProxyName,
            WatchLimits limits,
            RandomGenerator random,
            InstantSource clock,
            WaitClock time) {
        this.access = access;
        this.nodeName = nodeName;
        this.nodes = nodes;
        this.policies = policies;
        this.serviceProxyName = serviceProxyName;
        this.limits = limits;
        this.random = random;
        this.clock = clock;
        this.time = time;
    }

    /**
     * Follows ServiceCIDRs too, if the server has them (since Kubernetes 1.33) and we may. The first snapshot waits
     * for them no longer than for the Node.
     */
    public KubernetesSource withServiceCidrs() {
        serviceCidrs = true;
        return this;
    }

    /** A kind that snapshots do not have. */
    private record Followed<R>(CountDownLatch needed, ResourceKind<R> kind, ObjectSink<R> sink) {}

    /** Follows a further kind, which no snapshot waits for. The sink is called from a thread of the kind's own. */
    public <R> KubernetesSource following(ResourceKind<R> kind, ObjectSink<R> sink) {
        return following(new CountDownLatch(0), kind, sink);
    }

    /** Follows a further kind once the latch opens. It does not ask the server before. */
    public <R> KubernetesSource following(CountDownLatch needed, ResourceKind<R> kind, ObjectSink<R> sink) {
        others.add(new Followed<>(needed, kind, sink));
        return this;
    }

    /**
     * Checks the server's versions and our rights, and starts the watches on threads of their own. The first snapshot
     * comes from one of these threads.
     *
     * @throws SourceException if the server cannot be reached, denies access, or is no API server
     */
    @Override
    public synchronized void start(SnapshotListener listener) throws SourceException {
        if (client != null) {
            throw new IllegalStateException("a source starts once");
        }
        Publisher gathering = new Publisher(listener, limits.nodeWait());
        ApiClient opened = open();
        try {
            List<Runnable> reflectors = reflectors(opened, gathering);
            client = opened;
            publisher = gathering;
            threads.add(thread("kubernetes-publisher", gathering));
            for (int i = 0; i < reflectors.size(); i++) {
                threads.add(thread("kubernetes-reflector-" + i, reflectors.get(i)));
            }
            access.listener()
                    .ifPresent(told ->
                            threads.add(thread("kubernetes-version", new VersionPoller(opened, told, stop, time))));
            threads.forEach(Thread::start);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SourceException(access.origin() + ": interrupted", e);
        } finally {
            if (client == null) {
                opened.close();
            }
        }
    }

    @Override
    public ServiceSnapshot snapshot() {
        Publisher from = publisher;
        return from == null ? ServiceSnapshot.EMPTY : from.snapshot();
    }

    @Override
    public SourceStats stats() {
        return new SourceStats(
                skipped.counts(), healths.stream().map(WatchHealth::stats).toList());
    }

    @Override
    public synchronized void close() {
        stop.countDown();
        if (publisher == null || client == null) {
            return;
        }
        publisher.close();
        // The publisher may be inside the listener, which must not be interrupted.
        threads.subList(1, threads.size()).forEach(Thread::interrupt);
        try {
            for (Thread thread : threads) {
                thread.join(CLOSE_TIMEOUT.toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        client.close();
    }

    private ApiClient open() throws SourceException {
        try {
            return new ApiClient(access, limits.answer());
        } catch (GeneralSecurityException | IOException | RuntimeException e) {
            // Certificates or keys cannot be read.
            throw new SourceException(access.origin() + ": TLS: " + ApiClient.explain(e), e);
        }
    }

    private List<Runnable> reflectors(ApiClient from, Publisher to) throws SourceException, InterruptedException {
        ServerProbe probe = new ServerProbe(from, access.origin(), limits, random);
        probe.checkSlices();
        LOG.atInfo().addKeyValue("server", access.server()).log("source.discovered");
        String selector = ResourceKind.serviceSelector(serviceProxyName);
        Semaphore listing = new Semaphore(1);
        List<Runnable> reflectors = new ArrayList<>();

        ResourceKind<Service> services =
                new ResourceKind<>("Service", "/api/v1/services", selector, new ServiceConverter()::convert);
        probe.checkList(services);
        reflectors.add(reflector(
                from,
                services,
                to.require(Service::name, SnapshotTracker::put, SnapshotTracker::removeService),
                listing));

        ResourceKind<EndpointSlice> slices = new ResourceKind<>(
                "EndpointSlice", "/apis/discovery.k8s.io/v1/endpointslices", selector, new SliceConverter()::slice);
        probe.checkList(slices);
        reflectors.add(reflector(
                from,
                slices,
                to.require(EndpointSlice::name, SnapshotTracker::put, SnapshotTracker::removeSlice),
                listing));

        ResourceKind<NodeInfo> node = new ResourceKind<>(
                "Node",
                "/api/v1/nodes",
                nodes == Nodes.OWN ? ResourceKind.nameSelector(nodeName) : "",
                new NodeConverter()::convert);
        probe.checkList(node);
        reflectors.add(reflector(
                from,
                node,
                to.await(
                        new NamespacedName("", nodeName),
                        info -> new NamespacedName("", info.name()),
                        SnapshotTracker::put,
                        (tracker, name) -> tracker.removeNode(name.name())),
                listing));
        if (serviceCidrs && probe.servesServiceCidrs()) {
            reflectors.add(serviceCidrs(from, to));
        }
        policies.ifPresent(told -> reflectors.add(policies(from, told)));
        Semaphore listingOthers = new Semaphore(1);
        others.forEach(other -> reflectors.add(reflector(from, other, listingOthers)));
        return reflectors;
    }

    private Runnable serviceCidrs(ApiClient from, Publisher to) {
        ResourceKind<ServiceCidr> ranges = new ResourceKind<>(
                "ServiceCIDR", "/apis/networking.k8s.io/v1/servicecidrs", "", ServiceCidrConverter::convert);
        return reflector(
                from,
                ranges,
                to.awaitList(
                        range -> new NamespacedName("", range.name()),
                        SnapshotTracker::put,
                        (tracker, name) -> tracker.removeServiceCidr(name.name())),
                new Semaphore(1),
                limits.withRetryMax(RARELY));
    }

    /**
     * Watches NetworkPolicies. No snapshot waits for them. Retries are rare, because the right may be missing for ever.
     */
    private Runnable policies(ApiClient from, PolicyListener told) {
        return reflector(
                from, NetworkPolicies.KIND, new NetworkPolicies(told), new Semaphore(1), limits.withRetryMax(RARELY));
    }

    private <R> Runnable reflector(ApiClient from, Followed<R> other, Semaphore listing) {
        return () -> {
            try {
                other.needed.await();
                reflector(from, other.kind, other.sink, listing).run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
    }

    private <R> Reflector<R> reflector(ApiClient from, ResourceKind<R> kind, ObjectSink<R> to, Semaphore listing) {
        return reflector(from, kind, to, listing, limits);
    }

    private <R> Reflector<R> reflector(
            ApiClient from, ResourceKind<R> kind, ObjectSink<R> to, Semaphore listing, WatchLimits within) {
        WatchHealth health = new WatchHealth(kind.name(), clock);
        healths.add(health);
        return new Reflector<>(from, kind, to, skipped, health, within, random, listing, stop, time);
    }

    private static Thread thread(String name, Runnable body) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        return thread;
    }
}
