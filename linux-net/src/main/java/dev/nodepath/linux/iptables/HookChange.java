package dev.nodepath.linux.iptables;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Computes the changes of our jumps in a built-in chain: it adds missing jumps and removes duplicate and stale ones.
 */
final class HookChange {
    private final String builtin;
    private final List<String> present;
    private final List<String> lines = new ArrayList<>();

    private HookChange(String builtin, List<String> present) {
        this.builtin = builtin;
        this.present = new ArrayList<>(present);
    }

    /**
     * The lines, in the order to be executed.
     *
     * @param builtin the kernel's chain
     * @param present the rules that it holds, ours and others'
     * @param wanted the hooks that it must hold
     * @param owned the chains whose jumps may be removed
     */
    static List<String> lines(String builtin, List<String> present, List<Hook> wanted, OwnedChains owned) {
        HookChange change = new HookChange(builtin, present);
        change.remove(present, wanted, owned);
        change.insert(wanted);
        return change.lines;
    }

    private void remove(List<String> rules, List<Hook> wanted, OwnedChains owned) {
        Set<List<String>> missing = new HashSet<>();
        wanted.forEach(hook -> missing.add(SavedRule.normalised(hook.rule().toString())));
        for (String rule : rules) {
            boolean ours = SavedRule.target(rule).filter(owned::contains).isPresent();
            boolean stays = !ours || missing.remove(SavedRule.normalised(rule));
            if (!stays) {
                // -D removes the first equal rule. We do the same, to keep the positions right.
                present.remove(rule);
                lines.add("-D " + builtin + " " + rule);
            }
        }
    }

    private void insert(List<Hook> wanted) {
        List<List<String>> there =
                new ArrayList<>(present.stream().map(SavedRule::normalised).toList());
        int position = 0;
        for (Hook hook : wanted) {
            String rule = hook.rule().toString();
            int found = there.indexOf(SavedRule.normalised(rule));
            if (hook.position() == Hook.Position.LAST) {
                if (found < 0) {
                    there.add(SavedRule.normalised(rule));
                    lines.add("-A " + builtin + " " + rule);
                }
            } else if (found >= 0) {
                position = found + 1;
            } else {
                there.add(position, SavedRule.normalised(rule));
                position++;
                lines.add("-I " + builtin + " " + position + " " + rule);
            }
        }
    }
}
