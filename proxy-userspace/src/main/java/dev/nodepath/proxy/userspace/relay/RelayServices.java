package dev.nodepath.proxy.userspace.relay;

import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.proxy.userspace.metrics.ServiceCounts;
import dev.nodepath.proxy.userspace.portals.Portal;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The service ports that are served, by portal. The syncing thread changes them; any thread may read. */
public final class RelayServices {
    private final Balancer balancer;
    private final ConnectionPolicy policy;
    private final Map<Portal.Key, RelayService> services = new ConcurrentHashMap<>();

    /** No service ports yet. */
    public RelayServices(Balancer balancer, ConnectionPolicy policy) {
        this.balancer = balancer;
        this.policy = policy;
    }

    /** The service of a portal; it is made at the first call. */
    public RelayService of(Portal.Key portal) {
        return services.computeIfAbsent(portal, key -> new RelayService(key, balancer, policy, System::nanoTime));
    }

    /** The service of a portal; null if it has none. */
    @Nullable
    public RelayService find(Portal.Key portal) {
        return services.get(portal);
    }

    /** The names of the service ports of a family. */
    public List<ServicePortName> names(IpFamily family) {
        return services.keySet().stream()
                .filter(key -> key.family() == family)
                .map(Portal.Key::name)
                .toList();
    }

    /** Removes the service of a portal. */
    public void remove(Portal.Key portal) {
        services.remove(portal);
    }

    /** Removes the services of a family that none of these portals has. */
    public void retain(IpFamily family, Collection<Portal> portals) {
        Set<Portal.Key> served = new HashSet<>();
        portals.forEach(portal -> served.add(portal.key()));
        services.keySet().removeIf(key -> key.family() == family && !served.contains(key));
    }

    /** The traffic of every service port. */
    public List<ServiceCounts> counts() {
        return services.values().stream().map(RelayService::counts).toList();
    }
}
