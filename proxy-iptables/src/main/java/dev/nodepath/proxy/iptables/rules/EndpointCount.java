package dev.nodepath.proxy.iptables.rules;

import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.IpFamily;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/** Counts the endpoints of one family. An update costs time proportional to the changed Services. */
public final class EndpointCount {
    /** A large cluster gets comments again at this number of endpoints or fewer. */
    private static final int NO_LONGER_LARGE_ENDPOINTS = 900;

    private final IpFamily family;
    private final Map<ServicePortName, Integer> counts = new HashMap<>();
    private int total;
    private boolean large;

    public EndpointCount(IpFamily family) {
        this.family = family;
    }

    public void recount(ServiceSnapshot snapshot) {
        counts.clear();
        total = 0;
        update(snapshot, snapshot.services().keySet());
    }

    public void update(ServiceSnapshot snapshot, Collection<ServicePortName> changed) {
        for (ServicePortName name : changed) {
            ServicePort service = snapshot.services().get(name);
            int now = service == null || service.clusterIps(family).isEmpty()
                    ? 0
                    : snapshot.endpoints(name, family).size();
            Integer before = now == 0 ? counts.remove(name) : counts.put(name, now);
            total += now - (before == null ? 0 : before);
        }
    }

    /** Whether the rules of endpoints have no comments. A change rewrites all these rules, so the two limits differ. */
    public boolean isLarge() {
        large = total > (large ? NO_LONGER_LARGE_ENDPOINTS : RuleContext.LARGE_CLUSTER_ENDPOINTS);
        return large;
    }
}
