package dev.nodepath.proxy.iptables;

import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.linux.Cidr;
import dev.nodepath.linux.IpAddress;
import dev.nodepath.linux.IpFamily;
import dev.nodepath.linux.iptables.Match;
import dev.nodepath.linux.iptables.Match.Comment;
import dev.nodepath.linux.iptables.Rule;
import dev.nodepath.linux.iptables.Target;
import dev.nodepath.linux.iptables.Target.Jump;
import dev.nodepath.linux.iptables.Target.Verdict;
import java.util.ArrayList;
import java.util.List;

/**
 * The rules that recognise a service port by an address and port of its own: in nat they lead to its chains; without
 * endpoints they stand in filter and refuse.
 */
final class ServiceFrontends {
    private final ServicePort service;
    private final IpFamily family;
    private final Match protocol;
    private final Match port;

    ServiceFrontends(ServicePort service, IpFamily family) {
        this.service = service;
        this.family = family;
        this.protocol = new Match.Protocol(service.protocol().lowerCase());
        this.port = new Match.DestinationPort(service.port());
    }

    /** Whether anything but a cluster IP leads here. */
    boolean external() {
        return service.nodePort() != 0
                || !service.externalIps(family).isEmpty()
                || !service.loadBalancerIps(family).isEmpty();
    }

    /** For nat's {@link Chains#SERVICES}. */
    List<Rule> addresses(ChainNames chains) {
        List<Rule> rules = new ArrayList<>();
        for (IpAddress ip : service.clusterIps(family)) {
            rules.add(toAddress(ip, " cluster IP", new Jump(chains.service())));
        }
        for (IpAddress ip : service.externalIps(family)) {
            rules.add(toAddress(ip, " external IP", new Jump(chains.external())));
        }
        for (IpAddress ip : service.loadBalancerIps(family)) {
            rules.add(toAddress(ip, " loadbalancer IP", new Jump(chains.external())));
        }
        return rules;
    }

    /** For nat's {@link Chains#NODE_PORTS}. */
    List<Rule> nodePort(ChainNames chains) {
        if (service.nodePort() == 0) {
            return List.of();
        }
        return List.of(Rule.of(
                new Jump(chains.external()),
                new Comment(service.name().toString()),
                protocol,
                new Match.DestinationPort(service.nodePort())));
    }

    /** For filter's {@link Chains#SERVICES}. */
    List<Rule> refusedClusterIps() {
        List<Rule> rules = new ArrayList<>();
        for (IpAddress ip : service.clusterIps(family)) {
            rules.add(refused(ip));
        }
        return rules;
    }

    /** For filter's {@link Chains#EXTERNAL_SERVICES}. */
    List<Rule> refusedExternals() {
        List<Rule> rules = new ArrayList<>();
        service.externalIps(family).forEach(ip -> rules.add(refused(ip)));
        service.loadBalancerIps(family).forEach(ip -> rules.add(refused(ip)));
        if (service.nodePort() != 0) {
            rules.add(Rule.of(
                    Verdict.REJECT,
                    new Comment(service.name() + " has no endpoints"),
                    new Match.DestinationLocal(),
                    protocol,
                    new Match.DestinationPort(service.nodePort())));
        }
        return rules;
    }

    private Rule refused(IpAddress ip) {
        return toAddress(ip, " has no endpoints", Verdict.REJECT);
    }

    private Rule toAddress(IpAddress ip, String remark, Target target) {
        return Rule.of(
                target,
                new Comment(service.name() + remark),
                protocol,
                new Match.Destination(Cidr.single(ip), false),
                port);
    }
}
