package dev.nodepath.agent.metrics;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceSnapshot;
import java.util.Collection;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;

/**
 * How many Services differ between two snapshots.
 *
 * @param services in themselves
 * @param endpoints in their endpoints
 */
record SnapshotChanges(int services, int endpoints) {
    static final SnapshotChanges NONE = new SnapshotChanges(0, 0);

    static SnapshotChanges between(
            ServiceSnapshot before, ServiceSnapshot now, Collection<ServicePortName> candidates) {
        Set<NamespacedName> services = new HashSet<>();
        Set<NamespacedName> endpoints = new HashSet<>();
        for (ServicePortName name : candidates) {
            if (!Objects.equals(before.services().get(name), now.services().get(name))) {
                services.add(name.service());
            }
            if (!Objects.equals(before.endpoints().get(name), now.endpoints().get(name))) {
                endpoints.add(name.service());
            }
        }
        return new SnapshotChanges(services.size(), endpoints.size());
    }
}
