package dev.nodepath.proxy.iptables;

import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.iptables.Match;
import dev.nodepath.linux.iptables.Match.Comment;
import dev.nodepath.linux.iptables.Rule;
import dev.nodepath.linux.iptables.Target;
import dev.nodepath.linux.iptables.Target.Jump;
import dev.nodepath.linux.iptables.Target.Verdict;
import java.util.ArrayList;
import java.util.List;

/**
 * The rules that match the addresses and ports of a service port. In nat they jump to its chains. In filter they refuse
 * packets that nat does not forward.
 */
final class ServiceFrontends {
    private static final Match TCP = new Match.Protocol("tcp");
    private static final Match LOCALHOST = new Match.Destination(Frame.LOOPBACK_IPV4, false);

    private final boolean countsLocalhost;
    private final ServicePlan plan;
    private final ServicePort service;
    private final Match protocol;
    private final Match port;

    ServiceFrontends(RuleContext context, ServicePlan plan) {
        this.countsLocalhost = context.countsLocalhostNodePorts();
        this.plan = plan;
        this.service = plan.service();
        this.protocol = plan.protocol();
        this.port = new Match.DestinationPort(service.port());
    }

    /** For nat's {@link Chains#SERVICES}. */
    List<Rule> addresses() {
        List<Rule> rules = new ArrayList<>();
        if (plan.reach().acceptsInternal()) {
            Comment comment = new Comment(service.name() + " cluster IP");
            service.clusterIps(plan.family()).forEach(ip -> rules.add(to(ip, comment, new Jump(plan.internalChain()))));
        }
        if (plan.reach().forwardsExternal()) {
            Comment externalIp = new Comment(service.name() + " external IP");
            Comment balancerIp = new Comment(service.name() + " loadbalancer IP");
            for (IpAddress ip : service.externalIps(plan.family())) {
                rules.add(to(ip, externalIp, new Jump(plan.chains().external())));
            }
            for (IpAddress ip : plan.loadBalancerIps()) {
                rules.add(to(ip, balancerIp, new Jump(plan.loadBalancerChain())));
            }
        }
        return rules;
    }

    /** For nat's {@link Chains#NODE_PORTS}; one more rule if connections to 127.0.0.0/8 are counted. */
    List<Rule> nodePort() {
        if (service.nodePort() == 0 || !plan.reach().forwardsExternal()) {
            return List.of();
        }
        Target external = new Jump(plan.chains().external());
        Comment comment = new Comment(service.name().toString());
        Match nodePort = new Match.DestinationPort(service.nodePort());
        Rule any = Rule.of(external, comment, protocol, nodePort);
        return countsLocalhost
                ? List.of(
                        Rule.of(
                                external,
                                comment,
                                protocol,
                                nodePort,
                                LOCALHOST,
                                CountedPackets.LOCALHOST_NODE_PORTS.match()),
                        any)
                : List.of(any);
    }

    /** For filter's {@link Chains#SERVICES}. */
    List<Rule> refusedClusterIps() {
        if (plan.reach().acceptsInternal()) {
            return List.of();
        }
        Comment reason = new Comment(plan.refusalReason());
        return service.clusterIps(plan.family()).stream()
                .map(ip -> to(ip, reason, plan.refusal()))
                .toList();
    }

    /** For filter's {@link Chains#EXTERNAL_SERVICES}. */
    List<Rule> refusedExternals() {
        if (plan.reach().acceptsExternal()) {
            return List.of();
        }
        Comment reason = new Comment(plan.refusalReason());
        List<Rule> rules = new ArrayList<>();
        service.externalIps(plan.family()).forEach(ip -> rules.add(to(ip, reason, plan.refusal())));
        plan.loadBalancerIps().forEach(ip -> rules.add(to(ip, reason, plan.refusal())));
        if (service.nodePort() != 0) {
            rules.add(Rule.of(
                    plan.refusal(),
                    reason,
                    new Match.DestinationLocal(),
                    protocol,
                    new Match.DestinationPort(service.nodePort())));
        }
        return rules;
    }

    /**
     * For filter's {@link Chains#PROXY_FIREWALL}: packets that the source ranges allow are already translated there.
     */
    List<Rule> firewalled() {
        if (!plan.hasFirewall()) {
            return List.of();
        }
        Comment comment = new Comment(
                service.name() + " traffic not accepted by " + plan.chains().firewall());
        return plan.loadBalancerIps().stream()
                .map(ip -> to(ip, comment, Verdict.DROP))
                .toList();
    }

    /** For filter's {@link Chains#NODE_PORTS}: health checks of load balancers are always accepted. */
    List<Rule> healthCheck() {
        if (service.healthCheckNodePort() == 0) {
            return List.of();
        }
        return List.of(Rule.of(
                Verdict.ACCEPT,
                new Comment(service.name() + " health check node port"),
                TCP,
                new Match.DestinationPort(service.healthCheckNodePort())));
    }

    private Rule to(IpAddress ip, Comment comment, Target target) {
        return Rule.of(target, comment, protocol, new Match.Destination(Cidr.single(ip), false), port);
    }
}
