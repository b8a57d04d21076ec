package dev.nodepath.proxy.iptables;

import dev.nodepath.linux.iptables.Table;
import java.util.Map;

/**
 * The size of one family's rules, hooks not counted.
 *
 * @param rules our rules in force, by table
 * @param written rules that the last change sent, by table
 */
public record RuleCounts(Map<Table, Integer> rules, Map<Table, Integer> written) {
    static final RuleCounts NONE = new RuleCounts(Map.of(), Map.of());

    public RuleCounts {
        rules = Map.copyOf(rules);
        written = Map.copyOf(written);
    }
}
