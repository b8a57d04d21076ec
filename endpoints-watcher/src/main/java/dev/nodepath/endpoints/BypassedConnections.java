package dev.nodepath.endpoints;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.ConntrackFlow;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * TCP connections that were opened before rules for their cluster IP existed. The kernel applies the rules only to the
 * first packet of a connection. So later packets, and repeated SYNs, miss the Service. Answered connections are left
 * alone: some networks route cluster IPs to other nodes.
 */
public final class BypassedConnections {
    private final Set<Target> added;

    private record Target(IpAddress address, int port) {}

    private BypassedConnections(Set<Target> added) {
        this.added = added;
    }

    /** The connections to all cluster IPs and ports of a snapshot. */
    public static BypassedConnections of(ServiceSnapshot now, IpFamily family) {
        return of(ServiceSnapshot.EMPTY, now, family, now.services().keySet());
    }

    /**
     * The connections to each cluster IP and port that is new. The cost is proportional to the change.
     *
     * @param changed the service ports that differ between the two snapshots
     */
    public static BypassedConnections of(
            ServiceSnapshot before, ServiceSnapshot now, IpFamily family, Collection<ServicePortName> changed) {
        Set<Target> added = targets(now, family, changed);
        added.removeAll(targets(before, family, changed));
        return new BypassedConnections(added);
    }

    private static Set<Target> targets(ServiceSnapshot snapshot, IpFamily family, Collection<ServicePortName> names) {
        Set<Target> targets = new HashSet<>();
        for (ServicePortName name : names) {
            ServicePort service =
                    name.protocol() == Protocol.TCP ? snapshot.services().get(name) : null;
            if (service != null) {
                service.clusterIps(family).forEach(ip -> targets.add(new Target(ip, service.port())));
            }
        }
        return targets;
    }

    /** The union of both. */
    public BypassedConnections and(BypassedConnections others) {
        Set<Target> all = new HashSet<>(added);
        all.addAll(others.added);
        return new BypassedConnections(all);
    }

    /** Whether there can be none. */
    public boolean isNone() {
        return added.isEmpty();
    }

    /** The cluster IPs of these connections. */
    public Set<IpAddress> addresses() {
        return added.stream().map(Target::address).collect(Collectors.toSet());
    }

    /** Whether a TCP flow is one of them. */
    public boolean has(ConntrackFlow flow) {
        ConntrackFlow.Tuple meant = flow.original();
        return !flow.answered()
                && !flow.isDestinationTranslated()
                && flow.isInDefaultZone()
                && added.contains(new Target(meant.destination(), meant.destinationPort()));
    }
}
