package dev.nodepath.linux.iptables;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Applies the groups of a refused restore in small parts, without the refused groups. If the command names the refused
 * line, the group of that line is skipped. If it names none, the groups of the part are applied one by one.
 *
 * <p>It only adds chains and rules. The rules in force stay until an {@link Adoption} of the accepted groups follows.
 */
final class GroupIsolation {
    private static final int GROUPS_PER_PART = 100;

    /**
     * Bounds the time, as a restore of large legacy tables takes 0.25 s. Parts that are refused later are left out
     * whole.
     */
    private static final int RESTORES_MAX = 1000;

    /** Changes the tables. */
    interface Restore {
        /** Throws an {@link IptablesException} if the changes are refused or the command fails. */
        void restore(List<TableChange> changes) throws IptablesException;
    }

    private final RuleSet desired;
    private final Map<Table, SavedTable> found;
    private final SavedSpelling spelling;
    private final Restore restore;

    /** The chains that differ from the listing, without the chains sent since. */
    private final Map<Table, Set<String>> differing = new EnumMap<>(Table.class);

    /** The rules of the frame's chains, normalised: those found and those sent. */
    private final Map<Table, Map<String, Set<List<String>>>> shared = new EnumMap<>(Table.class);

    private final SortedMap<String, String> refused = new TreeMap<>();
    private int restores;

    /**
     * Sends nothing yet.
     *
     * @param found the tables as they are
     * @param changes the necessary changes of the tables
     */
    GroupIsolation(
            RuleSet desired,
            Map<Table, SavedTable> found,
            List<TableChange> changes,
            SavedSpelling spelling,
            Restore restore) {
        this.desired = desired;
        this.found = found;
        this.spelling = spelling;
        this.restore = restore;
        for (Table table : Table.values()) {
            differing.put(table, new HashSet<>());
            Map<String, Set<List<String>>> rules = new HashMap<>();
            desired.frame(table).keySet().forEach(chain -> rules.put(chain, normalised(table, chain)));
            shared.put(table, rules);
        }
        changes.forEach(
                change -> of(differing, change.table()).addAll(change.written().keySet()));
    }

    /** The value of a table; every table has one. */
    private static <T> T of(Map<Table, T> kept, Table table) {
        return Objects.requireNonNull(kept.get(table));
    }

    private Set<List<String>> normalised(Table table, String chain) {
        return found.getOrDefault(table, SavedTable.EMPTY).rules(chain).stream()
                .map(SavedRule::normalised)
                .collect(Collectors.toCollection(HashSet::new));
    }

    /**
     * Adds the rules of all groups that are accepted.
     *
     * @return the groups that were refused, and why
     * @throws IptablesException if the frame is refused or the command fails
     */
    SortedMap<String, String> apply() throws IptablesException {
        restore.restore(missingFrame());
        List<String> names = new ArrayList<>(desired.groups().keySet());
        names.removeIf(name -> additions(List.of(name)).stream().allMatch(TableChange::isEmpty));
        // The last group first, because entries are inserted at the front.
        Collections.reverse(names);
        for (int from = 0; from < names.size(); from += GROUPS_PER_PART) {
            apply(names.subList(from, Math.min(from + GROUPS_PER_PART, names.size())));
        }
        return refused;
    }

    private void apply(List<String> part) throws IptablesException {
        List<String> left = new ArrayList<>(part);
        Optional<IptablesException> refusal = refusal(left);
        while (refusal.isPresent()) {
            String reason = String.valueOf(refusal.get().getMessage());
            Optional<String> culprit = refusal.get().refusedLine().flatMap(line -> groupOf(line, left));
            if (culprit.isPresent() && restores < RESTORES_MAX) {
                left.remove(culprit.get());
                refused.put(culprit.get(), reason);
            } else if (left.size() > 1 && restores < RESTORES_MAX) {
                for (String name : left) {
                    apply(List.of(name));
                }
                return;
            } else {
                left.forEach(name -> refused.put(name, reason));
                return;
            }
            refusal = refusal(left);
        }
    }

    /**
     * Table by table, because each is a transaction of its own: accepted tables are not sent again after a refusal of
     * the next.
     */
    private Optional<IptablesException> refusal(List<String> groups) throws IptablesException {
        try {
            for (TableChange change : additions(groups)) {
                if (!change.isEmpty()) {
                    restores++;
                    restore.restore(List.of(change));
                    markSent(change.table(), groups);
                }
            }
            return Optional.empty();
        } catch (IptablesException e) {
            if (e.isRefusal()) {
                return Optional.of(e);
            }
            throw e;
        }
    }

    private void markSent(Table table, Collection<String> names) {
        for (RuleGroup group : groups(names)) {
            of(differing, table).removeAll(group.chains(table).keySet());
            for (RuleGroup.Entry entry : group.entries()) {
                if (entry.table() == table) {
                    of(shared, table)
                            .computeIfAbsent(entry.chain(), chain -> new HashSet<>())
                            .add(normalised(entry));
                }
            }
        }
    }

    private List<RuleGroup> groups(Collection<String> names) {
        return names.stream()
                .flatMap(name -> Stream.ofNullable(desired.groups().get(name)))
                .toList();
    }

    private List<String> normalised(RuleGroup.Entry entry) {
        return SavedRule.normalised(spelling.of(entry.rule()));
    }

    private Optional<String> groupOf(String line, List<String> groups) {
        return groups.stream()
                .filter(name -> RestoreText.of(additions(List.of(name)), Integer.MAX_VALUE)
                        .toString()
                        .lines()
                        .anyMatch(line::equals))
                .findFirst();
    }

    /** The chains of the frame that are not there; groups have entries in them. */
    private List<TableChange> missingFrame() {
        List<TableChange> changes = new ArrayList<>();
        for (Table table : Table.values()) {
            Map<String, List<Rule>> missing = new TreeMap<>(desired.frame(table));
            missing.keySet()
                    .removeAll(
                            found.getOrDefault(table, SavedTable.EMPTY).rules().keySet());
            changes.add(new TableChange(table, missing, List.of(), Set.of()));
        }
        return changes;
    }

    private List<TableChange> additions(Collection<String> names) {
        List<TableChange> changes = new ArrayList<>();
        for (Table table : Table.values()) {
            TableChange change = new TableChange(table, new TreeMap<>(), new ArrayList<>(), Set.of());
            groups(names).forEach(group -> add(group, change));
            changes.add(change);
        }
        return changes;
    }

    private void add(RuleGroup group, TableChange change) {
        Set<String> different = of(differing, change.table());
        group.chains(change.table()).forEach((chain, rules) -> {
            if (different.contains(chain)) {
                change.written().put(chain, rules);
            }
        });
        // The last entry first, because each is inserted at the front.
        for (int i = group.entries().size() - 1; i >= 0; i--) {
            RuleGroup.Entry entry = group.entries().get(i);
            if (entry.table() == change.table() && !isThere(entry)) {
                change.lines().add("-I " + entry.chain() + " " + entry.rule());
            }
        }
    }

    private boolean isThere(RuleGroup.Entry entry) {
        return of(shared, entry.table()).getOrDefault(entry.chain(), Set.of()).contains(normalised(entry));
    }
}
