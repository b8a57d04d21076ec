package dev.nodepath.proxy.iptables;

import dev.nodepath.endpoints.trace.Effect;
import dev.nodepath.linux.iptables.Match;
import dev.nodepath.linux.iptables.Rule;
import dev.nodepath.linux.iptables.Target;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Tells the effect of a rule of iptables mode. */
final class RuleEffect {
    private RuleEffect() {}

    /**
     * The effect of a rule.
     *
     * @param frame the permanent chains of its table; the others belong to a Service
     * @param chains all chains of its table
     */
    static Effect of(Rule rule, Set<String> frame, Map<String, List<Rule>> chains) {
        Target target = rule.target();
        if (target instanceof Target.Jump jump) {
            return of(jump, rule, frame, chains.getOrDefault(jump.chain(), List.of()));
        } else if (target instanceof Target.Verdict verdict) {
            return of(verdict, rule);
        } else if (target instanceof Target.Dnat dnat) {
            return new Effect.NewDestination(List.of(dnat.address().withPort(dnat.port())));
        } else if (target instanceof Target.Masquerade) {
            return new Effect.NewSource(/* unmarks= */ false);
        } else if (target instanceof Target.SetMark) {
            return Effect.Plain.MARKS;
        } else if (target instanceof Target.FlipMark) {
            return Effect.Plain.UNMARKS;
        } else if (match(rule, Match.Counted.class).isPresent()) {
            return Effect.Plain.COUNTS;
        }
        return match(rule, Match.RememberSource.class).isPresent() ? Effect.Plain.REMEMBERS : Effect.Plain.NOTHING;
    }

    private static Effect of(Target.Verdict verdict, Rule rule) {
        return switch (verdict) {
            case ACCEPT -> Effect.Plain.ACCEPTS;
            case DROP -> Effect.Plain.DROPS;
            case REJECT -> new Effect.Refuses(comment(rule));
            case RETURN ->
                match(rule, Match.Mark.class).filter(Match.Mark::negated).isPresent()
                        ? Effect.Plain.SPARES
                        : Effect.Plain.RETURNS;
        };
    }

    private static Effect of(Target.Jump jump, Rule rule, Set<String> frame, List<Rule> chain) {
        for (Rule next : chain) {
            if (next.target() instanceof Target.Dnat endpoint) {
                long oneOf = match(rule, Match.Probability.class)
                        .map(random -> Math.round(1 / Double.parseDouble(random.probability())))
                        .orElse(1L);
                return new Effect.Chooses(endpoint.address().withPort(endpoint.port()), oneOf);
            }
        }
        if (jump.chain().equals(Chains.MARK_MASQ)) {
            return new Effect.Jumps(jump.chain(), "The source has to be replaced");
        }
        boolean named = !frame.contains(jump.chain()) && !comment(rule).isEmpty();
        return new Effect.Jumps(jump.chain(), named ? "The packet is for " + comment(rule) : "");
    }

    private static String comment(Rule rule) {
        return match(rule, Match.Comment.class).map(Match.Comment::text).orElse("");
    }

    private static <T extends Match> Optional<T> match(Rule rule, Class<T> type) {
        return rule.matches().stream().filter(type::isInstance).map(type::cast).findFirst();
    }
}
