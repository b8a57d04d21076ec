package dev.nodepath.linux.iptables;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/**
 * The rules of one proxy mode and one address family: a frame of permanent chains and hooks, and groups of rules that
 * are added and removed. A shared chain of the frame holds the groups' entries first and its own rules last.
 *
 * @param frame the permanent chains by table, then by name, with their own rules in order
 * @param hooks jumps from built-in chains. Hooks with the same chain and position keep this order.
 * @param groups the groups by a name that the caller chooses, in the order of their entries in a full text. A refused
 *     group is reported by its name.
 */
public record RuleSet(
        Map<Table, SortedMap<String, List<Rule>>> frame, List<Hook> hooks, Map<String, RuleGroup> groups) {

    /** A rule set without chains and hooks. */
    static final RuleSet EMPTY = new RuleSet(Map.of(), List.of());

    /** Copies the maps; every rule list must be immutable. */
    public RuleSet {
        frame = RuleGroup.copy(frame);
        hooks = List.copyOf(hooks);
        groups = Collections.unmodifiableMap(new LinkedHashMap<>(groups));
    }

    /** A set without groups. */
    public RuleSet(Map<Table, SortedMap<String, List<Rule>>> chains, List<Hook> hooks) {
        this(chains, hooks, Map.of());
    }

    /**
     * The chains of one table, whole, in the order of their names; empty if there are none. Its cost is proportional to
     * the table.
     */
    public Map<String, List<Rule>> chains(Table table) {
        Map<String, List<Rule>> whole = unsortedChains(table);
        // Sorted once at the end: a sorted map would compare some hundred thousand names that begin alike.
        Map<String, List<Rule>> sorted = new LinkedHashMap<>(capacity(whole.size()));
        AbbreviatedKey.sorted(whole.keySet()).forEach(chain -> sorted.put(chain, whole.getOrDefault(chain, List.of())));
        return Collections.unmodifiableMap(sorted);
    }

    /** The chains of one table, whole, in any order. This is cheaper than {@link #chains}. */
    Map<String, List<Rule>> unsortedChains(Table table) {
        int count = frame(table).size();
        for (RuleGroup group : groups.values()) {
            count += group.chains(table).size();
        }
        Map<String, List<Rule>> whole = new HashMap<>(capacity(count));
        frame(table).keySet().forEach(chain -> whole.put(chain, new ArrayList<>()));
        for (RuleGroup group : groups.values()) {
            group.chains(table).forEach(whole::put);
            for (RuleGroup.Entry entry : group.entries()) {
                if (entry.table() == table) {
                    shared(whole, entry).add(entry.rule());
                }
            }
        }
        frame(table)
                .forEach((chain, rules) -> whole.computeIfPresent(chain, (name, entries) -> {
                    entries.addAll(rules);
                    return List.copyOf(entries);
                }));
        return whole;
    }

    /** The chains of the frame in one table, without the groups' entries. */
    public SortedMap<String, List<Rule>> frame(Table table) {
        return frame.getOrDefault(table, Collections.emptySortedMap());
    }

    /** Whether both rule sets have the same frame and hooks; their groups may differ. */
    boolean hasFrameOf(RuleSet other) {
        return frame.equals(other.frame) && hooks.equals(other.hooks);
    }

    /** How many rules there are in a table, without hooks. */
    int ruleCount(Table table) {
        int count = 0;
        for (List<Rule> rules : frame(table).values()) {
            count += rules.size();
        }
        for (RuleGroup group : groups.values()) {
            count += group.ruleCount(table);
        }
        return count;
    }

    /** The capacity of a hash map that takes this many entries without growing. */
    private static int capacity(int entries) {
        return 2 * entries;
    }

    private static List<Rule> shared(Map<String, List<Rule>> chains, RuleGroup.Entry entry) {
        List<Rule> rules = chains.get(entry.chain());
        if (rules == null) {
            throw new IllegalArgumentException(
                    "entry in " + entry.table() + " " + entry.chain() + " (expected: a chain of the frame)");
        }
        return rules;
    }
}
