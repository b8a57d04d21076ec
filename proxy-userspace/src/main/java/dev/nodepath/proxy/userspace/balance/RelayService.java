package dev.nodepath.proxy.userspace.balance;

import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.proxy.userspace.metrics.ServiceCounts;
import dev.nodepath.proxy.userspace.metrics.TrafficCounter;
import dev.nodepath.proxy.userspace.portals.Portal;
import dev.nodepath.proxy.userspace.portals.ServiceEntry;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The endpoints of one service port and family, and which of them a client gets. Lives as long as the service port, so a
 * change of its endpoints does not start the round again. One thread updates it, any may choose.
 */
public final class RelayService {
    private final Portal.Key key;
    private final Balancer balancer;
    private final LongSupplier nanoTime;
    private final AtomicInteger turns = new AtomicInteger();
    private final Affinity affinity = new Affinity();
    private final LongAdder excluded = new LongAdder();
    private final TrafficCounter traffic = new TrafficCounter();

    /** Every endpoint that new connections may go to, or that has some still. Guarded by this. */
    private final Map<InetSocketAddress, RelayEndpoint> known = new HashMap<>();

    private volatile @Nullable State state;

    /** What new connections are decided by; replaced as a whole. */
    private record State(
            ServicePort service,
            List<Cidr> sourceRanges,
            Predicate<IpAddress> inside,
            List<RelayEndpoint> cluster,
            List<RelayEndpoint> local) {}

    public RelayService(Portal.Key key, Balancer balancer, LongSupplier nanoTime) {
        this.key = key;
        this.balancer = balancer;
        this.nanoTime = nanoTime;
    }

    public Portal.Key key() {
        return key;
    }

    /**
     * Decides about new connections from now on: nobody is given an endpoint that is not among these.
     *
     * @param inside whether an address is a pod's or this node's own: to them {@code externalTrafficPolicy: Local} does
     *     not apply
     */
    public synchronized void update(Portal portal, Predicate<IpAddress> inside) {
        List<RelayEndpoint> cluster = endpoints(portal.endpoints().cluster());
        List<RelayEndpoint> local = endpoints(portal.endpoints().local());
        Set<RelayEndpoint> chosen = new HashSet<>(cluster);
        chosen.addAll(local);
        state = new State(portal.service(), portal.service().sourceRanges(portal.family()), inside, cluster, local);
        // After the state: a dial that has begun by now is seen here, and one that begins later finds the endpoint
        // gone.
        known.values().removeIf(endpoint -> !chosen.contains(endpoint) && endpoint.load() == 0);
        if (portal.service().policy().affinitySeconds() == 0) {
            affinity.clear();
        }
    }

    private List<RelayEndpoint> endpoints(List<Endpoint> endpoints) {
        return endpoints.stream()
                .map(endpoint -> new InetSocketAddress(endpoint.address().toInetAddress(), endpoint.port()))
                .map(address -> known.computeIfAbsent(address, unused -> new RelayEndpoint(address, traffic)))
                .toList();
    }

    /** Whether source ranges let this client in. */
    public boolean admits(ServiceEntry way, IpAddress client) {
        State now = state;
        boolean admitted = way != ServiceEntry.LOAD_BALANCER
                || now == null
                || now.sourceRanges.isEmpty()
                || now.sourceRanges.stream().anyMatch(range -> range.contains(client));
        if (!admitted) {
            excluded.increment();
        }
        return admitted;
    }

    /** The turn of a new connection, or one that a failed endpoint has used up. */
    public int nextTurn() {
        return turns.getAndIncrement();
    }

    /** The endpoint that a client keeps to, if it is one of those that it may have and has not failed lately. */
    @Nullable
    public RelayEndpoint pinned(ServiceEntry way, IpAddress client) {
        State now = state;
        if (now == null || now.service.policy().affinitySeconds() == 0) {
            return null;
        }
        long nanos = nanoTime.getAsLong();
        RelayEndpoint pinned = affinity.find(
                client, nanos, TimeUnit.SECONDS.toNanos(now.service.policy().affinitySeconds()));
        return pinned != null
                        && !pinned.isEjected(nanos)
                        && pool(now, way, client).contains(pinned)
                ? pinned
                : null;
    }

    /** See {@link #choose(ServiceEntry, IpAddress, int, Collection)}. */
    @Nullable
    public RelayEndpoint choose(ServiceEntry way, IpAddress client, int turn) {
        return choose(way, client, turn, List.of());
    }

    /**
     * The endpoint of a turn, as endpoints are now. Those that have failed lately are left out unless all have.
     *
     * @param tried endpoints that this client has been refused by: not again while there are others
     * @return null if there are no endpoints for this client
     */
    @Nullable
    public RelayEndpoint choose(ServiceEntry way, IpAddress client, int turn, Collection<RelayEndpoint> tried) {
        State now = state;
        List<RelayEndpoint> pool = now == null ? List.of() : pool(now, way, client);
        if (pool.isEmpty()) {
            return null;
        }
        RelayEndpoint chosen = balancer.pick(withoutEjected(pool), turn);
        return tried.contains(chosen) ? chooseAnother(pool, turn, tried, chosen) : chosen;
    }

    private RelayEndpoint chooseAnother(
            List<RelayEndpoint> pool, int turn, Collection<RelayEndpoint> tried, RelayEndpoint chosen) {
        List<RelayEndpoint> others =
                pool.stream().filter(endpoint -> !tried.contains(endpoint)).toList();
        return others.isEmpty() ? chosen : balancer.pick(withoutEjected(others), turn);
    }

    /** Whether new connections of this client may go to this endpoint now. */
    public boolean has(ServiceEntry way, IpAddress client, RelayEndpoint endpoint) {
        State now = state;
        return now != null && pool(now, way, client).contains(endpoint);
    }

    private static List<RelayEndpoint> pool(State now, ServiceEntry way, IpAddress client) {
        boolean local = way == ServiceEntry.CLUSTER_IP
                ? now.service.internalPolicyLocal()
                : now.service.externalPolicyLocal() && !now.inside.test(client);
        return local ? now.local : now.cluster;
    }

    private List<RelayEndpoint> withoutEjected(List<RelayEndpoint> pool) {
        long now = nanoTime.getAsLong();
        for (RelayEndpoint endpoint : pool) {
            if (endpoint.isEjected(now)) {
                List<RelayEndpoint> rest =
                        pool.stream().filter(other -> !other.isEjected(now)).toList();
                return rest.isEmpty() ? pool : rest;
            }
        }
        return pool;
    }

    /** A client has reached an endpoint. */
    public void reached(IpAddress client, RelayEndpoint endpoint, long dialNanos) {
        endpoint.connected(dialNanos);
        pin(client, endpoint);
    }

    /** A flow begins; whether its endpoint answers is still to be seen. */
    public void begun(IpAddress client, RelayEndpoint endpoint) {
        endpoint.opened();
        pin(client, endpoint);
    }

    private void pin(IpAddress client, RelayEndpoint endpoint) {
        State now = state;
        if (now != null && now.service.policy().affinitySeconds() != 0) {
            affinity.pin(client, endpoint, nanoTime.getAsLong());
        }
    }

    /** The client of a flow that has ended was at its endpoint until now. */
    public void lastUsed(IpAddress client, RelayEndpoint endpoint) {
        State now = state;
        if (now != null && now.service.policy().affinitySeconds() != 0) {
            affinity.refresh(client, endpoint, nanoTime.getAsLong());
        }
    }

    /** A try has failed. Returns whether the endpoint is left out from now on and was not before. */
    public boolean failed(RelayEndpoint endpoint) {
        return endpoint.failed(nanoTime.getAsLong());
    }

    /** The endpoints with connections, or dials under way, that are not among these, all that the cluster knows. */
    public synchronized List<RelayEndpoint> departed(Collection<InetSocketAddress> existing) {
        return known.values().stream()
                .filter(endpoint -> endpoint.load() > 0 && !existing.contains(endpoint.address()))
                .toList();
    }

    public synchronized boolean knows(RelayEndpoint endpoint) {
        return known.get(endpoint.address()) == endpoint;
    }

    public synchronized ServiceCounts counts() {
        return new ServiceCounts(
                key.name(),
                key.family(),
                excluded.sum(),
                traffic.counts(),
                known.values().stream().map(RelayEndpoint::counts).toList());
    }
}
