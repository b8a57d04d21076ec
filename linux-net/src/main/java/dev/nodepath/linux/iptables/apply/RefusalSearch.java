package dev.nodepath.linux.iptables.apply;

import dev.nodepath.linux.iptables.command.IptablesException;
import dev.nodepath.linux.iptables.rule.Match;
import dev.nodepath.linux.iptables.rule.Rule;
import dev.nodepath.linux.iptables.rule.RuleGroup;
import dev.nodepath.linux.iptables.rule.RuleSet;
import dev.nodepath.linux.iptables.rule.Target;
import dev.nodepath.linux.iptables.text.TableChange;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * Loads a rule set without the groups that are refused, so that one bad group does not keep the others out. The group of a
 * line that was named is the culprit; where none is named, as legacy commands do when it is the kernel that refuses, the
 * groups that were to change are halved until it is found. Nothing that is in force goes while it searches.
 */
final class RefusalSearch {
    /** How often single groups are left out; at the limit all that were to change stay as they were before. */
    private static final int REFUSALS_MAX = 64;

    /** So many groups with a rule of the same kinds are tried before all are blamed. */
    private static final int SAMPLE = 4;

    private final Loader loader;
    private final RefusalProbe probe;
    private final Map<String, RuleGroup> before;
    private final Function<RuleGroup, Optional<RuleGroup>> standing;
    private final Map<String, RuleGroup> groups = new LinkedHashMap<>();
    private final SortedMap<String, String> reasons = new TreeMap<>();
    private final Set<Set<Object>> blamedKinds = new HashSet<>();
    private int refusals;
    private boolean changed;

    /** Something that brings a rule set into force. */
    interface Loader {
        /**
         * Reads the tables and writes what differs.
         *
         * @param sent gains what is written, also if that fails
         */
        void load(RuleSet desired, List<TableChange> sent) throws IptablesException;
    }

    /**
     * A search.
     *
     * @param before the groups that were in force, as far as they are known
     * @param standing how one stands in the tables that is not among those; asked after the tables have been read
     */
    RefusalSearch(
            Loader loader,
            RefusalProbe probe,
            Map<String, RuleGroup> before,
            Function<RuleGroup, Optional<RuleGroup>> standing) {
        this.loader = loader;
        this.probe = probe;
        this.before = before;
        this.standing = standing;
    }

    /** Whether the tables were not right at first. */
    boolean changedAnything() {
        return changed;
    }

    /** The groups that were left out or stayed as they were, and why. */
    SortedMap<String, String> reasons() {
        return reasons;
    }

    /**
     * Brings as much of the set into force as is not refused.
     *
     * @param refused groups that are known to be refused as they are in the set, and why
     * @return what is in force
     * @throws IptablesException if it is not a group that is at fault
     */
    RuleSet load(RuleSet desired, Map<String, String> refused) throws IptablesException {
        groups.putAll(desired.groups());
        refused.forEach(this::keepBefore);
        boolean suspicious = false;
        while (true) {
            RuleSet usable = new RuleSet(desired.frame(), desired.hooks(), groups);
            List<TableChange> sent = new ArrayList<>();
            try {
                loader.load(usable, sent);
                note(sent);
                return usable;
            } catch (IptablesException e) {
                note(sent);
                if (!e.isRefusal()) {
                    throw e;
                }
                // The first time somebody else may have changed the tables between our reading and our writing.
                if (suspicious) {
                    leaveOut(sent, e);
                }
                suspicious = true;
            }
        }
    }

    private void note(List<TableChange> sent) {
        changed |= sent.stream().anyMatch(change -> !change.isEmpty());
    }

    /** Each time some group goes back to what it was or leaves the set, so this ends. */
    private void leaveOut(List<TableChange> sent, IptablesException refusal) throws IptablesException {
        String reason = String.valueOf(refusal.getMessage());
        List<String> suspects = suspects(sent);
        boolean named = refusal.refusedLine().isPresent();
        Set<String> culprits = Set.of();
        if (++refusals <= REFUSALS_MAX) {
            culprits = named ? culprits(refusal.refusedLine().get()) : isolated(suspects);
        }
        boolean ofTheFrame = named && culprits.isEmpty() && refusals <= REFUSALS_MAX;
        if (ofTheFrame || (culprits.isEmpty() && suspects.isEmpty())) {
            throw refusal;
        }
        if (culprits.isEmpty()) {
            suspects.forEach(name -> keepBefore(name, reason));
        }
        for (String name : culprits) {
            groups.remove(name);
            reasons.put(name, reason);
        }
    }

    /** The second time it goes. */
    private void keepBefore(String name, String reason) {
        RuleGroup now = groups.remove(name);
        if (now != null && !reasons.containsKey(name)) {
            Optional.ofNullable(before.get(name)).or(() -> standing.apply(now)).ifPresent(old -> groups.put(name, old));
        }
        reasons.put(name, reason);
    }

    private Set<String> culprits(String line) throws IptablesException {
        for (Map.Entry<String, RuleGroup> group : groups.entrySet()) {
            for (Map.Entry<String, Rule> candidate : additions(group.getValue())) {
                if (candidate.getKey().equals(line)) {
                    Set<Object> kinds = kinds(candidate.getValue());
                    Set<String> culprits = new TreeSet<>(Set.of(group.getKey()));
                    if (!blamedKinds.add(kinds)) {
                        culprits.addAll(refusedOfKinds(kinds, group.getKey()));
                    }
                    return culprits;
                }
            }
        }
        return Set.of();
    }

    /** After the second rule of the same kinds: if the kernel lacks one, all others would follow one by one. */
    private Set<String> refusedOfKinds(Set<Object> kinds, String culprit) throws IptablesException {
        List<String> same = new ArrayList<>();
        groups.forEach((name, group) -> {
            if (!name.equals(culprit)
                    && additions(group).stream()
                            .anyMatch(rule -> kinds(rule.getValue()).equals(kinds))) {
                same.add(name);
            }
        });
        Set<String> refused = new TreeSet<>();
        int tries = Math.min(SAMPLE, same.size());
        for (int i = 0; i < tries && !probe.isExhausted(); i++) {
            String name = same.get(i * same.size() / tries);
            if (areRefused(List.of(name))) {
                refused.add(name);
            }
        }
        return refused.size() == tries ? new TreeSet<>(same) : refused;
    }

    /** What the kernel may lack: matches, targets, and those of their values that are kinds of their own. */
    private static Set<Object> kinds(Rule rule) {
        Set<Object> kinds = new HashSet<>();
        rule.matches().forEach(match -> kinds.add(match instanceof Match.Protocol ? match : match.getClass()));
        kinds.add(
                rule.target() instanceof Target.Verdict verdict
                        ? verdict
                        : rule.target().getClass());
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
    private List<String> suspects(List<TableChange> sent) {
        List<String> names = new ArrayList<>();
        groups.forEach((name, group) -> {
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

    /** The bad ones among suspects; none if they cannot be told. */
    private Set<String> isolated(List<String> suspects) throws IptablesException {
        if (suspects.isEmpty() || probe.isExhausted() || !areRefused(suspects)) {
            return Set.of();
        }
        Set<String> bad = new TreeSet<>();
        isolate(suspects, bad);
        return probe.isExhausted() ? Set.of() : bad;
    }

    /** Adds the bad ones among suspects, one of which at least is bad. */
    private void isolate(List<String> suspects, Set<String> bad) throws IptablesException {
        if (suspects.size() == 1) {
            bad.addAll(suspects);
            return;
        }
        List<String> first = suspects.subList(0, suspects.size() / 2);
        List<String> second = suspects.subList(suspects.size() / 2, suspects.size());
        if (probe.isExhausted()) {
            return;
        }
        boolean isFirst = areRefused(first);
        if (isFirst) {
            isolate(first, bad);
        }
        if (!isFirst || (!probe.isExhausted() && areRefused(second))) {
            isolate(second, bad);
        }
    }

    private boolean areRefused(List<String> names) throws IptablesException {
        return probe.isRefused(
                names.stream().map(groups::get).filter(Objects::nonNull).toList());
    }
}
