package dev.nodepath.proxy.userspace;

import dev.nodepath.endpoints.EndpointSelection;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.SelectedEndpoints;
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
import java.util.stream.Stream;

/**
 * What this mode serves of a snapshot: the TCP ports and IPv4 addresses, each address and port by one owner, the
 * first in name order, as kube-proxy's userspace mode lets one Service claim them.
 *
 * @param portals in name order
 * @param unserved why a service port is left out, wholly or in part
 */
record PortalPlan(List<Portal> portals, SortedMap<ServicePortName, String> unserved) {

    static final PortalPlan EMPTY = of(ServiceSnapshot.EMPTY, "");

    /** Copies the collections. */
    PortalPlan {
        portals = List.copyOf(portals);
        unserved = Collections.unmodifiableSortedMap(new TreeMap<>(unserved));
    }

    static PortalPlan of(ServiceSnapshot snapshot, String node) {
        return new Builder(snapshot, node).build();
    }

    private static final class Builder {
        private final ServiceSnapshot snapshot;
        private final String node;
        private final Map<Destination, ServicePortName> owners = new HashMap<>();
        private final Map<Integer, ServicePortName> nodePortOwners = new HashMap<>();
        private final List<Portal> portals = new ArrayList<>();
        private final SortedMap<ServicePortName, String> unserved = new TreeMap<>();

        Builder(ServiceSnapshot snapshot, String node) {
            this.snapshot = snapshot;
            this.node = node;
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
            addPortals(service, EndpointSelection.select(snapshot, service, IpFamily.IPV4, node));
        }

        private void addPortals(ServicePort service, SelectedEndpoints selected) {
            List<Destination> clusterIps = claim(service, service.clusterIps(IpFamily.IPV4));
            List<Destination> externals = claim(
                    service,
                    Stream.of(service.externalIps(IpFamily.IPV4), service.loadBalancerIps(IpFamily.IPV4))
                            .flatMap(List::stream)
                            .toList());
            int nodePort = claimNodePort(service);
            Portal.Key key = new Portal.Key(service.name(), false);
            if (!service.internalPolicyLocal()) {
                List<Destination> all = new ArrayList<>(clusterIps);
                all.addAll(externals);
                portals.add(new Portal(key, all, nodePort, selected.cluster()));
                return;
            }
            portals.add(new Portal(key, clusterIps, 0, selected.local()));
            if (nodePort != 0 || !externals.isEmpty()) {
                portals.add(new Portal(new Portal.Key(service.name(), true), externals, nodePort, selected.cluster()));
            }
        }

        private List<Destination> claim(ServicePort service, List<IpAddress> ips) {
            Set<Destination> wanted = new LinkedHashSet<>();
            ips.forEach(ip -> wanted.add(new Destination(ip, service.port())));
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
            if (owner != null && !owner.equals(name)) {
                unserved.put(name, text + " (taken by " + owner + ")");
            }
            return owner != null;
        }
    }
}
