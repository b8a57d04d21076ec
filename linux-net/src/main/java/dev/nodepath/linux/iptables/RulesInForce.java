package dev.nodepath.linux.iptables;

import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** A rule set whose groups can be replaced one by one. The cost of that is proportional to the group. */
final class RulesInForce {
    private final RuleSet frame;
    private final Map<String, RuleGroup> groups;
    private final Map<Table, Integer> ruleCounts = new EnumMap<>(Table.class);

    RulesInForce(RuleSet rules) {
        frame = new RuleSet(rules.frame(), rules.hooks());
        groups = new HashMap<>(rules.groups());
        for (Table table : Table.values()) {
            ruleCounts.put(table, rules.ruleCount(table));
        }
    }

    boolean hasFrameOf(RuleSet other) {
        return frame.hasFrameOf(other);
    }

    Map<String, RuleGroup> groups() {
        return Collections.unmodifiableMap(groups);
    }

    /** The number of rules, hooks not counted. */
    int ruleCount(Table table) {
        return ruleCounts.getOrDefault(table, 0);
    }

    RuleSet rules() {
        return new RuleSet(frame.frame(), frame.hooks(), groups);
    }

    /** Replaces a group; an empty one is removed. */
    void put(String name, Optional<RuleGroup> now) {
        Optional<RuleGroup> before =
                Optional.ofNullable(now.isPresent() ? groups.put(name, now.get()) : groups.remove(name));
        for (Table table : Table.values()) {
            ruleCounts.merge(table, count(now, table) - count(before, table), Integer::sum);
        }
    }

    private static int count(Optional<RuleGroup> group, Table table) {
        return group.map(rules -> rules.ruleCount(table)).orElse(0);
    }
}
