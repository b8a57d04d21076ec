package dev.nodepath.linux.iptables;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Loads a rule set without the groups that are refused, so that one bad group does not keep the others out. The group of a
 * line that was named is the culprit; where none is named, as legacy commands do when it is the kernel that refuses, the
 * groups that were to change are halved until it is found.
 */
final class RefusalSearch {
    /** How often groups are left out; with more refusals than this something else is wrong. */
    private static final int REFUSALS_MAX = 64;

    private final Loader loader;
    private boolean changed;

    /** Something that brings a rule set into force. */
    interface Loader {
        /**
         * Reads the tables and writes what differs.
         *
         * @param sent gains what is written, also if that fails
         */
        List<TableChange> load(RuleSet desired, List<TableChange> sent) throws IptablesException;
    }

    RefusalSearch(Loader loader) {
        this.loader = loader;
    }

    /** Whether the tables were not right at first. */
    boolean changedAnything() {
        return changed;
    }

    /**
     * Brings as much of the set into force as is not refused.
     *
     * @return the groups that were left out, and why
     * @throws IptablesException if it is not a group that is at fault
     */
    SortedMap<String, String> load(RuleSet desired) throws IptablesException {
        SortedMap<String, String> bad = new TreeMap<>();
        Set<Set<Class<?>>> blamedKinds = new HashSet<>();
        boolean suspicious = false;
        int refusals = 0;
        while (true) {
            RuleSet usable = desired.without(bad.keySet());
            List<TableChange> sent = new ArrayList<>();
            try {
                loader.load(usable, sent);
                note(sent);
                return bad;
            } catch (IptablesException e) {
                note(sent);
                if (!e.isRefusal()) {
                    throw e;
                }
                // The first time somebody else may have changed the tables between our reading and our writing.
                if (suspicious) {
                    Set<String> culprits = culprits(usable, sent, e, blamedKinds);
                    if (culprits.isEmpty() || ++refusals > REFUSALS_MAX) {
                        throw e;
                    }
                    culprits.forEach(name -> bad.put(name, String.valueOf(e.getMessage())));
                }
                suspicious = true;
            }
        }
    }

    private void note(List<TableChange> sent) {
        changed |= sent.stream().anyMatch(change -> !change.isEmpty());
    }

    private Set<String> culprits(
            RuleSet usable, List<TableChange> sent, IptablesException refusal, Set<Set<Class<?>>> blamedKinds)
            throws IptablesException {
        if (refusal.refusedLine().isEmpty()) {
            List<String> suspects = suspects(usable, sent);
            boolean frame = suspects.isEmpty() || isRefused(usable.without(new HashSet<>(suspects)));
            return frame ? Set.of() : isolate(usable, suspects);
        }
        String line = refusal.refusedLine().get();
        for (Map.Entry<String, RuleGroup> group : usable.groups().entrySet()) {
            for (Map.Entry<String, Rule> candidate : additions(group.getValue())) {
                if (candidate.getKey().equals(line)) {
                    Set<Class<?>> kinds = kinds(candidate.getValue());
                    boolean again = !blamedKinds.add(kinds);
                    return again ? groupsWith(kinds, usable) : Set.of(group.getKey());
                }
            }
        }
        return Set.of();
    }

    /** The second rule of the same kinds of matches and target: the kernel seems to lack one, and all others would follow. */
    private static Set<String> groupsWith(Set<Class<?>> kinds, RuleSet rules) {
        Set<String> names = new TreeSet<>();
        rules.groups().forEach((name, group) -> {
            if (additions(group).stream()
                    .anyMatch(rule -> kinds(rule.getValue()).equals(kinds))) {
                names.add(name);
            }
        });
        return names;
    }

    private static Set<Class<?>> kinds(Rule rule) {
        Set<Class<?>> kinds = new HashSet<>();
        rule.matches().forEach(match -> kinds.add(match.getClass()));
        kinds.add(rule.target().getClass());
        return kinds;
    }

    /** The lines that bring a group's rules, with the rules. */
    private static List<Map.Entry<String, Rule>> additions(RuleGroup group) {
        List<Map.Entry<String, Rule>> lines = new ArrayList<>();
        group.chains()
                .values()
                .forEach(chains -> chains.forEach((chain, rules) ->
                        rules.forEach(rule -> lines.add(Map.entry("-A " + chain + " " + rule, rule)))));
        group.entries().forEach(entry -> {
            lines.add(Map.entry("-A " + entry.chain() + " " + entry.rule(), entry.rule()));
            lines.add(Map.entry("-I " + entry.chain() + " " + entry.rule(), entry.rule()));
        });
        return lines;
    }

    /** The groups that were to change. */
    private static List<String> suspects(RuleSet rules, List<TableChange> sent) {
        List<String> names = new ArrayList<>();
        rules.groups().forEach((name, group) -> {
            if (sent.stream().anyMatch(change -> touches(change, group))) {
                names.add(name);
            }
        });
        return names;
    }

    private static boolean touches(TableChange change, RuleGroup group) {
        return !Collections.disjoint(
                        group.chains(change.table()).keySet(), change.written().keySet())
                || group.entries().stream()
                        .filter(entry -> entry.table() == change.table())
                        .anyMatch(entry -> change.written().containsKey(entry.chain())
                                || change.lines().contains("-I " + entry.chain() + " " + entry.rule()));
    }

    /** The bad ones among suspects, one of which at least is bad. */
    private Set<String> isolate(RuleSet usable, List<String> suspects) throws IptablesException {
        if (suspects.size() == 1) {
            return Set.copyOf(suspects);
        }
        List<String> first = suspects.subList(0, suspects.size() / 2);
        List<String> second = suspects.subList(suspects.size() / 2, suspects.size());
        Set<String> bad = new TreeSet<>();
        RuleSet withFirst = usable.without(new HashSet<>(second));
        if (isRefused(withFirst)) {
            bad.addAll(isolate(withFirst, first));
        }
        RuleSet rest = usable.without(bad);
        if (isRefused(rest)) {
            bad.addAll(isolate(rest, second));
        }
        return bad;
    }

    private boolean isRefused(RuleSet rules) throws IptablesException {
        try {
            loader.load(rules, new ArrayList<>());
            return false;
        } catch (IptablesException e) {
            if (e.isRefusal()) {
                return true;
            }
            throw e;
        }
    }
}
