package dev.nodepath.proxy.nftables;

import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.IpFamily;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/**
 * Counts the service ports with endpoints, each of which has a map of its own unless all share a few. The kernel keeps the
 * maps of a table in one list, and walks it for each change of one. An update costs time proportional to the
 * changed Services. For one thread.
 */
final class SharedMapPorts {
    /** Above this number service ports share maps. */
    static final int MANY = 1000;

    /** At this number or below each gets a map of its own again. A change rewrites all, so the two limits differ. */
    private static final int NO_LONGER_MANY = 900;

    private final IpFamily family;
    private final Set<ServicePortName> ports = new HashSet<>();
    private boolean many;

    SharedMapPorts(IpFamily family) {
        this.family = family;
    }

    void recount(ServiceSnapshot snapshot) {
        ports.clear();
        update(snapshot, snapshot.services().keySet());
    }

    void update(ServiceSnapshot snapshot, Collection<ServicePortName> changed) {
        for (ServicePortName name : changed) {
            ServicePort service = snapshot.services().get(name);
            if (service != null
                    && !service.clusterIps(family).isEmpty()
                    && !snapshot.endpoints(name, family).isEmpty()) {
                ports.add(name);
            } else {
                ports.remove(name);
            }
        }
    }

    /** Whether service ports are to share maps. */
    boolean areMany() {
        many = ports.size() > (many ? NO_LONGER_MANY : MANY);
        return many;
    }
}
