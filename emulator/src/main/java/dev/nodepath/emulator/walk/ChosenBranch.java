package dev.nodepath.emulator.walk;

import dev.nodepath.endpoints.trace.Trace;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Of the rules for several endpoints, those that lead to one of them. */
final class ChosenBranch {
    private final List<Hop> hops;
    private final boolean[] dropped;

    private ChosenBranch(List<Hop> hops) {
        this.hops = hops;
        this.dropped = new boolean[hops.size()];
    }

    /**
     * Leaves out the chains of other endpoints, and the rules that lead to them alone.
     *
     * @param endpoint such as {@code 10.244.1.2:8080}
     */
    static List<Hop> of(List<Hop> hops, String endpoint) {
        ChosenBranch branch = new ChosenBranch(hops);
        for (int i = 0; i < hops.size(); i++) {
            Trace.Step step = hops.get(i).step().orElse(null);
            if (step != null && RuleSentence.replacesDestination(step) && !RuleSentence.mayLeadTo(step, endpoint)) {
                branch.drop(i, step);
            }
        }
        return branch.kept();
    }

    /** Drops the chain around a rule, and the rule before it if that names the chain. */
    private void drop(int index, Trace.Step step) {
        int first = index;
        while (first > 0 && belongs(first - 1, step)) {
            first--;
        }
        for (int i = first; i < hops.size() && belongs(i, step); i++) {
            dropped[i] = true;
        }
        Pattern jump = Pattern.compile("-[jg] " + Pattern.quote(step.chain()) + "$");
        if (first > 0
                && hops.get(first - 1)
                        .step()
                        .filter(each -> jump.matcher(each.rule()).find())
                        .isPresent()) {
            dropped[first - 1] = true;
        }
    }

    /** Whether a hop is in the chain of a step, or in one that was entered from it. */
    private boolean belongs(int index, Trace.Step step) {
        return hops.get(index)
                .step()
                .filter(each -> each.depth() > step.depth()
                        || (each.depth() == step.depth() && each.chain().equals(step.chain())))
                .isPresent();
    }

    private List<Hop> kept() {
        List<Hop> kept = new ArrayList<>();
        for (int i = 0; i < hops.size(); i++) {
            if (!dropped[i]) {
                kept.add(hops.get(i));
            }
        }
        return kept;
    }
}
