package dev.nodepath.linux.iptables;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Computes the changes of the tables when groups change and the frame does not. It rewrites the groups' own chains that
 * differ, and changes single lines in the shared chains, new ones at the front. Its cost is proportional to the groups
 * that changed.
 *
 * @param before empty if the group is new
 * @param after empty if the group is removed
 */
record GroupChange(Optional<RuleGroup> before, Optional<RuleGroup> after) {

    static List<TableChange> tables(List<GroupChange> groups) {
        List<TableChange> changes = new ArrayList<>();
        for (Table table : Table.values()) {
            TableChange change = new TableChange(table, new TreeMap<>(), new ArrayList<>(), new TreeSet<>());
            groups.forEach(group -> group.addTo(change));
            change.removed().removeAll(change.written().keySet());
            changes.add(change);
        }
        return changes;
    }

    private void addTo(TableChange change) {
        SortedMap<String, List<Rule>> old = chains(before, change.table());
        SortedMap<String, List<Rule>> now = chains(after, change.table());
        for (Map.Entry<String, List<Rule>> chain : now.entrySet()) {
            if (!chain.getValue().equals(old.get(chain.getKey()))) {
                change.written().put(chain.getKey(), chain.getValue());
            }
        }
        for (String chain : old.keySet()) {
            if (!now.containsKey(chain)) {
                change.removed().add(chain);
            }
        }
        for (String chain : sharedChains(change.table())) {
            List<Rule> gone = entries(before, change.table(), chain);
            List<Rule> come = entries(after, change.table(), chain);
            if (!gone.equals(come)) {
                gone.forEach(rule -> change.lines().add("-D " + chain + " " + rule));
                // The last entry first, because each is inserted at the front.
                for (int i = come.size() - 1; i >= 0; i--) {
                    change.lines().add("-I " + chain + " " + come.get(i));
                }
            }
        }
    }

    private Set<String> sharedChains(Table table) {
        Set<String> shared = new LinkedHashSet<>();
        before.ifPresent(group -> addShared(group, table, shared));
        after.ifPresent(group -> addShared(group, table, shared));
        return shared;
    }

    private static void addShared(RuleGroup group, Table table, Set<String> chains) {
        for (RuleGroup.Entry entry : group.entries()) {
            if (entry.table() == table) {
                chains.add(entry.chain());
            }
        }
    }

    private static SortedMap<String, List<Rule>> chains(Optional<RuleGroup> group, Table table) {
        return group.map(rules -> rules.chains(table)).orElseGet(TreeMap::new);
    }

    private static List<Rule> entries(Optional<RuleGroup> group, Table table, String chain) {
        return group.map(rules -> rules.entries(table, chain)).orElse(List.of());
    }
}
