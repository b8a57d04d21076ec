package dev.nodepath.endpoints;

import dev.nodepath.linux.ConntrackFlow;
import dev.nodepath.linux.IpAddress;
import dev.nodepath.linux.IpFamily;
import java.util.HashSet;
import java.util.Set;

/**
 * TCP connections that were begun before there were rules for the cluster IP that they mean. The kernel asks the rules for
 * the first packet alone, so all that follow, as often as it is sent again, go where no Service is. One that is answered has
 * found its way all the same, such as over a network that routes cluster IPs to other nodes: it stays.
 */
public final class BypassedConnections {
    private final Set<Target> added;

    private record Target(IpAddress address, int port) {}

    private BypassedConnections(Set<Target> added) {
        this.added = added;
    }

    /** Those that mean a cluster IP and port which is in force now and was not before. */
    public static BypassedConnections of(ServiceSnapshot before, ServiceSnapshot now, IpFamily family) {
        Set<Target> added = targets(now, family);
        added.removeAll(targets(before, family));
        return new BypassedConnections(added);
    }

    private static Set<Target> targets(ServiceSnapshot snapshot, IpFamily family) {
        Set<Target> targets = new HashSet<>();
        for (ServicePort service : snapshot.services().values()) {
            if (service.protocol() == Protocol.TCP) {
                service.clusterIps(family).forEach(ip -> targets.add(new Target(ip, service.port())));
            }
        }
        return targets;
    }

    /** Whether there can be none. */
    public boolean isNone() {
        return added.isEmpty();
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
