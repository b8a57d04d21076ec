package dev.nodepath.proxy.userspace.relay;

import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.proxy.userspace.metrics.ServiceCounts;
import dev.nodepath.proxy.userspace.metrics.TrafficCounter;
import dev.nodepath.proxy.userspace.portals.InternalClients;
import dev.nodepath.proxy.userspace.portals.KeptClients;
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
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The endpoints of one service port and family, and the choice for each client. It lives as long as the service port,
 * so a change of endpoints does not restart the round robin. One thread updates it; any thread may choose.
 */
public final class RelayService {
    private final Portal.Key key;
    private final Balancer balancer;
    private final ConnectionPolicy policy;
    private final LongSupplier nanoTime;
    private final AtomicInteger turns = new AtomicInteger();
    private final Affinity affinity = new Affinity();
    private final TrafficCounter traffic = new TrafficCounter();

    /** Every endpoint that takes new connections, or still has open ones. Guarded by this. */
    private final Map<InetSocketAddress, RelayEndpoint> known = new HashMap<>();

    private volatile @Nullable State state;

    /** The basis of the choice for new connections; replaced as a whole. */
    private record State(
            ServicePort service,
            List<Cidr> sourceRanges,
            InternalClients inside,
            KeptClients kept,
            List<RelayEndpoint> cluster,
            List<RelayEndpoint> local) {}

    /** A service port without endpoints. */
    public RelayService(Portal.Key key, Balancer balancer, ConnectionPolicy policy, LongSupplier nanoTime) {
        this.key = key;
        this.balancer = balancer;
        this.policy = policy;
        this.nanoTime = nanoTime;
    }

    /** The identity of the portal that the service belongs to. */
    public Portal.Key key() {
        return key;
    }

    /**
     * Replaces the endpoints. New connections go to these endpoints only.
     *
     * @param inside pods and this node; {@code externalTrafficPolicy: Local} does not apply to them
     * @param kept the clients whose addresses endpoints see
     */
    public synchronized void update(Portal portal, InternalClients inside, KeptClients kept) {
        List<RelayEndpoint> cluster = endpoints(portal.endpoints().cluster());
        List<RelayEndpoint> local = endpoints(portal.endpoints().local());
        Set<RelayEndpoint> chosen = new HashSet<>(cluster);
        chosen.addAll(local);
        state = new State(
                portal.service(), portal.service().sourceRanges(portal.family()), inside, kept, cluster, local);
        // After the state: an earlier dial is seen here, and a later one finds the endpoint gone.
        known.values().removeIf(endpoint -> !chosen.contains(endpoint) && endpoint.load() == 0);
        if (portal.service().policy().affinitySeconds() == 0) {
            affinity.clear();
        }
    }

    private List<RelayEndpoint> endpoints(List<Endpoint> endpoints) {
        return endpoints.stream()
                .map(endpoint -> new InetSocketAddress(endpoint.address().toInetAddress(), endpoint.port()))
                .map(address -> known.computeIfAbsent(address, missing -> new RelayEndpoint(address, traffic)))
                .toList();
    }

    /** Whether the source ranges admit this client. */
    public boolean admits(ServiceEntry entry, IpAddress client) {
        State now = state;
        return entry != ServiceEntry.LOAD_BALANCER
                || now == null
                || now.sourceRanges.isEmpty()
                || now.sourceRanges.stream().anyMatch(range -> range.contains(client));
    }

    /** The next turn of the round robin, for a new connection, or in place of the turn of a failed endpoint. */
    public int nextTurn() {
        return turns.getAndIncrement();
    }

    /** The endpoint that the client is pinned to, if it is eligible and not ejected; else null. */
    @Nullable
    public RelayEndpoint pinned(ServiceEntry entry, IpAddress client) {
        State now = state;
        if (now == null || now.service.policy().affinitySeconds() == 0) {
            return null;
        }
        long nanos = nanoTime.getAsLong();
        RelayEndpoint pinned = affinity.find(
                client, nanos, TimeUnit.SECONDS.toNanos(now.service.policy().affinitySeconds()));
        return pinned != null
                        && !pinned.isEjected(nanos)
                        && pool(now, entry, client).contains(pinned)
                        && mayReach(now, client, pinned)
                ? pinned
                : null;
    }

    /** Chooses an endpoint, as {@link #choose(ServiceEntry, IpAddress, int, Collection)}, if none was tried before. */
    @Nullable
    public RelayEndpoint choose(ServiceEntry entry, IpAddress client, int turn) {
        return choose(entry, client, turn, List.of());
    }

    /**
     * The endpoint of a turn among the endpoints that the policy allows. Ejected endpoints are left out, unless all are
     * ejected.
     *
     * @param tried endpoints that have failed for this client; they come last
     * @return null if there are no endpoints for this client, or the policy allows it none
     */
    @Nullable
    public RelayEndpoint choose(ServiceEntry entry, IpAddress client, int turn, Collection<RelayEndpoint> tried) {
        State now = state;
        List<RelayEndpoint> pool = now == null ? List.of() : pool(now, entry, client);
        RelayEndpoint chosen = pick(pool, turn, tried);
        if (now == null || chosen == null || mayReach(now, client, chosen)) {
            return chosen;
        }
        return pick(pool.stream().filter(each -> mayReach(now, client, each)).toList(), turn, tried);
    }

    /** Whether there are endpoints for this client, whatever the policy says. */
    public boolean hasEndpoints(ServiceEntry entry, IpAddress client) {
        State now = state;
        return now != null && !pool(now, entry, client).isEmpty();
    }

    private @Nullable RelayEndpoint pick(List<RelayEndpoint> pool, int turn, Collection<RelayEndpoint> tried) {
        if (pool.isEmpty()) {
            return null;
        }
        RelayEndpoint chosen = balancer.pick(withoutEjected(pool), turn);
        return tried.contains(chosen) ? chooseAnother(pool, turn, tried, chosen) : chosen;
    }

    /** A node always reaches its own pods. Other nodes decide about their own pods. */
    private boolean mayReach(State now, IpAddress client, RelayEndpoint endpoint) {
        return now.inside.isThisNode(client) || policy.allows(client, endpoint.address(), now.service.protocol());
    }

    private RelayEndpoint chooseAnother(
            List<RelayEndpoint> pool, int turn, Collection<RelayEndpoint> tried, RelayEndpoint chosen) {
        List<RelayEndpoint> others =
                pool.stream().filter(endpoint -> !tried.contains(endpoint)).toList();
        return others.isEmpty() ? chosen : balancer.pick(withoutEjected(others), turn);
    }

    /** Whether connections of this client to this endpoint may go on. A change of the policy ends no connection. */
    public boolean has(ServiceEntry entry, IpAddress client, RelayEndpoint endpoint) {
        State now = state;
        return now != null && pool(now, entry, client).contains(endpoint);
    }

    /**
     * The number that shows the client's address to the endpoint, see {@link KeptClients#number}; 0 means this node's
     * address.
     */
    public int clientNumber(ServiceEntry entry, IpAddress client, RelayEndpoint endpoint) {
        State now = state;
        return now == null || !now.kept.keepsAny()
                ? 0
                : now.kept.number(
                        client,
                        IpAddress.of(endpoint.address().getAddress()),
                        entry.isLocalOnly(now.service, now.inside, client));
    }

    /**
     * Whether the endpoint of a connection sees another client, see {@link KeptClients.Sources#showsAnother}.
     *
     * @param local the address of the connection's socket
     */
    public boolean showsAnother(IpAddress client, InetSocketAddress local, RelayEndpoint endpoint) {
        State now = state;
        return now != null && now.kept.keepsAny() && now.kept.sources().showsAnother(client, local, endpoint.address());
    }

    private static List<RelayEndpoint> pool(State now, ServiceEntry entry, IpAddress client) {
        return entry.isLocalOnly(now.service, now.inside, client) ? now.local : now.cluster;
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

    /** A client is connected to an endpoint. */
    public void reached(IpAddress client, RelayEndpoint endpoint, long dialNanos) {
        endpoint.connected(dialNanos);
        pin(client, endpoint);
    }

    /** A flow has opened. Its endpoint has not answered yet. */
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

    /** A flow has ended. The affinity timeout of its client starts again. */
    public void lastUsed(IpAddress client, RelayEndpoint endpoint) {
        State now = state;
        if (now != null && now.service.policy().affinitySeconds() != 0) {
            affinity.refresh(client, endpoint, nanoTime.getAsLong());
        }
    }

    /** A dial has failed. Returns whether this failure has ejected the endpoint. */
    public boolean failed(RelayEndpoint endpoint) {
        return endpoint.failed(nanoTime.getAsLong());
    }

    /** The endpoints that are no longer in the cluster, and still have connections or dials. */
    public synchronized List<RelayEndpoint> departed(Collection<InetSocketAddress> existing) {
        return known.values().stream()
                .filter(endpoint -> endpoint.load() > 0 && !existing.contains(endpoint.address()))
                .toList();
    }

    /** Whether the endpoint takes new connections, or still has open ones. */
    public synchronized boolean knows(RelayEndpoint endpoint) {
        return known.get(endpoint.address()) == endpoint;
    }

    /** The traffic of the service port and its endpoints. */
    public synchronized ServiceCounts counts() {
        return new ServiceCounts(
                key.name(),
                key.family(),
                traffic.counts(),
                known.values().stream().map(RelayEndpoint::counts).toList());
    }
}
