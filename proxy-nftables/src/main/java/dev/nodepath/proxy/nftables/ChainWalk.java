package dev.nodepath.proxy.nftables;

import dev.nodepath.endpoints.trace.Trace;
import dev.nodepath.endpoints.trace.TracedFlow;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftRule;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftText;
import dev.nodepath.linux.nftables.NftVerdict;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Leads flows through the chains of a table, and notes each rule that matches one of them. */
final class ChainWalk {
    /** The kernel refuses one more nested jump ({@code NFT_JUMP_STACK_SIZE}, which counts the base chain). */
    private static final int DEPTH_MAX = 15;

    private final NftTableState table;
    private final RuleEvaluator rules;
    private final Set<Trace.Step> steps = new LinkedHashSet<>();

    ChainWalk(NftTableState table, RuleEvaluator rules) {
        this.table = table;
        this.rules = rules;
    }

    /** The rules that have matched so far. */
    List<Trace.Step> steps() {
        return List.copyOf(steps);
    }

    /** Leads flows through all base chains of a hook. */
    List<TracedFlow> pass(HookPass pass, List<TracedFlow> flows) {
        List<NftTableState.Chain> bases = table.chains().values().stream()
                .filter(content -> content.chain()
                        .hook()
                        .filter(hook -> hook.name().equals(pass.hook()))
                        .isPresent())
                .sorted(Comparator.comparing(
                        content -> content.chain().hook().orElseThrow().priority()))
                .toList();
        List<TracedFlow> current = flows;
        for (NftTableState.Chain base : bases) {
            current = enter(base, pass, current);
        }
        return current;
    }

    private List<TracedFlow> enter(NftTableState.Chain base, HookPass pass, List<TracedFlow> flows) {
        NftChain.Hook hook = base.chain().hook().orElseThrow();
        List<TracedFlow> ended = new ArrayList<>();
        List<TracedFlow> open = new ArrayList<>();
        flows.forEach(flow -> (enters(flow, hook, pass) ? open : ended).add(flow));
        for (TracedFlow flow : walk(new Position(base, 0, pass), open, ended)) {
            ended.add(hook.drops() ? flow.withVerdict(Trace.Verdict.DROP) : flow);
        }
        return ended;
    }

    /** Chains of type nat see a connection until one of them has decided. */
    private static boolean enters(TracedFlow flow, NftChain.Hook hook, HookPass pass) {
        if (flow.isRefused()) {
            return false;
        }
        boolean decided = pass.isBeforeRouting() ? flow.translated() : flow.masqueraded();
        return !hook.type().equals("nat") || (pass.translates() && !decided);
    }

    /** Where flows are: in a chain, behind so many jumps, in a hook. */
    private record Position(NftTableState.Chain content, int depth, HookPass pass) {
        String chain() {
            return content.chain().name();
        }

        Position into(NftTableState.Chain next) {
            return new Position(next, depth + 1, pass);
        }
    }

    /**
     * Returns the flows that reach the end of a chain or return from it. Flows with a verdict are added to
     * {@code ended}.
     */
    private List<TracedFlow> walk(Position at, List<TracedFlow> flows, List<TracedFlow> ended) {
        if (at.depth() > DEPTH_MAX) {
            throw new IllegalArgumentException(at.chain() + ": deeper than " + DEPTH_MAX + " jumps");
        }
        List<TracedFlow> returned = new ArrayList<>();
        List<TracedFlow> current = flows;
        int number = 0;
        for (NftRule rule : at.content().rules()) {
            number++;
            List<TracedFlow> next = new ArrayList<>();
            for (TracedFlow flow : current) {
                for (RuleResult.Branch branch : evaluate(at, number, rule, flow)) {
                    follow(at, branch, next, returned, ended);
                }
            }
            current = next;
        }
        returned.addAll(current);
        return returned;
    }

    private List<RuleResult.Branch> evaluate(Position at, int number, NftRule rule, TracedFlow flow) {
        try {
            RuleResult result = rules.evaluate(rule, flow, at.pass().link());
            if (!result.matched()) {
                return result.branches();
            }
            String text = NftText.rule(table.table().family(), rule);
            Trace.Step step = new Trace.Step(
                    table.table().toString(),
                    at.chain(),
                    at.depth(),
                    number,
                    text,
                    text,
                    result.effect(),
                    result.elements());
            steps.add(step);
            return result.branches().stream()
                    .map(branch -> new RuleResult.Branch(branch.flow().after(step), branch.verdict()))
                    .toList();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("chain " + at.chain() + ", rule " + number + ": " + e.getMessage(), e);
        }
    }

    private void follow(
            Position at,
            RuleResult.Branch branch,
            List<TracedFlow> next,
            List<TracedFlow> returned,
            List<TracedFlow> ended) {
        NftVerdict verdict = branch.verdict();
        switch (verdict.kind()) {
            case CONTINUE -> next.add(branch.flow());
            case JUMP -> next.addAll(walk(at.into(chain(at, verdict)), List.of(branch.flow()), ended));
            case GOTO -> returned.addAll(walk(at.into(chain(at, verdict)), List.of(branch.flow()), ended));
            case RETURN -> returned.add(branch.flow());
            case ACCEPT, DROP -> ended.add(branch.flow());
        }
    }

    private NftTableState.Chain chain(Position at, NftVerdict verdict) {
        NftTableState.Chain chain = table.chains().get(verdict.chain());
        if (chain == null) {
            throw new IllegalArgumentException(
                    "chain " + at.chain() + ": " + verdict + " (expected: a chain of table " + table.table() + ")");
        }
        return chain;
    }
}
