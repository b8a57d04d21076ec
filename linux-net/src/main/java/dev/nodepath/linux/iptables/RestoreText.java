package dev.nodepath.linux.iptables;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * Texts for {@code iptables-restore --noflush}. A chain is written whole or not at all; tables come in the order of
 * {@link Table}; a table in which nothing changes is left out, so the text is empty if nothing changes at all.
 */
public final class RestoreText {
    private static final OwnedChains NONE = new OwnedChains(Set.of(), Set.of());

    private RestoreText() {}

    /** Makes the rule set whole where none of its chains and hooks is there yet. */
    public static String complete(RuleSet desired) {
        return difference(RuleSet.EMPTY, desired, NONE);
    }

    /** Goes from one rule set to another: only chains and hooks that differ. */
    public static String difference(RuleSet inForce, RuleSet desired, OwnedChains owned) {
        return text(table -> difference(table, inForce, desired, owned));
    }

    /**
     * Brings a rule set into force where there may be anything: chains of the set are rewritten, other owned ones go,
     * hooks that are there stay where they are.
     */
    public static String adoption(Map<Table, SavedTable> found, RuleSet desired, OwnedChains owned) {
        return text(table -> adoption(table, found.getOrDefault(table, SavedTable.EMPTY), desired, owned));
    }

    private static String text(Function<Table, TableChange> changeOf) {
        StringBuilder text = new StringBuilder();
        for (Table table : Table.values()) {
            TableChange change = changeOf.apply(table);
            if (!change.isEmpty()) {
                change.appendTo(text);
            }
        }
        return text.toString();
    }

    private static TableChange difference(Table table, RuleSet inForce, RuleSet desired, OwnedChains owned) {
        SortedMap<String, List<Rule>> before = inForce.chains(table);
        SortedMap<String, List<Rule>> after = desired.chains(table);
        SortedMap<String, List<Rule>> written = new TreeMap<>(after);
        written.entrySet().removeIf(chain -> chain.getValue().equals(before.get(chain.getKey())));
        Set<String> removed = new TreeSet<>(before.keySet());
        removed.removeIf(chain -> after.containsKey(chain) || !owned.contains(chain));

        Set<String> builtins = builtins(inForce, table);
        builtins.addAll(builtins(desired, table));
        List<String> hookLines = new ArrayList<>();
        for (String builtin : builtins) {
            List<String> present = hooks(inForce, table, builtin).stream()
                    .map(hook -> hook.rule().toString())
                    .toList();
            hookLines.addAll(HookChange.lines(builtin, present, hooks(desired, table, builtin), owned));
        }
        return new TableChange(table, written, removed, hookLines);
    }

    private static TableChange adoption(Table table, SavedTable found, RuleSet desired, OwnedChains owned) {
        SortedMap<String, List<Rule>> written = new TreeMap<>(desired.chains(table));
        Set<String> removed = new TreeSet<>(found.userChains());
        removed.removeIf(chain -> written.containsKey(chain) || !owned.contains(chain));
        // A chain that somebody else's chain jumps to cannot be deleted: it is left empty.
        if (!removed.isEmpty()) {
            for (String chain : jumpedToByOthers(found, owned)) {
                if (removed.remove(chain)) {
                    written.put(chain, List.of());
                }
            }
        }

        Set<String> builtins = new LinkedHashSet<>(found.builtins());
        builtins.addAll(builtins(desired, table));
        List<String> hookLines = new ArrayList<>();
        for (String builtin : builtins) {
            hookLines.addAll(HookChange.lines(builtin, found.rules(builtin), hooks(desired, table, builtin), owned));
        }
        return new TableChange(table, written, removed, hookLines);
    }

    private static Set<String> jumpedToByOthers(SavedTable found, OwnedChains owned) {
        Set<String> targets = new LinkedHashSet<>();
        for (String chain : found.userChains()) {
            if (!owned.contains(chain)) {
                found.rules(chain).forEach(rule -> SavedRule.target(rule).ifPresent(targets::add));
            }
        }
        return targets;
    }

    private static Set<String> builtins(RuleSet rules, Table table) {
        Set<String> builtins = new LinkedHashSet<>();
        rules.hooks().stream().filter(hook -> hook.table() == table).forEach(hook -> builtins.add(hook.builtin()));
        return builtins;
    }

    private static List<Hook> hooks(RuleSet rules, Table table, String builtin) {
        return rules.hooks().stream()
                .filter(hook -> hook.table() == table && hook.builtin().equals(builtin))
                .toList();
    }
}
