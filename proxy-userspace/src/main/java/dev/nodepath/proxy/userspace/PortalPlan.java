package dev.nodepath.proxy.userspace;

import dev.nodepath.endpoints.EndpointSelection;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.IpAddress;
import dev.nodepath.linux.IpFamily;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What this mode serves of a snapshot: the TCP ports and IPv4 addresses, each address and port by one owner, the first in
 * name order, as kube-proxy's userspace mode lets one Service claim them.
 *
 * @param portals in name order
 * @param unserved why a service port is left out, wholly or in part
 */
record PortalPlan(List<Portal> portals, SortedMap<ServicePortName, String> unserved) {

    static final PortalPlan EMPTY = of(ServiceSnapshot.EMPTY);

    /** Copies the collections. */
    PortalPlan {
        portals = List.copyOf(portals);
        unserved = Collections.unmodifiableSortedMap(new TreeMap<>(unserved));
    }

    static PortalPlan of(ServiceSnapshot snapshot) {
        return new Builder(snapshot).build();
    }

    private static final class Builder {
        private final ServiceSnapshot snapshot;
        private final Map<Destination, ServicePortName> owners = new HashMap<>();
        private final Map<Integer, ServicePortName> nodePortOwners = new HashMap<>();
        private final List<Portal> portals = new ArrayList<>();
        private final SortedMap<ServicePortName, String> unserved = new TreeMap<>();

        Builder(ServiceSnapshot snapshot) {
            this.snapshot = snapshot;
        }

        PortalPlan build() {
            snapshot.services().values().forEach(this::add);
            return new PortalPlan(portals, unserved);
        }

        private void add(ServicePort service) {
            ServicePortName name = service.name();
            if (name.protocol() != Protocol.TCP) {
                unserved.put(name, "protocol: " + name.protocol() + " (expected: TCP)");
                return;
            }
            List<IpAddress> ipv6 = service.clusterIps(IpFamily.IPV6);
            if (!ipv6.isEmpty()) {
                unserved.put(name, "clusterIPs: " + ipv6.get(0) + " (expected: IPv4)");
            }
            if (service.clusterIps(IpFamily.IPV4).isEmpty()) {
                return;
            }
            portals.add(new Portal(
                    name,
                    claimAddresses(service),
                    claimNodePort(service),
                    EndpointSelection.clusterEndpoints(snapshot, name, IpFamily.IPV4)));
        }

        private List<Destination> claimAddresses(ServicePort service) {
            Set<Destination> wanted = new LinkedHashSet<>();
            service.clusterIps(IpFamily.IPV4).forEach(ip -> wanted.add(new Destination(ip, service.port())));
            service.externalIps(IpFamily.IPV4).forEach(ip -> wanted.add(new Destination(ip, service.port())));
            service.loadBalancerIps(IpFamily.IPV4).forEach(ip -> wanted.add(new Destination(ip, service.port())));
            wanted.removeIf(destination -> isTaken(owners, destination, service.name(), destination.toString()));
            return List.copyOf(wanted);
        }

        private int claimNodePort(ServicePort service) {
            int nodePort = service.nodePort();
            return nodePort != 0 && !isTaken(nodePortOwners, nodePort, service.name(), "nodePort: " + nodePort)
                    ? nodePort
                    : 0;
        }

        private <K> boolean isTaken(Map<K, ServicePortName> owners, K claim, ServicePortName name, String text) {
            ServicePortName owner = owners.putIfAbsent(claim, name);
            if (owner != null) {
                unserved.put(name, text + " (taken by " + owner + ")");
            }
            return owner != null;
        }
    }
}
