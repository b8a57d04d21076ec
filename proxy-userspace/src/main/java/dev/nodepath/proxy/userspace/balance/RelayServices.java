package dev.nodepath.proxy.userspace.balance;

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

/** The service ports that are served, by portal. The syncing thread changes it, any may ask. */
public final class RelayServices {
    private final Balancer balancer;
    private final Map<Portal.Key, RelayService> services = new ConcurrentHashMap<>();

    public RelayServices(Balancer balancer) {
        this.balancer = balancer;
    }

    /** That of a portal, a new one if there is none. */
    public RelayService of(Portal.Key portal) {
        return services.computeIfAbsent(portal, key -> new RelayService(key, balancer, System::nanoTime));
    }

    @Nullable
    public RelayService find(Portal.Key portal) {
        return services.get(portal);
    }

    public List<ServicePortName> names(IpFamily family) {
        return services.keySet().stream()
                .filter(key -> key.family() == family)
                .map(Portal.Key::name)
                .toList();
    }

    public void remove(Portal.Key portal) {
        services.remove(portal);
    }

    /** Forgets all of a family but these. */
    public void retain(IpFamily family, Collection<Portal> portals) {
        Set<Portal.Key> served = new HashSet<>();
        portals.forEach(portal -> served.add(portal.key()));
        services.keySet().removeIf(key -> key.family() == family && !served.contains(key));
    }

    public List<ServiceCounts> counts() {
        return services.values().stream().map(RelayService::counts).toList();
    }
}
