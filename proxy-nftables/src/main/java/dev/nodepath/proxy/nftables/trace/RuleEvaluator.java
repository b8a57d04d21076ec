package dev.nodepath.proxy.nftables.trace;

import dev.nodepath.endpoints.trace.LocalAddresses;
import dev.nodepath.endpoints.trace.Trace;
import dev.nodepath.endpoints.trace.TracedFlow;
import dev.nodepath.endpoints.trace.TracedPacket;
import dev.nodepath.linux.nftables.NftElement;
import dev.nodepath.linux.nftables.NftFamily;
import dev.nodepath.linux.nftables.NftRule;
import dev.nodepath.linux.nftables.NftStatement;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftValue;
import dev.nodepath.linux.nftables.NftVerdict;
import dev.nodepath.linux.nftables.text.NftText;
import dev.nodepath.proxy.nftables.trace.RuleResult.Branch;
import java.util.ArrayList;
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
     * What the rule does.
     *
     * @param link the link that received the packet; empty if there is none
     */
    RuleResult evaluate(NftRule rule, TracedFlow flow, String link) {
        List<Trace.Element> elements = new ArrayList<>();
        TracedFlow now = flow;
        for (NftStatement statement : rule.statements()) {
            if (statement instanceof NftStatement.MarkSet action) {
                now = now.withMark(now.mark() | action.bits());
            } else if (statement instanceof NftStatement.MarkToggle action) {
                now = now.withMark(now.mark() ^ action.bits());
            } else if (!changesNoPacket(statement)) {
                Optional<Boolean> match = matches.holds(statement, now, link, elements);
                if (match.isEmpty()) {
                    List<Branch> branches = decide(statement, now, elements);
                    return branches.isEmpty() ? RuleResult.unmatched(now) : new RuleResult(true, branches, elements);
                } else if (!match.get()) {
                    return RuleResult.unmatched(now);
                }
            }
        }
        return new RuleResult(true, List.of(Branch.onward(now)), elements);
    }

    /** A counter, or a set in which only later connections find the source. */
    private static boolean changesNoPacket(NftStatement statement) {
        return statement instanceof NftStatement.Counter || statement instanceof NftStatement.Remember;
    }

    /** Where the flow goes after a statement that ends the rule; nowhere if a map has nothing for it. */
    private List<Branch> decide(NftStatement statement, TracedFlow flow, List<Trace.Element> elements) {
        if (statement instanceof NftVerdict verdict) {
            return List.of(Branch.of(flow, verdict));
        } else if (statement instanceof NftStatement.VerdictOf lookup) {
            return sets
                    .find(lookup.map(), matches.key(lookup.key(), flow), elements)
                    .flatMap(NftElement::data)
                    .map(verdict -> Branch.of(flow, (NftVerdict) verdict))
                    .stream()
                    .toList();
        } else if (statement instanceof NftStatement.RandomVerdict choice) {
            TracedFlow part = flow.part(1.0 / choice.verdicts().size());
            return choice.verdicts().stream()
                    .map(verdict -> Branch.of(part, verdict))
                    .toList();
        } else if (statement instanceof NftStatement.Dnat dnat) {
            return List.of(translated(flow, dnat.to()));
        } else if (statement instanceof NftStatement.RandomDnat choice) {
            TracedFlow part = flow.part(1.0 / choice.to().size());
            return choice.to().stream().map(to -> translated(part, to)).toList();
        } else if (statement instanceof NftStatement.RandomDnatOf choice) {
            return choose(choice, flow, elements);
        } else if (statement instanceof NftStatement.Masquerade) {
            return List.of(Branch.ended(flow.withNodeAsSource()));
        } else if (statement instanceof NftStatement.Reject) {
            return List.of(new Branch(flow.withVerdict(Trace.Verdict.REJECT), NftVerdict.DROP));
        } else {
            throw new IllegalArgumentException(
                    NftText.statement(family, statement) + " (expected: a statement of nftables mode)");
        }
    }

    private static Branch translated(TracedFlow flow, NftStatement.Destination to) {
        return Branch.ended(flow.translatedTo(to.address(), to.port()));
    }

    /** A number that the map has nothing for leads to the next rule. */
    private List<Branch> choose(NftStatement.RandomDnatOf choice, TracedFlow flow, List<Trace.Element> elements) {
        TracedFlow part = flow.part(1.0 / choice.count());
        NftValue key = NftValue.of(flow.address(), flow.port());
        List<Branch> branches = new ArrayList<>();
        List<Branch> missed = new ArrayList<>();
        for (int number = 0; number < choice.count(); number++) {
            Optional<NftElement> element = sets.find(choice.map(), key.and(NftValue.of(number)), elements);
            element.flatMap(NftElement::data)
                    .ifPresentOrElse(
                            to -> branches.add(translated(part, NamedSets.destination((NftValue) to))),
                            () -> missed.add(Branch.onward(part)));
        }
        if (!branches.isEmpty()) {
            branches.addAll(missed);
        }
        return branches;
    }
}
