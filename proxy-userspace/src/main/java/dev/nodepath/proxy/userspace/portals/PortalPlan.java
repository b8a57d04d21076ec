package dev.nodepath.proxy.userspace.portals;

import dev.nodepath.endpoints.EndpointSelection;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The portals of a snapshot in one family. Each address and port has one owner, as in kube-proxy's userspace mode: the
 * Service with this cluster IP, then the one with this load balancer IP, then the first by name. The cost of an update
 * is proportional to the change, and to the service ports that claim the same addresses.
 */
public final class PortalPlan {
    private final String node;
    private final IpFamily family;
    private final SortedMap<ServicePortName, Portal> portals = new TreeMap<>();
    private final SortedMap<ServicePortName, String> unserved = new TreeMap<>();

    /** The claimants of an address and port, or of a node port. The first one is the owner. */
    private final Map<Record, SortedSet<Claimant>> claimants = new HashMap<>();

    private final Map<ServicePortName, Map<Record, Claimant>> claims = new HashMap<>();

    /**
     * A service port with a claim.
     *
     * @param rank lower ranks win. The API server allocates cluster IPs, a controller allocates load balancer IPs, and
     *     every author of a Service may write external IPs
     */
    private record Claimant(int rank, ServicePortName name) implements Comparable<Claimant> {
        private static final Comparator<Claimant> ORDER =
                Comparator.comparingInt(Claimant::rank).thenComparing(Claimant::name);

        static Claimant of(ServiceEntry entry, ServicePortName name) {
            return new Claimant(
                    switch (entry) {
                        case CLUSTER_IP -> 0;
                        case LOAD_BALANCER -> 1;
                        case EXTERNAL -> 2;
                    },
                    name);
        }

        @Override
        public int compareTo(Claimant other) {
            return ORDER.compare(this, other);
        }
    }

    private record Claim(Protocol protocol, IpAddress address, int port) {
        @Override
        public String toString() {
            return address.withPort(port);
        }
    }

    private record NodePortClaim(Protocol protocol, int port) {
        @Override
        public String toString() {
            return "nodePort: " + port;
        }
    }

    /** An empty plan. */
    public PortalPlan(String node, IpFamily family) {
        this.node = node;
        this.family = family;
    }

    /** The plan of a whole snapshot. */
    public static PortalPlan of(ServiceSnapshot snapshot, String node, IpFamily family) {
        PortalPlan plan = new PortalPlan(node, family);
        plan.update(snapshot, snapshot.services().keySet());
        return plan;
    }

    /** All portals, in name order. */
    public List<Portal> portals() {
        return List.copyOf(portals.values());
    }

    /** The service ports that are not served, or only in part, with the reason. */
    public SortedMap<ServicePortName, String> unserved() {
        return Collections.unmodifiableSortedMap(unserved);
    }

    /**
     * Plans some service ports again, and those that share claims with them.
     *
     * @param names of service ports that were added, changed or removed
     * @return the portals that have changed
     */
    public List<PortalChange> update(ServiceSnapshot snapshot, Collection<ServicePortName> names) {
        SortedSet<ServicePortName> affected = new TreeSet<>(names);
        for (ServicePortName name : names) {
            claim(name, claimsOf(snapshot.services().get(name)), affected);
        }
        List<PortalChange> changes = new ArrayList<>();
        for (ServicePortName name : affected) {
            unserved.remove(name);
            Portal after = portal(snapshot, snapshot.services().get(name));
            Portal before = after == null ? portals.remove(name) : portals.put(name, after);
            if (!Objects.equals(before, after)) {
                changes.add(new PortalChange(before, after));
            }
        }
        return changes;
    }

    private Map<Record, Claimant> claimsOf(@Nullable ServicePort service) {
        Map<Record, Claimant> wanted = new HashMap<>();
        if (service != null && isServed(service)) {
            for (ServiceEntry entry : ServiceEntry.values()) {
                Claimant claimant = Claimant.of(entry, service.name());
                for (IpAddress ip : addresses(service, entry)) {
                    wanted.merge(
                            new Claim(service.protocol(), ip, service.port()),
                            claimant,
                            BinaryOperator.minBy(Comparator.naturalOrder()));
                }
            }
            if (service.nodePort() != 0) {
                wanted.put(
                        new NodePortClaim(service.protocol(), service.nodePort()),
                        Claimant.of(ServiceEntry.EXTERNAL, service.name()));
            }
        }
        return wanted;
    }

    private boolean isServed(ServicePort service) {
        return !service.clusterIps(family).isEmpty() && service.protocol() != Protocol.SCTP;
    }

    private List<IpAddress> addresses(ServicePort service, ServiceEntry entry) {
        return switch (entry) {
            case CLUSTER_IP -> service.clusterIps(family);
            case EXTERNAL -> service.externalIps(family);
            case LOAD_BALANCER -> service.loadBalancerIps(family);
        };
    }

    /** Replaces a service port's claims by the wanted ones. Service ports that share a changed claim are affected. */
    private void claim(ServicePortName name, Map<Record, Claimant> wanted, Set<ServicePortName> affected) {
        claims.getOrDefault(name, Map.of()).forEach((claim, had) -> {
            SortedSet<Claimant> sharers = claimants.get(claim);
            if (!had.equals(wanted.get(claim)) && sharers != null) {
                sharers.remove(had);
                sharers.forEach(sharer -> affected.add(sharer.name()));
                if (sharers.isEmpty()) {
                    claimants.remove(claim);
                }
            }
        });
        wanted.forEach((claim, claimant) -> {
            SortedSet<Claimant> sharers = claimants.computeIfAbsent(claim, missing -> new TreeSet<>());
            if (sharers.add(claimant)) {
                sharers.forEach(sharer -> affected.add(sharer.name()));
            }
        });
        if (wanted.isEmpty()) {
            claims.remove(name);
        } else {
            claims.put(name, wanted);
        }
    }

    private @Nullable Portal portal(ServiceSnapshot snapshot, @Nullable ServicePort service) {
        if (service == null || service.clusterIps(family).isEmpty()) {
            return null;
        }
        if (service.protocol() == Protocol.SCTP) {
            unserved.put(service.name(), "protocol: SCTP (expected: TCP or UDP)");
            return null;
        }
        Set<Record> taken = new HashSet<>();
        Map<ServiceEntry, List<IpAddress>> addresses = new EnumMap<>(ServiceEntry.class);
        for (ServiceEntry entry : ServiceEntry.values()) {
            addresses.put(
                    entry,
                    addresses(service, entry).stream()
                            .filter(ip -> owns(service, new Claim(service.protocol(), ip, service.port()), taken))
                            .toList());
        }
        boolean ownsNodePort = service.nodePort() != 0
                && owns(service, new NodePortClaim(service.protocol(), service.nodePort()), taken);
        return new Portal(
                service,
                family,
                addresses,
                ownsNodePort ? service.nodePort() : 0,
                EndpointSelection.select(snapshot, service, family, node));
    }

    /** Whether the service port owns the claim. A service port may name its own address twice. */
    private boolean owns(ServicePort service, Record claim, Set<Record> taken) {
        SortedSet<Claimant> sharers = claimants.get(claim);
        ServicePortName owner =
                sharers == null ? service.name() : sharers.first().name();
        if (!owner.equals(service.name())) {
            unserved.put(service.name(), claim + " (taken by " + owner + ")");
            return false;
        }
        return taken.add(claim);
    }
}
