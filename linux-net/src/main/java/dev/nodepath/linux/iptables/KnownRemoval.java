package dev.nodepath.linux.iptables;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;

/** Computes the removal of rules that are known to be in force. It needs no listing. */
final class KnownRemoval {
    private KnownRemoval() {}

    /** The changes of all tables. Tables without such rules do not change. */
    static List<TableChange> tables(RuleSet known, OwnedChains owned) {
        return Arrays.stream(Table.values())
                .map(table -> change(table, known, owned))
                .toList();
    }

    private static TableChange change(Table table, RuleSet known, OwnedChains owned) {
        TableChange change = new TableChange(table, new TreeMap<>(), new ArrayList<>(), new TreeSet<>());
        known.hooks().stream()
                .filter(hook -> hook.table() == table)
                .filter(hook -> SavedRule.target(hook.rule().toString())
                        .filter(owned::contains)
                        .isPresent())
                .forEach(hook -> change.lines().add("-D " + hook.builtin() + " " + hook.rule()));
        known.unsortedChains(table).keySet().stream().filter(owned::contains).forEach(change.removed()::add);
        return change;
    }
}
