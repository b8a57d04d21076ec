package dev.nodepath.linux.iptables;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Supplier;

/**
 * Keeps the rules of one proxy mode and one address family in force. It remembers the rules in force and sends only
 * differences. At first, and after a failure, it reads the tables and keeps correct rules, so that these are never
 * missing. For one thread at a time.
 */
public final class RuleApplier {
    /** A retry stops after this many refusals. The next retry continues there. */
    private static final int RETRIES_MAX = 4;

    private final Iptables iptables;
    private final OwnedChains owned;
    private final RefusedGroups refused = new RefusedGroups();
    private final Map<Table, Integer> writtenCounts = new EnumMap<>(Table.class);

    /** The last known rules. */
    private RulesInForce inForce = new RulesInForce(RuleSet.EMPTY);

    /** Whether they are in force now. */
    private boolean known;

    /** The chains of other programs in the last listing. */
    private Set<String> foreign = Set.of();

    /** {@link Iptables#changesByOthers} just before the last listing. */
    private OptionalLong seen = OptionalLong.empty();

    /**
     * An applier that does not know yet which rules are in force.
     *
     * @param iptables the commands of the family
     * @param owned the chains that it may remove
     */
    public RuleApplier(Iptables iptables, OwnedChains owned) {
        this.iptables = iptables;
        Set<String> names = new HashSet<>(owned.names());
        names.add(RuleTrial.CHAIN);
        this.owned = new OwnedChains(names, owned.prefixes());
    }

    /** Whether it knows the rules in force, so that {@link #update} can be used. */
    public boolean isKnown() {
        return known;
    }

    /** Whether the last listing showed one of these chains of other programs. True if there was no listing yet. */
    public boolean maySee(OwnedChains others) {
        return !known || foreign.stream().anyMatch(others::contains);
    }

    /**
     * Whether it knows the rules in force and no other program has changed a table since. False if that is unknown.
     */
    public boolean isUntouched() {
        return known && seen.isPresent() && seen.equals(iptables.changesByOthers());
    }

    /** Whether certainly no other program has changed the tables. False if the watch can miss changes. */
    public boolean isSurelyUntouched() {
        return iptables.seesAllChanges() && isUntouched();
    }

    /** The number of its rules in force in a table, hooks not counted. 0 if it does not know. */
    public int ruleCount(Table table) {
        return known ? inForce.ruleCount(table) : 0;
    }

    /** The number of rules that the last change sent to a table. */
    public int writtenCount(Table table) {
        return writtenCounts.getOrDefault(table, 0);
    }

    /** The groups that were left out because the kernel or the command refused them, and why. */
    public SortedMap<String, String> refused() {
        return Collections.unmodifiableSortedMap(refused.reasons());
    }

    /**
     * Brings a rule set into force. Runs no command if it is in force already. A refused group is left out, see
     * {@link #refused}.
     *
     * @throws IptablesException if that failed; each table then holds rules that were in force before, or newer ones
     */
    public void apply(RuleSet desired) throws IptablesException {
        if (known && inForce.hasFrameOf(desired)) {
            update(difference(desired));
        } else {
            readAndWrite(() -> desired);
        }
    }

    /**
     * Changes some groups of the rules in force. Its cost is proportional to these groups.
     *
     * @param changes by name; empty for a group that is removed
     * @throws IptablesException if that failed: the rules in force are unknown then, and {@link #apply} has to follow
     * @throws IllegalStateException if the rules in force are unknown
     */
    public void update(Map<String, Optional<RuleGroup>> changes) throws IptablesException {
        if (!known) {
            throw new IllegalStateException("update of unknown rules (expected: apply first)");
        }
        Map<String, Optional<RuleGroup>> accepted = new HashMap<>(changes);
        accepted.entrySet()
                .removeIf(change -> change.getValue()
                        .filter(group -> refused.contains(change.getKey(), group))
                        .isPresent());
        known = false;
        writtenCounts.clear();
        restore(groupChanges(accepted));
        accepted.forEach(this::remember);
        known = true;
    }

    private List<TableChange> groupChanges(Map<String, Optional<RuleGroup>> changes) {
        List<GroupChange> different = new ArrayList<>();
        changes.forEach((name, after) -> {
            Optional<RuleGroup> before = Optional.ofNullable(inForce.groups().get(name));
            if (!before.equals(after)) {
                different.add(new GroupChange(before, after));
            }
        });
        return GroupChange.tables(different);
    }

    private void remember(String name, Optional<RuleGroup> now) {
        refused.remove(name);
        inForce.put(name, now);
    }

    /** Repairs the tables, as {@link #repair(Supplier)}, with rules that are known already. */
    public boolean repair(RuleSet desired) throws IptablesException {
        return repair(() -> desired);
    }

    /**
     * Reads the tables, if other programs may have changed them, and repairs the differences. Its cost is proportional
     * to the tables. It also retries some refused groups.
     *
     * @param rules the rules to bring into force. It is asked after the listing, so another thread can compute them
     *     meanwhile.
     * @return whether other programs had removed or added a chain, a rule or a hook of ours
     * @throws IptablesException if that failed
     */
    public boolean repair(Supplier<RuleSet> rules) throws IptablesException {
        Set<String> refusedBefore = refused.names();
        boolean repaired = false;
        if (isUntouched()) {
            apply(rules.get());
        } else {
            repaired = readAndWrite(rules);
        }
        retry(refusedBefore);
        return repaired;
    }

    /**
     * Retries some of the refused groups, as the kernel may accept them now. Costs up to two restores per group and
     * table.
     *
     * @throws IptablesException if that failed: the rules in force are unknown then, and {@link #apply} has to follow
     */
    public void retryRefused() throws IptablesException {
        retry(refused.names());
    }

    private void retry(Collection<String> names) throws IptablesException {
        if (!known) {
            throw new IllegalStateException("retry of unknown rules (expected: apply first)");
        }
        int failures = 0;
        for (String name : refused.inTurn(names)) {
            if (failures == RETRIES_MAX) {
                refused.continueAt(name);
                return;
            }
            Optional<RuleGroup> group = refused.get(name);
            if (group.isPresent() && !isAccepted(name, group.get())) {
                failures++;
            }
        }
    }

    /**
     * Adds one group table by table, as each table is a transaction of its own. Removes it again if a table refuses
     * it.
     */
    private boolean isAccepted(String name, RuleGroup group) throws IptablesException {
        List<TableChange> additions =
                GroupChange.tables(List.of(new GroupChange(Optional.empty(), Optional.of(group))));
        List<TableChange> removals = GroupChange.tables(List.of(new GroupChange(Optional.of(group), Optional.empty())));
        known = false;
        for (int i = 0; i < additions.size(); i++) {
            try {
                restore(additions.subList(i, i + 1), Integer.MAX_VALUE);
            } catch (IptablesException e) {
                if (!e.isRefusal()) {
                    throw e;
                }
                restore(removals.subList(0, i));
                known = true;
                return false;
            }
        }
        remember(name, Optional.of(group));
        known = true;
        return true;
    }

    /**
     * Removes every chain and hook of the mode, from whatever program. Chains shared with others stay. It lists
     * nothing if it surely knows the content of the tables.
     *
     * @throws IptablesException if that failed
     */
    public void remove() throws IptablesException {
        if (known && isSurelyUntouched()) {
            try {
                restore(KnownRemoval.tables(inForce.rules(), owned));
                remove(Map.of());
                return;
            } catch (IptablesException e) {
                // A chain of another program may jump to one of ours; a listing tells.
            }
        }
        readAndWrite(() -> RuleSet.EMPTY);
    }

    /** Removes all rules of this applier, given a listing that was just made. */
    private void remove(Map<Table, SavedTable> found) throws IptablesException {
        known = false;
        seen = OptionalLong.empty();
        write(RuleSet.EMPTY, found);
    }

    /** Tells whether something had to be written though the desired rules were in force before. */
    private boolean readAndWrite(Supplier<RuleSet> rules) throws IptablesException {
        boolean wasKnown = known;
        known = false;
        Map<Table, SavedTable> found = list();
        RuleSet desired = rules.get();
        boolean expected = wasKnown && difference(desired).isEmpty();
        return write(desired, found) && expected;
    }

    /** Tells whether something had to be written. */
    private boolean write(RuleSet desired, Map<Table, SavedTable> found) throws IptablesException {
        writtenCounts.clear();
        refused.retain(desired.groups());
        RuleSet usable = without(desired, refused.names());
        List<TableChange> changes = changes(usable, found);
        try {
            restore(changes);
        } catch (IptablesException e) {
            if (!e.isRefusal()) {
                throw e;
            }
            usable = isolate(usable);
        }
        inForce = new RulesInForce(usable);
        known = true;
        return changes.stream().anyMatch(change -> !change.isEmpty());
    }

    /** Applies the accepted part of rules that were refused as a whole. Returns that part. */
    private RuleSet isolate(RuleSet desired) throws IptablesException {
        // Another program may have changed the tables since the last listing.
        Map<Table, SavedTable> found = list();
        SavedSpelling spelling = new SavedSpelling(iptables.family());
        SortedMap<String, String> bad =
                new GroupIsolation(desired, found, changes(desired, found), spelling, this::restore).apply();
        RuleSet usable = without(desired, bad.keySet());
        restore(changes(usable, list()));
        bad.forEach((name, reason) ->
                Optional.ofNullable(desired.groups().get(name)).ifPresent(group -> refused.put(name, group, reason)));
        return usable;
    }

    private List<TableChange> changes(RuleSet desired, Map<Table, SavedTable> found) {
        return new Adoption(desired, owned, iptables.family()).tables(found);
    }

    private static RuleSet without(RuleSet rules, Set<String> names) {
        Map<String, RuleGroup> groups = new LinkedHashMap<>(rules.groups());
        groups.keySet().removeAll(names);
        return new RuleSet(rules.frame(), rules.hooks(), groups);
    }

    private void restore(List<TableChange> changes) throws IptablesException {
        restore(changes, iptables.version().variant().chainsPerPart());
    }

    private void restore(List<TableChange> changes, int chainsPerPart) throws IptablesException {
        RestoreText text = RestoreText.of(changes, chainsPerPart);
        if (!text.isEmpty()) {
            iptables.restore(text);
            changes.forEach(change -> writtenCounts.merge(change.table(), change.ruleCount(), Integer::sum));
        }
    }

    private Map<Table, SavedTable> list() throws IptablesException {
        seen = iptables.changesByOthers();
        Map<Table, SavedTable> found = iptables.tables();
        foreign = new HashSet<>();
        for (SavedTable table : found.values()) {
            for (String chain : table.rules().keySet()) {
                if (!owned.contains(chain) && !table.builtins().contains(chain)) {
                    foreign.add(chain);
                }
            }
        }
        return found;
    }

    private Map<String, Optional<RuleGroup>> difference(RuleSet desired) {
        Map<String, Optional<RuleGroup>> changes = new HashMap<>();
        desired.groups().forEach((name, group) -> {
            if (!group.equals(inForce.groups().get(name)) && !refused.contains(name, group)) {
                changes.put(name, Optional.of(group));
            }
        });
        Set<String> gone = new HashSet<>(inForce.groups().keySet());
        gone.addAll(refused.names());
        gone.removeAll(desired.groups().keySet());
        gone.forEach(name -> changes.put(name, Optional.empty()));
        return changes;
    }
}
