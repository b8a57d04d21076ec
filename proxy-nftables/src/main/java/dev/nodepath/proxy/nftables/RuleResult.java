package dev.nodepath.proxy.nftables;

import dev.nodepath.endpoints.trace.Effect;
import dev.nodepath.endpoints.trace.Trace;
import dev.nodepath.endpoints.trace.TracedFlow;
import dev.nodepath.linux.nftables.NftVerdict;
import java.util.List;

/**
 * The result of a rule for a flow.
 *
 * @param matched whether all its matches hold, and its maps have values for the flow
 * @param branches the continuing flows with their verdicts; several after a random choice
 * @param effect the effect of the rule
 * @param elements the elements that the rule found in named sets and maps
 */
record RuleResult(boolean matched, List<Branch> branches, Effect effect, List<Trace.Element> elements) {
    private static final NftVerdict NEXT_RULE = new NftVerdict(NftVerdict.Kind.CONTINUE, "");

    RuleResult {
        branches = List.copyOf(branches);
        elements = List.copyOf(elements);
    }

    /** A part of the flow, which is accepted or refused already if the verdict says so. */
    record Branch(TracedFlow flow, NftVerdict verdict) {
        /** To the next rule. */
        static Branch onward(TracedFlow flow) {
            return new Branch(flow, NEXT_RULE);
        }

        /** Out of the base chain. */
        static Branch ended(TracedFlow flow) {
            return new Branch(flow, NftVerdict.ACCEPT);
        }

        /** Where a verdict leads. */
        static Branch of(TracedFlow flow, NftVerdict verdict) {
            return new Branch(
                    switch (verdict.kind()) {
                        case ACCEPT -> flow.accepted();
                        case DROP -> flow.withVerdict(Trace.Verdict.DROP);
                        case CONTINUE, JUMP, GOTO, RETURN -> flow;
                    },
                    verdict);
        }
    }

    /** All of the flow goes one way. */
    static RuleResult of(Branch branch, Effect effect, List<Trace.Element> elements) {
        return new RuleResult(true, List.of(branch), effect, elements);
    }

    /** A match does not hold. Effects of earlier statements on the flow stay. */
    static RuleResult unmatched(TracedFlow flow) {
        return new RuleResult(false, List.of(Branch.onward(flow)), Effect.Plain.NOTHING, List.of());
    }
}
