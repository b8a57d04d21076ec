package dev.nodepath.proxy.iptables.conntrack;

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
 * Tells which tracked flows of one protocol and family go where the rules would not lead them any more. The kernel asks the
 * rules only about the first packet of a flow, and a UDP flow that goes on never has another first packet.
 *
 * <p>A flow is told by where it was sent, an address and port of a Service, and by who answers. Flows to anything else are
 * never stale, nor are those of an endpoint that still serves, though it takes no new connections: a Service's traffic
 * policies decide about new flows alone.
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
     * What is stale once a snapshot is in force.
     *
     * @param before in force when flows were last looked at: it knows the Services that are gone
     * @param nodePortHosts the addresses that serve node ports, besides loopback
     * @param protocol UDP; or TCP, of which only flows to endpoints that have gone altogether are stale
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

    /** Whether the rules would lead the flow elsewhere, or nowhere. */
    boolean isStale(ConntrackFlow flow) {
        boolean translated = flow.isDestinationTranslated();
        Target answering = new Target(flow.reply().source(), flow.reply().sourcePort());
        Set<Target> rightful = current.backends(flow);
        if (rightful != null) {
            // What nobody translated may be the view of another program, which tracks it in a zone of its own.
            boolean ours = translated || (protocol == Protocol.UDP && flow.isInDefaultZone());
            return ours && !rightful.contains(answering);
        }
        Set<Target> left = former.backends(flow);
        return left != null && translated && left.contains(answering) && !lives(answering);
    }

    /** A TCP connection may outlive its Service's address, but not its endpoint; one that another Service has still is there. */
    private boolean lives(Target endpoint) {
        return protocol == Protocol.TCP && current.endpoints.contains(endpoint);
    }

    private record Target(IpAddress address, int port) {}

    /** By where flows are sent: who may answer. */
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

        /** Two Services may claim one address and port; the answers of both are right then. */
        private void put(IpAddress address, int port, Set<Target> backends) {
            addresses
                    .computeIfAbsent(new Target(address, port), target -> new HashSet<>())
                    .addAll(backends);
        }

        boolean isEmpty() {
            return addresses.isEmpty() && nodePorts.isEmpty();
        }

        /** Who may answer; null if the flow was not sent to a Service. */
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
