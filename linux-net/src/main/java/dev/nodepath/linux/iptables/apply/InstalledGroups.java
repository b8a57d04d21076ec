package dev.nodepath.linux.iptables.apply;

import dev.nodepath.linux.iptables.rule.Match;
import dev.nodepath.linux.iptables.rule.OwnedChains;
import dev.nodepath.linux.iptables.rule.Rule;
import dev.nodepath.linux.iptables.rule.RuleGroup;
import dev.nodepath.linux.iptables.rule.RuleSet;
import dev.nodepath.linux.iptables.rule.Table;
import dev.nodepath.linux.iptables.rule.Target;
import dev.nodepath.linux.iptables.text.SavedRule;
import dev.nodepath.linux.iptables.text.SavedSpelling;
import dev.nodepath.linux.iptables.text.SavedTable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How groups stand in tables that another process has written, such as the one before a restart: the chains of a group that are
 * there, those that they lead to, and what leads to them.
 */
final class InstalledGroups {
    private final Map<Table, SavedTable> tables;
    private final RuleSet desired;
    private final OwnedChains owned;
    private final SavedSpelling spelling;

    /** The rules of the frame's chains by where they lead, and as they are spelled. */
    private final Map<String, List<RuleGroup.Entry>> leadingTo = new HashMap<>();

    private final Map<RuleGroup.Entry, RuleGroup.Entry> spelled = new HashMap<>();

    /**
     * Those in these tables.
     *
     * @param desired tells which chains are the frame's
     */
    InstalledGroups(Map<Table, SavedTable> tables, RuleSet desired, OwnedChains owned, SavedSpelling spelling) {
        this.tables = tables;
        this.desired = desired;
        this.owned = owned;
        this.spelling = spelling;
        tables.forEach((table, found) -> desired.frame(table)
                .keySet()
                .forEach(chain ->
                        found.rules(chain).forEach(line -> add(new RuleGroup.Entry(table, chain, rule(line)), line))));
    }

    private void add(RuleGroup.Entry entry, String line) {
        spelled.put(entry, entry);
        SavedRule.target(line)
                .ifPresent(target -> leadingTo
                        .computeIfAbsent(entry.table() + " " + target, chain -> new ArrayList<>())
                        .add(entry));
    }

    /** How a group stands there; empty if nothing of it does. */
    Optional<RuleGroup> of(RuleGroup group) {
        Map<Table, SortedMap<String, List<Rule>>> chains = new HashMap<>();
        Set<RuleGroup.Entry> entries = new HashSet<>();
        tables.forEach((table, found) -> {
            SortedMap<String, List<Rule>> standing = new TreeMap<>();
            group.chains(table).keySet().forEach(chain -> addChain(table, found, chain, standing));
            standing.keySet().forEach(chain -> entries.addAll(leadingTo.getOrDefault(table + " " + chain, List.of())));
            chains.put(table, standing);
        });
        for (RuleGroup.Entry entry : group.entries()) {
            Rule same = rule(spelling.of(entry.rule()));
            Optional.ofNullable(spelled.get(new RuleGroup.Entry(entry.table(), entry.chain(), same)))
                    .ifPresent(entries::add);
        }
        boolean nothing = entries.isEmpty() && chains.values().stream().allMatch(Map::isEmpty);
        return nothing ? Optional.empty() : Optional.of(new RuleGroup(chains, inOrder(entries)));
    }

    private void addChain(Table table, SavedTable found, String chain, SortedMap<String, List<Rule>> standing) {
        List<String> lines = found.rules().get(chain);
        boolean ofTheFrame = desired.frame(table).containsKey(chain);
        if (lines == null || ofTheFrame || !owned.contains(chain) || standing.containsKey(chain)) {
            return;
        }
        standing.put(chain, lines.stream().map(InstalledGroups::rule).toList());
        lines.forEach(line -> SavedRule.target(line).ifPresent(target -> addChain(table, found, target, standing)));
    }

    /** As they stand: the order tells where two of them take the same packet. */
    private List<RuleGroup.Entry> inOrder(Set<RuleGroup.Entry> entries) {
        List<RuleGroup.Entry> ordered = new ArrayList<>();
        tables.forEach((table, found) -> desired.frame(table)
                .keySet()
                .forEach(chain -> found.rules(chain)
                        .forEach(line -> Optional.of(new RuleGroup.Entry(table, chain, rule(line)))
                                .filter(entries::contains)
                                .ifPresent(ordered::add))));
        return Collections.unmodifiableList(ordered);
    }

    /** A jump keeps its target apart, as the order in which chains are written depends on it. */
    private static Rule rule(String line) {
        String chain = SavedRule.target(line).orElse("");
        String jump = "-j " + chain;
        if (chain.isEmpty() || !line.endsWith(jump)) {
            return Rule.of(new Target.Nothing(), new Match.Standing(line));
        }
        String matches = line.substring(0, line.length() - jump.length()).strip();
        return matches.isEmpty()
                ? Rule.of(new Target.Jump(chain))
                : Rule.of(new Target.Jump(chain), new Match.Standing(matches));
    }
}
