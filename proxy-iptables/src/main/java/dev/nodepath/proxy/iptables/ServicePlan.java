package dev.nodepath.proxy.iptables;

import dev.nodepath.endpoints.SelectedEndpoints;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServiceReach;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.Match;
import dev.nodepath.linux.iptables.Target.Verdict;
import java.util.List;

/** The chains that a service port needs in one family, and the chain for each kind of traffic. */
final class ServicePlan {
    private final ServiceReach reach;
    private final ServicePort service;
    private final ChainNames chains;
    private final List<IpAddress> loadBalancerIps;

    ServicePlan(ServiceReach reach) {
        this.reach = reach;
        this.service = reach.service();
        this.chains = ChainNames.of(service.name());
        this.loadBalancerIps = service.loadBalancerIps(reach.family());
    }

    ServicePort service() {
        return service;
    }

    IpFamily family() {
        return reach.family();
    }

    SelectedEndpoints endpoints() {
        return reach.endpoints();
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

    /** Which traffic this node accepts. */
    ServiceReach reach() {
        return reach;
    }

    /** The chain for internal traffic. */
    String internalChain() {
        return service.internalPolicyLocal() ? chains.local() : chains.cluster();
    }

    /** The last chain for external traffic from outside the cluster. */
    String externalPolicyChain() {
        return service.externalPolicyLocal() ? chains.local() : chains.cluster();
    }

    /** Whether a chain lets only source ranges pass. Without endpoints all clients are rejected, so there is none. */
    boolean hasFirewall() {
        return reach.forwardsExternal() && reach.hasSourceRanges();
    }

    /** The first chain for traffic to a load balancer IP. */
    String loadBalancerChain() {
        return hasFirewall() ? chains.firewall() : chains.external();
    }

    /** The verdict for traffic that is not accepted: REJECT if no node can serve it, DROP if another node can. */
    Verdict refusal() {
        return reach.endpoints().anywhere() ? Verdict.DROP : Verdict.REJECT;
    }

    /** The comment of such a rule. */
    String refusalReason() {
        return service.name() + (reach.endpoints().anywhere() ? " has no local endpoints" : " has no endpoints");
    }
}
