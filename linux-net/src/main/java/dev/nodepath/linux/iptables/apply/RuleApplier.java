package dev.nodepath.linux.iptables.apply;

import dev.nodepath.linux.iptables.command.Iptables;
import dev.nodepath.linux.iptables.command.IptablesException;
import dev.nodepath.linux.iptables.rule.OwnedChains;
import dev.nodepath.linux.iptables.rule.Rule;
import dev.nodepath.linux.iptables.rule.RuleGroup;
import dev.nodepath.linux.iptables.rule.RuleSet;
import dev.nodepath.linux.iptables.rule.Table;
import dev.nodepath.linux.iptables.text.RestoreText;
import dev.nodepath.linux.iptables.text.SavedSpelling;
import dev.nodepath.linux.iptables.text.SavedTable;
import dev.nodepath.linux.iptables.text.TableChange;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps one proxy mode's rules of one address family in force. It remembers what is in force and sends only differences; at
 * first, and after a failure, it reads the tables and adopts what is there, without a moment in which rules that stay are
 * missing. For one thread at a time.
 */
public final class RuleApplier {
    /** So many refused groups are tried in vain at a time; the others have their turn the next time. */
    private static final int RETRIES_MAX = 4;

    private final Iptables iptables;
    private final OwnedChains owned;

    /** The frame of what is in force; null if the kernel's state is unknown. Its groups are those below. */
    private @Nullable RuleSet frame;

    private final SortedMap<String, RuleGroup> groups = new TreeMap<>();

    /** Groups that the kernel would not have, as they were then, and why. */
    private final SortedMap<String, RuleGroup> refused = new TreeMap<>();

    private final SortedMap<String, String> reasons = new TreeMap<>();

    /** Refused groups that were accepted alone, but not in their place: they are not tried again. */
    private final Set<String> triedInVain = new HashSet<>();

    /** The refused group that is tried first the next time, or the one after it. */
    private String nextRetry = "";

    private final Map<Table, Integer> ruleCounts = new EnumMap<>(Table.class);

    private final Map<Table, Integer> writtenCounts = new EnumMap<>(Table.class);

    /** The chains of others that the last listing showed. */
    private final Set<String> foreign = new HashSet<>();

    /** How the tables were found while they are mended, and whether nothing has been tried since; otherwise empty. */
    private Map<Table, SavedTable> listed = Map.of();

    private boolean untried;

    /** The groups in that listing, once they are asked for. */
    private @Nullable InstalledGroups standing;

    /** What {@link Iptables#changesByOthers} told before the tables were last read. */
    private OptionalLong seen = OptionalLong.empty();

    /**
     * An applier that knows nothing yet about what is in force.
     *
     * @param iptables the commands of the family
     * @param owned the chains that it may remove
     */
    public RuleApplier(Iptables iptables, OwnedChains owned) {
        this.iptables = iptables;
        Set<String> names = new HashSet<>(owned.names());
        names.add(RefusalProbe.CHAIN);
        this.owned = new OwnedChains(names, owned.prefixes());
    }

    /** Whether what is in force is known, so that {@link #update} can be used. */
    public boolean isKnown() {
        return frame != null;
    }

    /** Whether any such chain, none of ours, was there when the tables were last listed; if they never were, it may be. */
    public boolean maySee(OwnedChains others) {
        return !isKnown() || foreign.stream().anyMatch(others::contains);
    }

    /** Whether what is in force is known, and nobody else has changed a table since; false if that cannot be told. */
    public boolean isUntouched() {
        return isKnown() && seen.isPresent() && seen.equals(iptables.changesByOthers());
    }

    /** The same, and false where a change by others may have been missed. */
    public boolean isSurelyUntouched() {
        return iptables.seesAllChanges() && isUntouched();
    }

    /** How many rules of ours are in force in a table, hooks not counted; 0 if it is not known. */
    public int ruleCount(Table table) {
        return ruleCounts.getOrDefault(table, 0);
    }

    /** How many rules were sent to a table when something was last brought into force; 0 also if that was nothing. */
    public int writtenCount(Table table) {
        return writtenCounts.getOrDefault(table, 0);
    }

    /** The groups that were left out because the kernel or the command refused them, and why. */
    public SortedMap<String, String> refused() {
        return Collections.unmodifiableSortedMap(new TreeMap<>(reasons));
    }

    /**
     * Whether the command and the kernel take a rule, tried in a chain that nothing jumps to. Costs two restores.
     *
     * @throws IptablesException if the try itself failed
     */
    public boolean isAccepted(Table table, Rule rule) throws IptablesException {
        RuleGroup alone = new RuleGroup(Map.of(), List.of(new RuleGroup.Entry(table, RefusalProbe.CHAIN, rule)));
        RefusalProbe probe = new RefusalProbe(iptables);
        if (probe.isRefused(List.of(alone))) {
            return false;
        }
        probe.remove();
        return true;
    }

    /**
     * Brings a rule set into force; runs no command if it is in force already. A group that is refused is left out, see
     * {@link #refused}.
     *
     * @throws IptablesException if that failed; each table then holds rules that were in force before, or newer ones
     */
    public void apply(RuleSet desired) throws IptablesException {
        RuleSet before = frame;
        if (before != null && before.hasFrameOf(desired)) {
            update(difference(desired));
        } else {
            mend(() -> desired);
        }
    }

    /**
     * Changes some groups of what is in force, at a cost that follows them.
     *
     * @param changes by name; empty for a group that goes
     * @throws IptablesException if that failed: what is in force is unknown then, and {@link #apply} has to follow
     * @throws IllegalStateException if what is in force is unknown
     */
    public void update(Map<String, Optional<RuleGroup>> changes) throws IptablesException {
        RuleSet before = frame;
        if (before == null) {
            throw new IllegalStateException("update of unknown rules (expected: apply first)");
        }
        List<GroupChange> different = new ArrayList<>();
        changes.forEach((name, after) -> {
            Optional<RuleGroup> old = Optional.ofNullable(groups.get(name));
            boolean stillRefused = after.isPresent() && after.get().equals(refused.get(name));
            if (!stillRefused && !old.equals(after)) {
                different.add(new GroupChange(old, after));
            }
        });
        frame = null;
        writtenCounts.clear();
        restore(GroupChange.tables(different));
        changes.forEach(this::remember);
        frame = before;
    }

    /** The same with rules that have been worked out. */
    public boolean repair(RuleSet desired) throws IptablesException {
        return repair(() -> desired);
    }

    /**
     * Looks at what is really in force, unless it is certain that nobody else has changed it, and mends what differs. Looking
     * lists every table, so it costs what the tables hold.
     *
     * @param rules tells what is to be in force; asked after the tables have been listed, so that another thread may work it
     *     out meanwhile
     * @return whether others had removed or added a chain, a rule or a hook of ours
     * @throws IptablesException if that failed
     */
    public boolean repair(Supplier<RuleSet> rules) throws IptablesException {
        Set<String> known = Set.copyOf(refused.keySet());
        boolean repaired = false;
        if (isUntouched()) {
            apply(rules.get());
        } else {
            repaired = mend(rules);
        }
        retry(known);
        return repaired;
    }

    /**
     * Tries some of the refused groups again, as the kernel may have what it lacked; costs a restore or two for each.
     *
     * @throws IptablesException if that failed: what is in force is unknown then, and {@link #apply} has to follow
     * @throws IllegalStateException if what is in force is unknown
     */
    public void retryRefused() throws IptablesException {
        retry(refused.keySet());
    }

    private void retry(Set<String> names) throws IptablesException {
        List<String> waiting = new ArrayList<>(refused.tailMap(nextRetry).keySet());
        waiting.addAll(refused.headMap(nextRetry).keySet());
        waiting.retainAll(names);
        waiting.removeAll(triedInVain);
        RefusalProbe probe = new RefusalProbe(iptables);
        SortedMap<String, RuleGroup> accepted = new TreeMap<>();
        int failures = 0;
        for (String name : waiting) {
            RuleGroup group = refused.get(name);
            if (group == null || failures == RETRIES_MAX || probe.isExhausted()) {
                nextRetry = name;
                break;
            }
            if (probe.isRefused(List.of(group))) {
                failures++;
            } else {
                accepted.put(name, group);
            }
        }
        probe.remove();
        admit(accepted);
    }

    private void admit(SortedMap<String, RuleGroup> accepted) throws IptablesException {
        if (accepted.isEmpty()) {
            return;
        }
        Map<String, Optional<RuleGroup>> changes = new HashMap<>();
        accepted.forEach((name, group) -> changes.put(name, Optional.of(group)));
        refused.keySet().removeAll(accepted.keySet());
        try {
            update(changes);
        } catch (IptablesException e) {
            refused.putAll(accepted);
            if (e.isRefusal()) {
                triedInVain.addAll(accepted.keySet());
            }
            throw e;
        }
    }

    /**
     * Removes every chain and hook of the mode, whoever made them; chains shared with others stay. Lists nothing if it is certain
     * what is there.
     *
     * @throws IptablesException if that failed
     */
    public void remove() throws IptablesException {
        RuleSet last = frame;
        if (last != null && isSurelyUntouched()) {
            try {
                restore(KnownRemoval.tables(new RuleSet(last.frame(), last.hooks(), groups), owned));
                remove(Map.of());
                return;
            } catch (IptablesException e) {
                // As where a chain of another jumps to one of ours, which a look tells.
            }
        }
        boolean unused = mend(() -> RuleSet.EMPTY);
    }

    /** The same, given how the tables were just found. */
    public void remove(Map<Table, SavedTable> found) throws IptablesException {
        seen = OptionalLong.empty();
        boolean unused = mend(found, false, () -> RuleSet.EMPTY);
    }

    /** Reads the tables and writes what differs; tells whether anything did though nothing was to change. */
    private boolean mend(Supplier<RuleSet> rules) throws IptablesException {
        boolean known = isKnown();
        frame = null;
        return mend(list(), known, rules);
    }

    private boolean mend(Map<Table, SavedTable> found, boolean known, Supplier<RuleSet> rules)
            throws IptablesException {
        frame = null;
        writtenCounts.clear();
        try {
            listed = found;
            untried = true;
            RuleSet desired = rules.get();
            boolean expected = known && difference(desired).isEmpty();
            return write(desired) && expected;
        } finally {
            listed = Map.of();
            standing = null;
        }
    }

    /** Tells whether anything was not right. */
    private boolean write(RuleSet desired) throws IptablesException {
        ruleCounts.clear();
        SortedMap<String, String> stillRefused = new TreeMap<>(reasons);
        stillRefused
                .keySet()
                .removeIf(name ->
                        !Objects.equals(refused.get(name), desired.groups().get(name)));
        RefusalSearch search = new RefusalSearch(
                this::load, new RefusalProbe(iptables), new TreeMap<>(groups), group -> standing(group, desired));
        RuleSet loaded = search.load(desired, stillRefused);
        groups.clear();
        groups.putAll(loaded.groups());
        triedInVain.retainAll(stillRefused.keySet());
        refused.clear();
        reasons.clear();
        reasons.putAll(search.reasons());
        reasons.keySet().forEach(name -> refused.put(name, desired.groups().get(name)));
        for (Table table : Table.values()) {
            ruleCounts.put(table, loaded.ruleCount(table));
        }
        frame = new RuleSet(desired.frame(), desired.hooks());
        return search.changedAnything();
    }

    private Optional<RuleGroup> standing(RuleGroup group, RuleSet desired) {
        InstalledGroups there = standing;
        if (there == null) {
            there = new InstalledGroups(listed, desired, owned, new SavedSpelling(iptables.family()));
            standing = there;
        }
        return there.of(group);
    }

    /** One try; nothing is sent if the tables are right. */
    private void load(RuleSet desired, List<TableChange> sent) throws IptablesException {
        if (!untried) {
            listed = list();
        }
        untried = false;
        sent.addAll(new Adoption(desired, owned, iptables.family()).tables(listed));
        restore(sent);
    }

    private void restore(List<TableChange> changes) throws IptablesException {
        RestoreText text = RestoreText.of(changes, chainsPerPart());
        if (!text.isEmpty()) {
            iptables.restore(text);
            changes.forEach(change -> writtenCounts.merge(change.table(), change.ruleCount(), Integer::sum));
        }
    }

    private Map<Table, SavedTable> list() throws IptablesException {
        seen = iptables.changesByOthers();
        Map<Table, SavedTable> found = iptables.tables();
        foreign.clear();
        for (SavedTable table : found.values()) {
            for (String chain : table.rules().keySet()) {
                if (!owned.contains(chain) && !table.builtins().contains(chain)) {
                    foreign.add(chain);
                }
            }
        }
        return found;
    }

    private void remember(String name, Optional<RuleGroup> after) {
        RuleGroup now = after.orElse(null);
        if (now != null && now.equals(refused.get(name))) {
            return;
        }
        refused.remove(name);
        reasons.remove(name);
        triedInVain.remove(name);
        RuleGroup old = now == null ? groups.remove(name) : groups.put(name, now);
        for (Table table : Table.values()) {
            int grown = (now == null ? 0 : now.ruleCount(table)) - (old == null ? 0 : old.ruleCount(table));
            ruleCounts.merge(table, grown, Integer::sum);
        }
    }

    private Map<String, Optional<RuleGroup>> difference(RuleSet desired) {
        Map<String, Optional<RuleGroup>> changes = new HashMap<>();
        desired.groups().forEach((name, group) -> {
            boolean isThere = group.equals(groups.get(name)) && !refused.containsKey(name);
            if (!isThere && !group.equals(refused.get(name))) {
                changes.put(name, Optional.of(group));
            }
        });
        new TreeSet<>(groups.keySet())
                .stream()
                        .filter(name -> !desired.groups().containsKey(name))
                        .forEach(name -> changes.put(name, Optional.empty()));
        refused.keySet().stream()
                .filter(name -> !desired.groups().containsKey(name))
                .forEach(name -> changes.put(name, Optional.empty()));
        return changes;
    }

    private int chainsPerPart() throws IptablesException {
        return iptables.version().variant().chainsPerPart();
    }
}
