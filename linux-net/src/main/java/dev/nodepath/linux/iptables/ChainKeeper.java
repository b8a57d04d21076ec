package dev.nodepath.linux.iptables;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;

/**
 * Keeps one chain and the jump to it in force. A {@link RuleApplier} lists every table. This class lists two chains
 * only, so with the nf_tables variant its cost does not depend on other rules. For one thread at a time.
 */
public final class ChainKeeper {
    private final Iptables iptables;
    private final Hook hook;
    private final OwnedChains owned;

    /** The rules in force; empty if unknown. */
    private Optional<List<Rule>> inForce = Optional.empty();

    /** {@link Iptables#changesByOthers} just before the last listing. */
    private OptionalLong seen = OptionalLong.empty();

    /** A keeper that does not know yet which rules are in force. */
    public ChainKeeper(Iptables iptables, Hook hook) {
        this.iptables = iptables;
        this.hook = hook;
        this.owned = new OwnedChains(Set.of(hook.chain()), Set.of());
    }

    /**
     * Makes sure that the chain has these rules and exactly one jump leads to it. Runs no command if no other program
     * has changed a table since the last call.
     *
     * @return whether it changed anything
     * @throws IptablesException if that failed
     */
    public boolean ensure(List<Rule> rules) throws IptablesException {
        OptionalLong now = iptables.changesByOthers();
        boolean untouched = now.isPresent() && now.equals(seen);
        if (untouched && inForce.equals(Optional.of(rules))) {
            return false;
        }
        inForce = Optional.empty();
        boolean changed = bringIntoForce(new RuleSet(
                Map.of(hook.table(), new TreeMap<>(Map.of(hook.chain(), rules))), List.of(hook)));
        seen = now;
        inForce = Optional.of(List.copyOf(rules));
        return changed;
    }

    /**
     * Removes the chain and the jumps to it; nothing happens if there are none.
     *
     * @throws IptablesException if that failed
     */
    public void remove() throws IptablesException {
        inForce = Optional.empty();
        bringIntoForce(RuleSet.EMPTY);
    }

    private boolean bringIntoForce(RuleSet desired) throws IptablesException {
        Map<String, List<String>> found = new LinkedHashMap<>();
        for (String chain : List.of(hook.builtin(), hook.chain())) {
            iptables.rules(hook.table(), chain).ifPresent(rules -> found.put(chain, rules));
        }
        SavedTable table = new SavedTable(Set.of(hook.builtin()), found);
        RestoreText text = RestoreText.of(
                new Adoption(desired, owned, iptables.family()).tables(Map.of(hook.table(), table)),
                iptables.version().variant().chainsPerPart());
        if (text.isEmpty()) {
            return false;
        }
        iptables.restore(text);
        return true;
    }
}
