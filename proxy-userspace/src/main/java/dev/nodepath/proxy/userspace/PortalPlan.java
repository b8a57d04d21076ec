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
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What this mode serves of a snapshot in one family: each address and port by one owner, the first in name order, as
 * kube-proxy's userspace mode lets one Service claim them.
 *
 * @param portals in name order
 * @param unserved why a service port is left out, wholly or in part
 */
record PortalPlan(List<Portal> portals, SortedMap<ServicePortName, String> unserved) {

    /** Copies the collections. */
    PortalPlan {
        portals = List.copyOf(portals);
        unserved = Collections.unmodifiableSortedMap(new TreeMap<>(unserved));
    }

    static PortalPlan of(ServiceSnapshot snapshot, String node, IpFamily family) {
        return new Builder(snapshot, node, family).build();
    }

    private record Claim(Protocol protocol, IpAddress address, int port) {
        @Override
        public String toString() {
            return address.withPort(port);
        }
    }

    private record NodePortClaim(Protocol protocol, int port) {
        @Override
        public String toString() {
            return "nodePort: " + port;
        }
    }

    private static final class Builder {
        private final ServiceSnapshot snapshot;
        private final String node;
        private final IpFamily family;
        private final Map<Record, ServicePortName> owners = new HashMap<>();
        private final List<Portal> portals = new ArrayList<>();
        private final SortedMap<ServicePortName, String> unserved = new TreeMap<>();

        Builder(ServiceSnapshot snapshot, String node, IpFamily family) {
            this.snapshot = snapshot;
            this.node = node;
            this.family = family;
        }

        PortalPlan build() {
            snapshot.services().values().forEach(this::add);
            return new PortalPlan(portals, unserved);
        }

        private void add(ServicePort service) {
            ServicePortName name = service.name();
            if (service.clusterIps(family).isEmpty()) {
                return;
            }
            if (name.protocol() == Protocol.SCTP) {
                unserved.put(name, "protocol: " + name.protocol() + " (expected: TCP or UDP)");
                return;
            }
            Map<Way, List<IpAddress>> addresses = new EnumMap<>(Way.class);
            addresses.put(Way.CLUSTER_IP, claim(service, service.clusterIps(family)));
            addresses.put(Way.EXTERNAL, claim(service, service.externalIps(family)));
            addresses.put(Way.LOAD_BALANCER, claim(service, service.loadBalancerIps(family)));
            int nodePort = service.nodePort() != 0
                            && claims(service, new NodePortClaim(service.protocol(), service.nodePort()))
                    ? service.nodePort()
                    : 0;
            portals.add(new Portal(
                    service, family, addresses, nodePort, EndpointSelection.select(snapshot, service, family, node)));
        }

        private List<IpAddress> claim(ServicePort service, List<IpAddress> ips) {
            return ips.stream()
                    .filter(ip -> claims(service, new Claim(service.protocol(), ip, service.port())))
                    .toList();
        }

        /** An address that a service port names twice is its own already, which is no fault. */
        private boolean claims(ServicePort service, Record claim) {
            ServicePortName owner = owners.putIfAbsent(claim, service.name());
            if (owner != null && !owner.equals(service.name())) {
                unserved.put(service.name(), claim + " (taken by " + owner + ")");
            }
            return owner == null;
        }
    }
}
