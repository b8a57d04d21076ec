package dev.nodepath.proxy.iptables;

import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.iptables.Match;
import dev.nodepath.linux.iptables.Match.Comment;
import dev.nodepath.linux.iptables.Rule;
import dev.nodepath.linux.iptables.Target;
import dev.nodepath.linux.iptables.Target.Jump;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The nat chains of one service port: the balancing chain of each traffic policy, one chain for each endpoint, and the
 * chains for external traffic.
 */
final class ServiceChains {
    private static final Jump MASQUERADE = new Jump(Chains.MARK_MASQ);
    private static final Match SOURCE_LOCAL = new Match.SourceLocal();

    private final RuleContext context;
    private final ServicePlan plan;
    private final ServicePort service;
    private final ChainNames chains;
    private final Match protocol;
    /** Shared by all rules with this mark. */
    private final Comment name;

    /** The jump to the chain of each endpoint, shared by all balancing chains. */
    private final IdentityHashMap<Endpoint, Jump> jumps;

    ServiceChains(RuleContext context, ServicePlan plan) {
        this.context = context;
        this.plan = plan;
        this.service = plan.service();
        this.chains = plan.chains();
        this.protocol = plan.protocol();
        this.name = new Comment(service.name().toString());
        List<Endpoint> reachable = plan.endpoints().reachable();
        this.jumps = new IdentityHashMap<>(reachable.size());
        reachable.forEach(endpoint -> jumps.put(endpoint, new Jump(chains.endpoint(endpoint))));
    }

    /** Adds the chains by name. */
    void addTo(Map<String, List<Rule>> nat) {
        List<Endpoint> cluster = plan.endpoints().cluster();
        List<Endpoint> local = plan.endpoints().local();
        if (!cluster.isEmpty()) {
            nat.put(chains.cluster(), choice(chains.cluster(), cluster));
        }
        if (!local.isEmpty()) {
            nat.put(chains.local(), choice(chains.local(), local));
        }
        for (Endpoint endpoint : plan.endpoints().reachable()) {
            nat.put(jump(endpoint).chain(), endpoint(endpoint));
        }
        if (plan.reach().forwardsExternal()) {
            nat.put(chains.external(), service.externalPolicyLocal() ? fromOutsideToLocal() : fromOutside());
        }
        if (plan.hasFirewall()) {
            nat.put(chains.firewall(), firewall());
        }
    }

    private List<Rule> choice(String chain, List<Endpoint> endpoints) {
        List<Rule> rules = new ArrayList<>(endpoints.size() + 1);
        if (chain.equals(plan.internalChain())) {
            service.clusterIps(plan.family()).forEach(ip -> addMasquerade(ip, rules));
        }
        if (service.policy().affinitySeconds() != 0) {
            endpoints.forEach(endpoint -> rules.add(remembered(endpoint)));
        }
        for (int i = 0; i < endpoints.size(); i++) {
            rules.add(choose(endpoints.get(i), endpoints.size() - i));
        }
        return List.copyOf(rules);
    }

    /** Answers to a client that is no pod must pass this node. */
    private void addMasquerade(IpAddress clusterIp, List<Rule> rules) {
        List<Match> matches = new ArrayList<>();
        matches.add(new Comment(service.name() + " cluster IP"));
        matches.add(protocol);
        matches.add(new Match.Destination(Cidr.single(clusterIp), false));
        matches.add(new Match.DestinationPort(service.port()));
        if (!context.config().common().masqueradeAll()) {
            if (context.notFromPod().isEmpty()) {
                return;
            }
            matches.add(context.notFromPod().get());
        }
        rules.add(new Rule(matches, MASQUERADE));
    }

    /** Session affinity: a client goes to the endpoint that it used before, until the timeout. */
    private Rule remembered(Endpoint endpoint) {
        int seconds = service.policy().affinitySeconds();
        return leadingTo(endpoint, new Match.RecentlySeen(jump(endpoint).chain(), seconds));
    }

    /** Matches one of {@code left} packets that reach the rule, so that all endpoints get the same share. */
    private Rule choose(Endpoint endpoint, int left) {
        return left > 1 ? leadingTo(endpoint, Match.Probability.oneOf(left)) : leadingTo(endpoint);
    }

    private List<Rule> endpoint(Endpoint endpoint) {
        // A pod that connects to itself must not see its own address as source: the answer would not pass this node.
        Rule hairpin = named(MASQUERADE, new Match.Source(Cidr.single(endpoint.address()), false));
        Target pod = new Target.Dnat(endpoint.address(), endpoint.port());
        return List.of(
                hairpin,
                service.policy().affinitySeconds() == 0
                        ? named(pod, protocol)
                        : named(pod, new Match.RememberSource(jump(endpoint).chain()), protocol));
    }

    /** An endpoint on another node would answer the client directly, so it must not see the client. */
    private List<Rule> fromOutside() {
        return List.of(
                Rule.of(MASQUERADE, external("masquerade traffic for ")),
                Rule.of(new Jump(plan.externalPolicyChain())));
    }

    /**
     * Endpoints on this node may see the client. Traffic of this node and its pods may go to all endpoints of the
     * cluster, like traffic that reaches any node from outside.
     */
    private List<Rule> fromOutsideToLocal() {
        Jump toCluster = new Jump(chains.cluster());
        List<Rule> rules = new ArrayList<>();
        context.fromPod().ifPresent(fromPod -> rules.add(Rule.of(toCluster, external("pod traffic for "), fromPod)));
        rules.add(Rule.of(MASQUERADE, external("masquerade LOCAL traffic for "), SOURCE_LOCAL));
        rules.add(Rule.of(toCluster, external("route LOCAL traffic for "), SOURCE_LOCAL));
        if (plan.reach().acceptsExternal()) {
            rules.add(Rule.of(new Jump(plan.externalPolicyChain())));
        }
        return List.copyOf(rules);
    }

    private Comment external(String what) {
        return new Comment(what + service.name() + " external destinations");
    }

    /** Packets at the end of the chain are not translated, so filter drops them. */
    private List<Rule> firewall() {
        Comment comment = new Comment(service.name() + " loadbalancer IP");
        Jump accepted = new Jump(chains.external());
        List<Cidr> ranges = service.sourceRanges(plan.family());
        List<Rule> rules = new ArrayList<>();
        ranges.forEach(range -> rules.add(Rule.of(accepted, comment, new Match.Source(range, false))));
        if (ranges.stream().anyMatch(range -> NodeInfo.isIn(range, context.node()))) {
            // If the balancer's address is on this host, the host's own packets to it have it as their source.
            for (IpAddress ip : plan.loadBalancerIps()) {
                rules.add(Rule.of(accepted, comment, new Match.Source(Cidr.single(ip), false)));
            }
        }
        rules.add(Rule.of(
                new Target.Nothing(),
                new Comment("other traffic to " + service.name() + " will be dropped by " + Chains.PROXY_FIREWALL)));
        return List.copyOf(rules);
    }

    private Jump jump(Endpoint endpoint) {
        return Objects.requireNonNull(jumps.get(endpoint), "endpoint is not reachable");
    }

    /** A rule that jumps to an endpoint. Its comment names Service and endpoint. A large cluster has no comments. */
    private Rule leadingTo(Endpoint endpoint, Match... matches) {
        Jump jump = jump(endpoint);
        return context.largeCluster()
                ? Rule.of(jump, matches)
                : remarked(new Comment(name.text() + " -> " + endpoint.hostAndPort()), jump, matches);
    }

    /** A rule in an endpoint's chain. Its comment names the Service. A large cluster has no comments. */
    private Rule named(Target target, Match... matches) {
        return context.largeCluster() ? Rule.of(target, matches) : remarked(name, target, matches);
    }

    private static Rule remarked(Comment remark, Target target, Match... matches) {
        List<Match> all = new ArrayList<>(matches.length + 1);
        all.add(remark);
        all.addAll(List.of(matches));
        return new Rule(all, target);
    }
}
