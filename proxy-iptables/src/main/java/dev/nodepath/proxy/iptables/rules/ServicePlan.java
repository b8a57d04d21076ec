package dev.nodepath.proxy.iptables.rules;

import dev.nodepath.endpoints.SelectedEndpoints;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.rule.Match;
import dev.nodepath.linux.iptables.rule.Target.Verdict;
import java.util.List;

/**
 * The chains that a service port needs in one family, and the chain for each kind of traffic. Traffic to cluster IPs is
 * internal; traffic to external IPs, load balancer IPs and node ports is external, wherever it comes from.
 */
final class ServicePlan {
    private final ServicePort service;
    private final IpFamily family;
    private final SelectedEndpoints endpoints;
    private final ChainNames chains;
    private final List<IpAddress> loadBalancerIps;
    private final boolean external;

    ServicePlan(ServicePort service, IpFamily family, SelectedEndpoints endpoints) {
        this.service = service;
        this.family = family;
        this.endpoints = endpoints;
        this.chains = ChainNames.of(service.name());
        this.loadBalancerIps = service.loadBalancerIps(family);
        this.external = service.externallyAccessible(family);
    }

    ServicePort service() {
        return service;
    }

    IpFamily family() {
        return family;
    }

    SelectedEndpoints endpoints() {
        return endpoints;
    }

    ChainNames chains() {
        return chains;
    }

    List<IpAddress> loadBalancerIps() {
        return loadBalancerIps;
    }

    Match protocol() {
        return new Match.Protocol(service.protocol().lowerCase());
    }

    /** Whether there is an endpoint for internal traffic on this node. */
    boolean acceptsInternal() {
        return endpoints.anywhere()
                && !(service.internalPolicyLocal() && endpoints.local().isEmpty());
    }

    /** Whether there is an endpoint on this node for external traffic that comes from outside. */
    boolean acceptsExternal() {
        return endpoints.anywhere()
                && !(service.externalPolicyLocal() && endpoints.local().isEmpty());
    }

    /**
     * Whether external traffic is forwarded. Traffic of this node and its pods is forwarded even if other traffic is
     * not.
     */
    boolean leadsExternal() {
        return external && endpoints.anywhere();
    }

    /** Whether source ranges restrict the load balancer IPs. */
    boolean hasFirewall() {
        return endpoints.anywhere()
                && !loadBalancerIps.isEmpty()
                && !service.sourceRanges(family).isEmpty();
    }

    /** The chain for internal traffic. */
    String internalChain() {
        return service.internalPolicyLocal() ? chains.local() : chains.cluster();
    }

    /** The last chain for external traffic from outside the cluster. */
    String externalPolicyChain() {
        return service.externalPolicyLocal() ? chains.local() : chains.cluster();
    }

    /** The first chain for traffic to a load balancer IP. */
    String loadBalancerChain() {
        return hasFirewall() ? chains.firewall() : chains.external();
    }

    /** The verdict for traffic that is not accepted: REJECT if no node can serve it, DROP if another node can. */
    Verdict refusal() {
        return endpoints.anywhere() ? Verdict.DROP : Verdict.REJECT;
    }

    /** The comment of such a rule. */
    String refusalReason() {
        return service.name() + (endpoints.anywhere() ? " has no local endpoints" : " has no endpoints");
    }
}
