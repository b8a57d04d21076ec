package dev.nodepath.proxy.iptables;

import dev.nodepath.endpoints.trace.LocalAddresses;
import dev.nodepath.endpoints.trace.Trace;
import dev.nodepath.endpoints.trace.TracedFlow;
import dev.nodepath.endpoints.trace.TracedPacket;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.iptables.Hook;
import dev.nodepath.linux.iptables.Match;
import dev.nodepath.linux.iptables.Match.ConnectionState.State;
import dev.nodepath.linux.iptables.Rule;
import dev.nodepath.linux.iptables.RuleSet;
import dev.nodepath.linux.iptables.SavedSpelling;
import dev.nodepath.linux.iptables.Table;
import dev.nodepath.linux.iptables.Target;
import dev.nodepath.linux.iptables.Target.Verdict;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Walks the first packet of a connection through a rule set as the kernel would: destination translation in nat, filter
 * on the new destination, source translation in nat. If a rule decides at random, it follows every outcome.
 *
 * <p>It is the first packet of a new connection from a source that session affinity does not know. The tracer does not
 * know the rules of other programs. A packet that matches no rule of the set is accepted.
 */
public final class PacketTracer {
    /** The kernel's own limit for nested jumps. Our rule sets need six. */
    private static final int DEPTH_MAX = 16;

    private final RuleSet rules;
    private final TracedPacket packet;
    private final LocalAddresses host;
    private final SavedSpelling spelling;
    /** The chains of each table, cached because assembling them costs time proportional to the rules. */
    private final Map<Table, Map<String, List<Rule>>> chains = new EnumMap<>(Table.class);

    private final Set<Trace.Step> steps = new LinkedHashSet<>();

    private PacketTracer(RuleSet rules, TracedPacket packet, LocalAddresses host) {
        this.rules = rules;
        this.packet = packet;
        this.host = host;
        this.spelling = new SavedSpelling(packet.destination().family());
    }

    /**
     * The way of a packet through the rules.
     *
     * @param host the addresses of this host. Loopback addresses are always included.
     */
    public static Trace trace(RuleSet rules, TracedPacket packet, Set<IpAddress> host) {
        return new PacketTracer(rules, packet, new LocalAddresses(host)).trace();
    }

    private Trace trace() {
        boolean fromHost = host.contains(packet.source());
        List<TracedFlow> flows = walk(Table.NAT, fromHost ? "OUTPUT" : "PREROUTING", List.of(TracedFlow.of(packet)));
        List<Trace.Outcome> outcomes = new ArrayList<>();
        for (TracedFlow translated : flows) {
            onward(translated, fromHost).forEach(flow -> outcomes.add(flow.outcome()));
        }
        return new Trace(packet, List.copyOf(steps), outcomes);
    }

    /** A packet from this host to itself passes OUTPUT, POSTROUTING and INPUT. */
    private List<TracedFlow> onward(TracedFlow flow, boolean fromHost) {
        boolean toHost = host.contains(flow.address());
        if (fromHost) {
            List<TracedFlow> sent = walk(Table.NAT, "POSTROUTING", walk(Table.FILTER, "OUTPUT", List.of(flow)));
            return toHost ? walk(Table.FILTER, "INPUT", sent) : sent;
        }
        return toHost
                ? walk(Table.FILTER, "INPUT", List.of(flow))
                : walk(Table.NAT, "POSTROUTING", walk(Table.FILTER, "FORWARD", List.of(flow)));
    }

    /** Walks the jumps of a built-in chain. Flows with a verdict keep it. */
    private List<TracedFlow> walk(Table table, String builtin, List<TracedFlow> flows) {
        Step at = new Step(table, builtin, 0);
        List<Rule> hooks = rules.hooks().stream()
                .filter(hook -> hook.table() == table && hook.builtin().equals(builtin))
                .map(Hook::rule)
                .toList();
        List<TracedFlow> ended = new ArrayList<>();
        List<TracedFlow> open = new ArrayList<>();
        flows.forEach(flow -> (flow.isRefused() ? ended : open).add(flow));
        List<TracedFlow> through = walk(at, hooks, open, ended);
        ended.addAll(through);
        return ended;
    }

    /** The position of a flow in the rules. */
    private record Step(Table table, String chain, int depth) {
        Step into(String next) {
            return new Step(table, next, depth + 1);
        }
    }

    /** Returns the flows that reach the end of these rules. Flows with a verdict are added to {@code ended}. */
    private List<TracedFlow> walk(Step at, List<Rule> chain, List<TracedFlow> flows, List<TracedFlow> ended) {
        if (at.depth() > DEPTH_MAX) {
            throw new IllegalArgumentException(at.chain() + ": deeper than " + DEPTH_MAX + " jumps");
        }
        List<TracedFlow> returned = new ArrayList<>();
        List<TracedFlow> current = flows;
        for (int number = 0; number < chain.size() && !current.isEmpty(); number++) {
            Rule rule = chain.get(number);
            List<TracedFlow> next = new ArrayList<>();
            for (TracedFlow flow : current) {
                double share = share(rule, flow);
                if (share < 1) {
                    next.add(flow.part(1 - share));
                }
                if (share > 0) {
                    Trace.Step step = step(at, number + 1, rule);
                    steps.add(step);
                    follow(at, rule.target(), flow.part(share).after(step), next, returned, ended);
                }
            }
            current = next;
        }
        returned.addAll(current);
        return returned;
    }

    private Trace.Step step(Step at, int number, Rule rule) {
        return new Trace.Step(
                at.table().toString(),
                at.chain(),
                at.depth(),
                number,
                rule.toString(),
                spelling.of(rule),
                RuleEffect.of(rule, rules.frame(at.table()).keySet(), chains(at.table())),
                List.of());
    }

    private Map<String, List<Rule>> chains(Table table) {
        return chains.computeIfAbsent(table, rules::chains);
    }

    private void follow(
            Step at,
            Target target,
            TracedFlow flow,
            List<TracedFlow> next,
            List<TracedFlow> returned,
            List<TracedFlow> ended) {
        if (target instanceof Target.Jump jump) {
            List<Rule> chain = chains(at.table()).getOrDefault(jump.chain(), List.of());
            next.addAll(walk(at.into(jump.chain()), chain, List.of(flow), ended));
        } else if (target == Verdict.RETURN) {
            returned.add(flow);
        } else if (target instanceof Verdict verdict) {
            ended.add(judged(flow, verdict));
        } else if (target instanceof Target.Dnat dnat) {
            ended.add(flow.translatedTo(dnat.address(), dnat.port()));
        } else if (target instanceof Target.Masquerade) {
            ended.add(flow.withNodeAsSource());
        } else if (target instanceof Target.SetMark mark) {
            next.add(flow.withMark(flow.mark() | mark.bits()));
        } else if (target instanceof Target.FlipMark mark) {
            next.add(flow.withMark(flow.mark() ^ mark.bits()));
        } else if (target instanceof Target.Nothing) {
            next.add(flow);
        } else {
            throw new IllegalArgumentException(at.chain() + ": " + target + " (expected: a target of iptables mode)");
        }
    }

    private static TracedFlow judged(TracedFlow flow, Verdict verdict) {
        return switch (verdict) {
            case DROP -> flow.withVerdict(Trace.Verdict.DROP);
            case REJECT -> flow.withVerdict(Trace.Verdict.REJECT);
            default -> flow.accepted();
        };
    }

    /** The share of such packets that the rule matches, 0 to 1. */
    private double share(Rule rule, TracedFlow flow) {
        double share = 1;
        for (Match match : rule.matches()) {
            if (match instanceof Match.Probability random) {
                share *= Double.parseDouble(random.probability());
            } else if (!holds(match, flow)) {
                return 0;
            }
        }
        return share;
    }

    private boolean holds(Match match, TracedFlow flow) {
        if (match instanceof Match.Comment || match instanceof Match.RememberSource || match instanceof Match.Counted) {
            return true;
        }
        if (match instanceof Match.Protocol protocol) {
            return protocol.name().equals(packet.protocol().lowerCase());
        }
        if (match instanceof Match.Source source) {
            return source.network().contains(packet.source()) != source.negated();
        }
        if (match instanceof Match.Destination destination) {
            return destination.network().contains(flow.address()) != destination.negated();
        }
        if (match instanceof Match.DestinationPort port) {
            return port.port() == flow.port();
        }
        if (match instanceof Match.DestinationLocal) {
            return host.contains(flow.address());
        }
        if (match instanceof Match.SourceLocal) {
            return host.contains(packet.source());
        }
        if (match instanceof Match.InputInterface link) {
            return matches(link.name(), packet.inputInterface()) != link.negated();
        }
        if (match instanceof Match.Mark mark) {
            return ((flow.mark() & mark.bits()) == mark.bits()) != mark.negated();
        }
        if (match instanceof Match.ConnectionState state) {
            boolean any =
                    state.states().contains(State.NEW) || (state.states().contains(State.DNAT) && flow.translated());
            return any != state.negated();
        }
        if (match instanceof Match.RecentlySeen) {
            return false;
        }
        throw new IllegalArgumentException(match + ": (expected: a match of iptables mode)");
    }

    private static boolean matches(String pattern, String link) {
        return pattern.endsWith("+")
                ? link.startsWith(pattern.substring(0, pattern.length() - 1)) && !link.isEmpty()
                : pattern.equals(link);
    }
}
