package dev.nodepath.endpoints.sync;

import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.ConntrackFlow;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds tracked flows of one protocol and family that no longer match the rules. nat rules see only the first packet of
 * a flow, so a running UDP flow would never meet new rules.
 *
 * <p>It compares a flow's original destination, an address and port of a Service, with the endpoint that answers. Other
 * flows are never stale. A flow to an endpoint that still serves is not stale either, even if the endpoint takes no new
 * connections: traffic policies apply to new flows only.
 */
final class StaleFlows {
    private final Protocol protocol;
    private final Frontends current;
    private final Frontends former;

    private StaleFlows(Protocol protocol, IpFamily family, Set<IpAddress> nodePortHosts) {
        this.protocol = protocol;
        this.current = new Frontends(protocol, family, nodePortHosts);
        this.former = new Frontends(protocol, family, nodePortHosts);
    }

    /**
     * Finds the flows that are stale under a new snapshot.
     *
     * @param before the snapshot of the last run. It knows the removed Services.
     * @param nodePortHosts the addresses that serve node ports, besides loopback
     * @param protocol UDP or TCP. With TCP only flows to removed endpoints are stale.
     */
    static StaleFlows of(
            ServiceSnapshot before,
            ServiceSnapshot now,
            Set<IpAddress> nodePortHosts,
            Protocol protocol,
            IpFamily family) {
        StaleFlows flows = new StaleFlows(protocol, family, nodePortHosts);
        boolean serving = protocol == Protocol.UDP;
        now.services().values().forEach(service -> flows.current.add(service, now, serving));
        before.services().values().stream()
                .filter(service -> !service.equals(now.services().get(service.name())))
                .forEach(service -> flows.former.add(service, before, false));
        return flows;
    }

    /** Whether nothing can be stale: no Service has or had this protocol and family. */
    boolean isNone() {
        return current.isEmpty() && former.isEmpty();
    }

    /** Whether the rules would now send the flow to another destination, or refuse it. */
    boolean isStale(ConntrackFlow flow) {
        boolean translated = flow.isDestinationTranslated();
        Target answering = new Target(flow.reply().source(), flow.reply().sourcePort());
        Set<Target> rightful = current.backends(flow);
        if (rightful != null) {
            // An untranslated flow may belong to another program that tracks it in its own zone.
            boolean ours = translated || (protocol == Protocol.UDP && flow.isInDefaultZone());
            return ours && !rightful.contains(answering);
        }
        Set<Target> left = former.backends(flow);
        return left != null && translated && left.contains(answering) && !lives(answering);
    }

    /**
     * A TCP connection may outlive its Service's address, but not its endpoint. The endpoint may still serve another
     * Service.
     */
    private boolean lives(Target endpoint) {
        return protocol == Protocol.TCP && current.endpoints.contains(endpoint);
    }

    private record Target(IpAddress address, int port) {}

    /** The valid endpoints by the destination of flows. */
    private static final class Frontends {
        private final Protocol protocol;
        private final IpFamily family;
        private final Set<IpAddress> nodePortHosts;
        private final Map<Target, Set<Target>> addresses = new HashMap<>();
        private final Map<Integer, Set<Target>> nodePorts = new HashMap<>();
        private final Set<Target> endpoints = new HashSet<>();

        Frontends(Protocol protocol, IpFamily family, Set<IpAddress> nodePortHosts) {
            this.protocol = protocol;
            this.family = family;
            this.nodePortHosts = nodePortHosts;
        }

        void add(ServicePort service, ServiceSnapshot snapshot, boolean serving) {
            if (service.protocol() != protocol || service.clusterIps(family).isEmpty()) {
                return;
            }
            Set<Target> backends = new HashSet<>();
            for (Endpoint endpoint : snapshot.endpoints(service.name(), family)) {
                if (!serving || endpoint.ready() || endpoint.serving()) {
                    backends.add(new Target(endpoint.address(), endpoint.port()));
                }
            }
            endpoints.addAll(backends);
            service.clusterIps(family).forEach(ip -> put(ip, service.port(), backends));
            service.externalIps(family).forEach(ip -> put(ip, service.port(), backends));
            service.loadBalancerIps(family).forEach(ip -> put(ip, service.port(), backends));
            if (service.nodePort() != 0) {
                nodePorts
                        .computeIfAbsent(service.nodePort(), port -> new HashSet<>())
                        .addAll(backends);
            }
        }

        /** Two Services may claim one address and port. The endpoints of both are valid then. */
        private void put(IpAddress address, int port, Set<Target> backends) {
            addresses
                    .computeIfAbsent(new Target(address, port), target -> new HashSet<>())
                    .addAll(backends);
        }

        boolean isEmpty() {
            return addresses.isEmpty() && nodePorts.isEmpty();
        }

        /** The valid endpoints of the flow; null if it was not sent to a Service. */
        @Nullable
        Set<Target> backends(ConntrackFlow flow) {
            IpAddress to = flow.original().destination();
            int port = flow.original().destinationPort();
            Set<Target> backends = addresses.get(new Target(to, port));
            boolean here = backends == null && (to.isLoopback() || nodePortHosts.contains(to));
            return here ? nodePorts.get(port) : backends;
        }
    }
}
