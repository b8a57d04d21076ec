package dev.nodepath.linux.iptables.apply;

import dev.nodepath.linux.iptables.command.Iptables;
import dev.nodepath.linux.iptables.command.IptablesException;
import dev.nodepath.linux.iptables.rule.Rule;
import dev.nodepath.linux.iptables.rule.RuleGroup;
import dev.nodepath.linux.iptables.rule.Table;
import dev.nodepath.linux.iptables.rule.Target;
import dev.nodepath.linux.iptables.text.RestoreText;
import dev.nodepath.linux.iptables.text.TableChange;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Tries groups in a chain that nothing jumps to: what is in force stays as it is. Jumps are left out, as they are refused
 * for what they lead to.
 */
final class RefusalProbe {
    /** An applier owns it whatever its mode is, so that what a killed process left of it goes. */
    static final String CHAIN = "NODEPATH-PROBE";

    /** Restores; a legacy one of a large table takes a quarter of a second. */
    private static final int PROBES_MAX = 64;

    private final Iptables iptables;
    private final Set<Table> used = EnumSet.noneOf(Table.class);
    private int probes;

    RefusalProbe(Iptables iptables) {
        this.iptables = iptables;
    }

    boolean isExhausted() {
        return probes >= PROBES_MAX;
    }

    /**
     * Whether one of the groups, at least, is refused.
     *
     * @throws IptablesException if the try itself failed
     */
    boolean isRefused(Collection<RuleGroup> groups) throws IptablesException {
        probes++;
        List<TableChange> changes = new ArrayList<>();
        for (Table table : Table.values()) {
            List<Rule> rules = rules(groups, table);
            if (!rules.isEmpty()) {
                used.add(table);
                changes.add(new TableChange(table, new TreeMap<>(Map.of(CHAIN, rules)), List.of(), Set.of()));
            }
        }
        try {
            restore(changes);
            return false;
        } catch (IptablesException e) {
            if (e.isRefusal()) {
                return true;
            }
            throw e;
        }
    }

    /** Removes the chain; where the tables are listed afterwards that does it. */
    void remove() throws IptablesException {
        restore(used.stream()
                .map(table -> new TableChange(table, new TreeMap<>(), List.of(), Set.of(CHAIN)))
                .toList());
    }

    private void restore(List<TableChange> changes) throws IptablesException {
        RestoreText text = RestoreText.of(changes, Integer.MAX_VALUE);
        if (!text.isEmpty()) {
            iptables.restore(text);
        }
    }

    private static List<Rule> rules(Collection<RuleGroup> groups, Table table) {
        List<Rule> rules = new ArrayList<>();
        for (RuleGroup group : groups) {
            group.chains(table).values().forEach(rules::addAll);
            group.entries().stream().filter(entry -> entry.table() == table).forEach(entry -> rules.add(entry.rule()));
        }
        return rules.stream()
                .map(rule ->
                        rule.target() instanceof Target.Jump ? new Rule(rule.matches(), new Target.Nothing()) : rule)
                .toList();
    }
}
