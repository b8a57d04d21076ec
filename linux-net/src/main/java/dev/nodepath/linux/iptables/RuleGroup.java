package dev.nodepath.linux.iptables;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Rules that are added and removed together, such as the rules of one Service port: the group's own chains, and single
 * rules in chains that it shares with other groups. The cost of a change is proportional to the group.
 *
 * @param chains the group's own chains by table, then by name: the rules in order
 * @param entries rules in shared chains. Entries of one chain keep their order. The order among groups does not matter.
 */
public record RuleGroup(Map<Table, SortedMap<String, List<Rule>>> chains, List<Entry> entries) {

    /** One rule in a chain of the frame. */
    public record Entry(Table table, String chain, Rule rule) {}

    /** Copies the maps; every rule list must be immutable. */
    public RuleGroup {
        chains = copy(chains);
        entries = List.copyOf(entries);
    }

    /** The group's own chains in one table; empty if there are none. */
    SortedMap<String, List<Rule>> chains(Table table) {
        return chains.getOrDefault(table, Collections.emptySortedMap());
    }

    /** The group's rules in a shared chain. */
    List<Rule> entries(Table table, String chain) {
        return entries.stream()
                .filter(entry -> entry.table() == table && entry.chain().equals(chain))
                .map(Entry::rule)
                .toList();
    }

    /** How many rules it has in a table. */
    int ruleCount(Table table) {
        int count = 0;
        for (List<Rule> rules : chains(table).values()) {
            count += rules.size();
        }
        for (Entry entry : entries) {
            count += entry.table() == table ? 1 : 0;
        }
        return count;
    }

    static Map<Table, SortedMap<String, List<Rule>>> copy(Map<Table, SortedMap<String, List<Rule>>> chains) {
        Map<Table, SortedMap<String, List<Rule>>> copy = new EnumMap<>(Table.class);
        chains.forEach((table, byName) -> copy.put(table, Collections.unmodifiableSortedMap(new TreeMap<>(byName))));
        return Collections.unmodifiableMap(copy);
    }
}
