package dev.nodepath.bench.programming;

import dev.nodepath.bench.testbed.GeneratedClusters;
import dev.nodepath.endpoints.EndpointSlice;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.Service;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.SnapshotTracker;
import dev.nodepath.endpoints.SnapshotTracker.Update;
import dev.nodepath.linux.address.IpAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Services with the same number of endpoints each, as a watcher keeps them, and their changes. */
final class ChangingCluster {
    private static final IpAddress CLUSTER_IP = IpAddress.parse("172.30.0.1");
    private static final IpAddress POD = IpAddress.parse("10.0.0.1");
    private static final IpAddress OTHER_PODS = IpAddress.parse("10.200.0.1");

    private final SnapshotTracker tracker = new SnapshotTracker();
    private final int endpoints;

    /** So many Services, numbered from 0. */
    ChangingCluster(int services, int endpoints) {
        this.endpoints = endpoints;
        for (int i = 0; i < services; i++) {
            put(i);
        }
    }

    /** Adds a Service and its slice. */
    void put(int service) {
        ServicePortName name = GeneratedClusters.name(service);
        ServicePort port = new ServicePort(name, List.of(CLUSTER_IP.plus(service)), 80, 0, List.of(), List.of());
        tracker.put(new Service(name.service(), List.of(port)));
        putSlice(service, -1);
    }

    /** Replaces the last endpoint of a Service; a negative version restores the first one. */
    void putSlice(int service, int version) {
        List<EndpointSlice.Address> addresses = new ArrayList<>();
        for (int i = 0; i < endpoints; i++) {
            boolean replaced = version >= 0 && i == endpoints - 1;
            IpAddress ip = replaced
                    ? OTHER_PODS.plus((long) service * 2 + version % 2)
                    : POD.plus((long) service * endpoints + i);
            addresses.add(new EndpointSlice.Address(ip, "n1", true, true, false));
        }
        tracker.put(new EndpointSlice(
                slice(service),
                GeneratedClusters.name(service).service(),
                List.of(new EndpointSlice.Port("http", Protocol.TCP, 8080)),
                addresses,
                Optional.empty()));
    }

    /** Removes a Service and its slice. */
    void remove(int service) {
        tracker.removeService(GeneratedClusters.name(service).service());
        tracker.removeSlice(slice(service));
    }

    /** The present snapshot and the changes since the last call. */
    Update commit() {
        return tracker.commit();
    }

    private static NamespacedName slice(int service) {
        return new NamespacedName("default", "service-" + service + "-1");
    }
}
