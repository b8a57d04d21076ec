package dev.nodepath.linux.iptables;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The rules of one proxy mode and one address family, as a value: its own chains, whole, and the hooks that lead to them.
 *
 * @param chains by table, then by name: the rules in order
 * @param hooks jumps from the kernel's chains; those with the same chain and position stand there in this order
 */
public record RuleSet(Map<Table, SortedMap<String, List<Rule>>> chains, List<Hook> hooks) {

    /** No chain and no hook. */
    public static final RuleSet EMPTY = new RuleSet(Map.of(), List.of());

    /** Copies the maps; every rule list must be immutable. */
    public RuleSet {
        Map<Table, SortedMap<String, List<Rule>>> copy = new EnumMap<>(Table.class);
        chains.forEach((table, byName) -> copy.put(table, Collections.unmodifiableSortedMap(new TreeMap<>(byName))));
        chains = Collections.unmodifiableMap(copy);
        hooks = List.copyOf(hooks);
    }

    /** The chains of one table; empty if there are none. */
    public SortedMap<String, List<Rule>> chains(Table table) {
        return chains.getOrDefault(table, Collections.emptySortedMap());
    }
}
