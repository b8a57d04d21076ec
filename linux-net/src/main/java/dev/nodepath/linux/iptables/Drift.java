package dev.nodepath.linux.iptables;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Whether tables still hold a rule set that was brought into force, or somebody else has changed it since. */
final class Drift {
    private Drift() {}

    /**
     * Whether every chain of the set has as many rules as it should, every hook stands, and no other owned chain is there.
     * A chain shared with another program may have more.
     */
    static boolean none(Map<Table, SavedTable> found, RuleSet desired, OwnedChains owned) {
        for (Table table : Table.values()) {
            SavedTable now = found.getOrDefault(table, SavedTable.EMPTY);
            if (!hasChains(now, desired.chains(table), owned) || !hasHooks(table, now, desired, owned)) {
                return false;
            }
        }
        return true;
    }

    private static boolean hasChains(SavedTable now, Map<String, List<Rule>> chains, OwnedChains owned) {
        for (Map.Entry<String, List<Rule>> chain : chains.entrySet()) {
            List<String> rules = now.rules().get(chain.getKey());
            int missing = chain.getValue().size() - (rules == null ? -1 : rules.size());
            if (missing > 0 || (missing < 0 && owned.contains(chain.getKey()))) {
                return false;
            }
        }
        return now.userChains().stream().allMatch(chain -> chains.containsKey(chain) || !owned.contains(chain));
    }

    private static boolean hasHooks(Table table, SavedTable now, RuleSet desired, OwnedChains owned) {
        Set<String> builtins = new LinkedHashSet<>(now.builtins());
        desired.hooks().stream().filter(hook -> hook.table() == table).forEach(hook -> builtins.add(hook.builtin()));
        for (String builtin : builtins) {
            List<Hook> hooks = desired.hooks().stream()
                    .filter(hook -> hook.table() == table && hook.builtin().equals(builtin))
                    .toList();
            if (!HookChange.lines(builtin, now.rules(builtin), hooks, owned).isEmpty()) {
                return false;
            }
        }
        return true;
    }
}
