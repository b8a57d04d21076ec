package dev.nodepath.proxy.nftables;

import dev.nodepath.endpoints.trace.Effect;
import dev.nodepath.endpoints.trace.LocalAddresses;
import dev.nodepath.endpoints.trace.Trace;
import dev.nodepath.endpoints.trace.TracedFlow;
import dev.nodepath.endpoints.trace.TracedPacket;
import dev.nodepath.linux.nftables.NftElement;
import dev.nodepath.linux.nftables.NftFamily;
import dev.nodepath.linux.nftables.NftRule;
import dev.nodepath.linux.nftables.NftStatement;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftText;
import dev.nodepath.linux.nftables.NftValue;
import dev.nodepath.linux.nftables.NftVerdict;
import dev.nodepath.proxy.nftables.RuleResult.Branch;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** Evaluates one rule for a flow: its statements in order, until one does not match or decides. */
final class RuleEvaluator {
    private final NftFamily family;
    private final NamedSets sets;
    private final MatchEvaluator matches;

    RuleEvaluator(NftTableState table, TracedPacket packet, LocalAddresses local) {
        this.family = table.table().family();
        this.sets = new NamedSets(table);
        this.matches = new MatchEvaluator(packet, local, sets);
    }

    /**
     * Evaluates a rule's statements in their order.
     *
     * @param link the link that received the packet; empty if there is none
     */
    RuleResult evaluate(NftRule rule, TracedFlow flow, String link) {
        List<Trace.Element> elements = new ArrayList<>();
        TracedFlow now = flow;
        Effect effect = Effect.Plain.NOTHING;
        for (NftStatement statement : rule.statements()) {
            if (statement instanceof NftStatement.MarkSet action) {
                now = now.withMark(now.mark() | action.bits());
                effect = Effect.Plain.MARKS;
            } else if (statement instanceof NftStatement.MarkToggle action) {
                now = now.withMark(now.mark() ^ action.bits());
                effect = Effect.Plain.UNMARKS;
            } else if (statement instanceof NftStatement.Counter) {
                effect = Effect.Plain.COUNTS;
            } else if (statement instanceof NftStatement.Remember) {
                effect = Effect.Plain.REMEMBERS;
            } else {
                Optional<Boolean> match = matches.holds(statement, now, link, elements);
                if (match.isEmpty()) {
                    return statement instanceof NftStatement.Reject
                            ? rejected(rule, now, elements)
                            : decide(statement, now, effect, elements);
                } else if (!match.get()) {
                    return RuleResult.unmatched(now);
                }
            }
        }
        return RuleResult.of(Branch.onward(now), effect, elements);
    }

    /**
     * The result of a statement that ends the rule. The rule does not match if the statement's map has no value for
     * the flow.
     *
     * @param before the effect of the statements before it
     */
    private RuleResult decide(NftStatement statement, TracedFlow flow, Effect before, List<Trace.Element> elements) {
        if (statement instanceof NftVerdict verdict) {
            return RuleResult.of(Branch.of(flow, verdict), effect(verdict, ""), elements);
        } else if (statement instanceof NftStatement.VerdictOf lookup) {
            String why = "The map " + lookup.map() + " has the destination";
            return sets.find(lookup.map(), matches.key(lookup.key(), flow), elements)
                    .flatMap(NftElement::data)
                    .map(NftVerdict.class::cast)
                    .map(verdict -> RuleResult.of(Branch.of(flow, verdict), effect(verdict, why), elements))
                    .orElseGet(() -> RuleResult.unmatched(flow));
        } else if (statement instanceof NftStatement.RandomVerdict choice) {
            int count = choice.verdicts().size();
            TracedFlow part = flow.part(1.0 / count);
            return new RuleResult(
                    true,
                    choice.verdicts().stream()
                            .map(verdict -> Branch.of(part, verdict))
                            .toList(),
                    count == 1 ? effect(choice.verdicts().get(0), "") : new Effect.JumpsToOneOf(count),
                    elements);
        } else if (statement instanceof NftStatement.Dnat dnat) {
            return translated(flow, List.of(dnat.to()), 1, elements);
        } else if (statement instanceof NftStatement.RandomDnat choice) {
            return translated(flow, choice.to(), choice.to().size(), elements);
        } else if (statement instanceof NftStatement.RandomDnatOf choice) {
            return choose(choice, flow, elements);
        } else if (statement instanceof NftStatement.Masquerade) {
            Effect effect = new Effect.NewSource(before == Effect.Plain.UNMARKS);
            return RuleResult.of(Branch.ended(flow.withNodeAsSource()), effect, elements);
        } else {
            throw new IllegalArgumentException(
                    NftText.statement(family, statement) + " (expected: a statement of nftables mode)");
        }
    }

    /** The rule for Services without endpoints has no comment. */
    private static RuleResult rejected(NftRule rule, TracedFlow flow, List<Trace.Element> elements) {
        Branch rejected = new Branch(flow.withVerdict(Trace.Verdict.REJECT), NftVerdict.DROP);
        String reason = rule.comment().isEmpty() ? "no endpoint is ready" : rule.comment();
        return RuleResult.of(rejected, new Effect.Refuses(reason), elements);
    }

    private static Effect effect(NftVerdict verdict, String why) {
        return switch (verdict.kind()) {
            case JUMP, GOTO -> new Effect.Jumps(verdict.chain(), why);
            case ACCEPT -> Effect.Plain.ACCEPTS;
            case DROP -> Effect.Plain.DROPS;
            case RETURN -> Effect.Plain.RETURNS;
            case CONTINUE -> Effect.Plain.NOTHING;
        };
    }

    /** A number without an element in the map leads to the next rule. */
    private RuleResult choose(NftStatement.RandomDnatOf choice, TracedFlow flow, List<Trace.Element> elements) {
        NftValue key = NftValue.of(flow.address(), flow.port());
        List<NftStatement.Destination> found = new ArrayList<>();
        for (int number = 0; number < choice.count(); number++) {
            sets.find(choice.map(), key.and(NftValue.of(number)), elements)
                    .flatMap(NftElement::data)
                    .ifPresent(to -> found.add(NamedSets.destination((NftValue) to)));
        }
        return found.isEmpty() ? RuleResult.unmatched(flow) : translated(flow, found, choice.count(), elements);
    }

    /**
     * The flow in equal parts.
     *
     * @param to the destinations of the first parts; the others go on to the next rule
     */
    private static RuleResult translated(
            TracedFlow flow, List<NftStatement.Destination> to, int parts, List<Trace.Element> elements) {
        TracedFlow part = flow.part(1.0 / parts);
        List<Branch> branches = new ArrayList<>();
        to.forEach(each -> branches.add(Branch.ended(part.translatedTo(each.address(), each.port()))));
        branches.addAll(Collections.nCopies(parts - to.size(), Branch.onward(part)));
        Effect effect = new Effect.NewDestination(
                to.stream().map(each -> each.address().withPort(each.port())).toList());
        return new RuleResult(true, branches, effect, elements);
    }
}
