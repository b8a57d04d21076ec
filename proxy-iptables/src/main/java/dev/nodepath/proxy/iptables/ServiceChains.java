package dev.nodepath.proxy.iptables;

import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.linux.Cidr;
import dev.nodepath.linux.IpAddress;
import dev.nodepath.linux.IpFamily;
import dev.nodepath.linux.iptables.Match;
import dev.nodepath.linux.iptables.Match.Comment;
import dev.nodepath.linux.iptables.Rule;
import dev.nodepath.linux.iptables.Target;
import dev.nodepath.linux.iptables.Target.Jump;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The chains in nat of one service port that has endpoints: the choice among them, one for each, and the way in from
 * outside.
 */
final class ServiceChains {
    private static final Jump MASQUERADE = new Jump(Chains.MARK_MASQ);

    private final IptablesConfig config;
    private final IpFamily family;
    private final ServicePort service;
    private final ChainNames chains;
    private final List<Endpoint> endpoints;

    ServiceChains(
            IptablesConfig config, IpFamily family, ServicePort service, ChainNames chains, List<Endpoint> endpoints) {
        this.config = config;
        this.family = family;
        this.service = service;
        this.chains = chains;
        this.endpoints = endpoints;
    }

    /** Adds the chains by name. */
    void addTo(Map<String, List<Rule>> nat, boolean external) {
        List<String> endpointChains = endpoints.stream().map(chains::endpoint).toList();
        List<Rule> choice = new ArrayList<>(endpoints.size() + 1);
        service.clusterIps(family).forEach(ip -> addMasquerade(ip, choice));
        for (int i = 0; i < endpoints.size(); i++) {
            choice.add(choose(i, endpointChains.get(i)));
            nat.put(endpointChains.get(i), endpoint(endpoints.get(i)));
        }
        nat.put(chains.service(), List.copyOf(choice));
        if (external) {
            nat.put(chains.external(), fromOutside());
        }
    }

    /** A client that is no pod must see the answer come back through this node. */
    private void addMasquerade(IpAddress clusterIp, List<Rule> choice) {
        List<Match> matches = new ArrayList<>();
        matches.add(new Comment(service.name() + " cluster IP"));
        matches.add(protocol());
        matches.add(new Match.Destination(Cidr.single(clusterIp), false));
        matches.add(new Match.DestinationPort(service.port()));
        if (!config.masqueradeAll()) {
            if (config.clusterCidr(family).isEmpty()) {
                return;
            }
            matches.add(new Match.Source(config.clusterCidr(family).get(), true));
        }
        choice.add(new Rule(matches, MASQUERADE));
    }

    /** Rule i of n takes one in n-i of what the rules before it have left, so that all take the same share. */
    private Rule choose(int index, String endpointChain) {
        Match comment =
                new Comment(service.name() + " -> " + endpoints.get(index).hostAndPort());
        int left = endpoints.size() - index;
        return left == 1
                ? Rule.of(new Jump(endpointChain), comment)
                : Rule.of(new Jump(endpointChain), comment, Match.Probability.oneOf(left));
    }

    private List<Rule> endpoint(Endpoint endpoint) {
        Match comment = new Comment(service.name().toString());
        return List.of(
                // A pod that is sent to itself must not see its own address as the source: it would answer past us.
                Rule.of(MASQUERADE, comment, new Match.Source(Cidr.single(endpoint.address()), false)),
                Rule.of(new Target.Dnat(endpoint.address(), endpoint.port()), comment, protocol()));
    }

    private List<Rule> fromOutside() {
        return List.of(
                Rule.of(MASQUERADE, new Comment("masquerade traffic for " + service.name() + " external destinations")),
                Rule.of(new Jump(chains.service())));
    }

    private Match protocol() {
        return new Match.Protocol(service.protocol().lowerCase());
    }
}
