package dev.nodepath.agent.metrics;

import dev.nodepath.endpoints.EndpointSelection;
import dev.nodepath.endpoints.SelectedEndpoints;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.IpFamily;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import java.util.List;

/** Counts service ports with endpoints, but without any that their policy Local allows on this node. */
final class LocalEndpoints {
    private LocalEndpoints() {}

    /** Sets the number of them, by family and kind of traffic. */
    static void report(
            ServiceSnapshot snapshot, List<IpFamily> families, String node, GaugeWithCallback.Callback callback) {
        for (IpFamily family : families) {
            callback.call((double) count(snapshot, family, node, true), family.toString(), "internal");
            callback.call((double) count(snapshot, family, node, false), family.toString(), "external");
        }
    }

    private static long count(ServiceSnapshot snapshot, IpFamily family, String node, boolean internal) {
        return snapshot.services().values().stream()
                .filter(service -> !service.clusterIps(family).isEmpty() && isLocal(service, family, internal))
                .map(service -> EndpointSelection.select(snapshot, service, family, node))
                .filter(LocalEndpoints::hasOnlyRemote)
                .count();
    }

    private static boolean isLocal(ServicePort service, IpFamily family, boolean internal) {
        return internal
                ? service.internalPolicyLocal()
                : service.externalPolicyLocal() && service.externallyAccessible(family);
    }

    private static boolean hasOnlyRemote(SelectedEndpoints endpoints) {
        return endpoints.anywhere() && endpoints.local().isEmpty();
    }
}
