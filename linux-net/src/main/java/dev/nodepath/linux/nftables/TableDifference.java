package dev.nodepath.linux.nftables;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The changes from the content in force to the desired content. In their order nothing ever leads to an unfinished
 * chain, even if they do not fit one transaction: new sets and chains, rules, new values, verdicts, and then removals.
 */
final class TableDifference {
    private final TableContent content;
    private final DesiredTable<?> desired;
    private final TableKeys touched;
    private final int elementsPerChange;
    private final NftTable table;
    private final List<List<NftChange>> steps = new ArrayList<>();
    private final List<NftChange> removals = new ArrayList<>();
    private final Set<String> changedSets = new HashSet<>();

    /**
     * Compares both for these keys.
     *
     * @param touched the keys to look at
     * @param elementsPerChange the most elements that one change adds or removes
     */
    TableDifference(TableContent content, DesiredTable<?> desired, TableKeys touched, int elementsPerChange) {
        this.content = content;
        this.desired = desired;
        this.touched = touched;
        this.elementsPerChange = elementsPerChange;
        this.table = desired.frame().table();
        addTable();
        addSets();
        addChains();
        changeRules();
        changeElements();
        removeChainsAndSets();
    }

    /** The changes in order. The changes of one step must be made together. */
    List<List<NftChange>> steps() {
        return steps;
    }

    /**
     * The removals of chains and sets that nothing uses when the steps are done. A kernel before 6.2 learns only some
     * time after a transaction that a removed element leads to a chain no more.
     */
    List<NftChange> removals() {
        return removals;
    }

    /**
     * Whether a chain in the kernel has another hook than the desired chain. A hook cannot be changed; the table must
     * be made anew.
     */
    static boolean isHookedElsewhere(NftTableState.@Nullable Chain actual, NftTableState.@Nullable Chain desired) {
        return actual != null
                && desired != null
                && !actual.chain().hook().equals(desired.chain().hook());
    }

    private void addTable() {
        if (!content.seesPackets()) {
            steps.add(List.of(new NftChange.AddTable(table, desired.frame().comment())));
        }
    }

    private void addSets() {
        for (String name : touched.sets()) {
            NftSet after = desired.set(name);
            NftSet before = content.set(name);
            if (after != null && before == null) {
                steps.add(List.of(new NftChange.AddSet(after)));
            } else if (after != null && !after.equals(before)) {
                changedSets.add(name);
            }
        }
    }

    private void addChains() {
        for (String name : touched.chains()) {
            NftTableState.Chain after = desired.chain(name);
            if (after != null && content.chain(name) == null) {
                steps.add(List.of(new NftChange.AddChain(after.chain())));
            }
        }
    }

    /**
     * Chains without rules come first: chains that packets reach may lead to them afterwards. Base chains come last,
     * because packets reach the others through them.
     */
    private void changeRules() {
        List<List<NftChange>> ofUsedChains = new ArrayList<>();
        List<List<NftChange>> ofBaseChains = new ArrayList<>();
        List<NftChange> withChangedSets = new ArrayList<>();
        for (String name : touched.chains()) {
            NftTableState.Chain after = desired.chain(name);
            NftTableState.Chain before = content.chain(name);
            if (after == null) {
                if (before != null && usesChangedSet(before.rules())) {
                    withChangedSets.add(new NftChange.FlushChain(before.chain()));
                }
                continue;
            }
            boolean usesChangedSet =
                    usesChangedSet(after.rules()) || (before != null && usesChangedSet(before.rules()));
            if (usesChangedSet) {
                withChangedSets.add(new NftChange.FlushChain(after.chain()));
            } else if (before == null
                    ? !after.rules().isEmpty()
                    : !before.rules().equals(after.rules())) {
                boolean isUsed = before != null && !before.rules().isEmpty();
                List<List<NftChange>> others = isUsed ? ofUsedChains : steps;
                (after.chain().hook().isPresent() ? ofBaseChains : others).add(rewritten(before != null, after));
            }
        }
        if (!changedSets.isEmpty()) {
            replaceSets(withChangedSets);
        }
        steps.addAll(ofUsedChains);
        steps.addAll(ofBaseChains);
    }

    private static List<NftChange> rewritten(boolean exists, NftTableState.Chain after) {
        List<NftChange> changes = new ArrayList<>(after.rules().size() + 1);
        if (exists) {
            changes.add(new NftChange.FlushChain(after.chain()));
        }
        after.rules().forEach(rule -> changes.add(new NftChange.AddRule(after.chain(), rule)));
        return changes;
    }

    /** A set cannot change while rules use it, so everything is one step. */
    private void replaceSets(List<NftChange> flushes) {
        List<NftChange> step = new ArrayList<>(flushes);
        for (String name : changedSets) {
            NftSet before = content.set(name);
            NftSet after = desired.set(name);
            if (before != null && after != null) {
                step.add(new NftChange.DeleteSet(before));
                step.add(new NftChange.AddSet(after));
            }
        }
        for (NftChange flush : flushes) {
            NftChain chain = ((NftChange.FlushChain) flush).chain();
            NftTableState.Chain after = desired.chain(chain.name());
            if (after != null) {
                after.rules().forEach(rule -> step.add(new NftChange.AddRule(chain, rule)));
            }
        }
        steps.add(step);
    }

    private boolean usesChangedSet(List<NftRule> rules) {
        return !changedSets.isEmpty()
                && rules.stream().flatMap(rule -> rule.statements().stream()).anyMatch(this::usesChangedSet);
    }

    private boolean usesChangedSet(NftStatement statement) {
        if (statement instanceof NftStatement.InSet lookup) {
            return changedSets.contains(lookup.set());
        } else if (statement instanceof NftStatement.VerdictOf lookup) {
            return changedSets.contains(lookup.map());
        } else if (statement instanceof NftStatement.PortOf lookup) {
            return changedSets.contains(lookup.map());
        } else if (statement instanceof NftStatement.RandomDnatOf lookup) {
            return changedSets.contains(lookup.map());
        } else {
            return statement instanceof NftStatement.Remember action && changedSets.contains(action.set());
        }
    }

    /**
     * Verdict maps lead packets to chains that use values. So new values come before the changes of verdicts, and the
     * removal of values comes after them.
     */
    private void changeElements() {
        Map<String, List<ElementKey>> bySet = new TreeMap<>();
        for (ElementKey key : touched.elements()) {
            bySet.computeIfAbsent(key.set(), set -> new ArrayList<>()).add(key);
        }
        List<List<NftChange>> verdicts = new ArrayList<>();
        List<List<NftChange>> removedValues = new ArrayList<>();
        bySet.forEach((name, keys) -> {
            NftSet set = desired.set(name);
            NftSet undesired = set == null ? content.set(name) : null;
            if (set != null && leadsToChains(keys)) {
                changeElements(set, keys, verdicts, verdicts);
            } else if (set != null) {
                changeElements(set, keys, steps, removedValues);
            } else if (undesired != null) {
                // As a whole: another program may have made it of a kind that we do not know.
                removedValues.add(List.of(new NftChange.FlushSet(undesired)));
            }
        });
        steps.addAll(verdicts);
        steps.addAll(removedValues);
    }

    private boolean leadsToChains(List<ElementKey> keys) {
        for (ElementKey key : keys) {
            NftElement element = desired.element(key) == null ? content.element(key) : desired.element(key);
            if (element != null) {
                return element.data().filter(NftVerdict.class::isInstance).isPresent();
            }
        }
        return false;
    }

    /** An element that changes is removed and added in one step. */
    private void changeElements(
            NftSet set, List<ElementKey> keys, List<List<NftChange>> changes, List<List<NftChange>> removals) {
        boolean emptied = changedSets.contains(set.name()) || content.set(set.name()) == null;
        ElementSteps changed = new ElementSteps(set, elementsPerChange, changes);
        ElementSteps removed = new ElementSteps(set, elementsPerChange, removals);
        for (ElementKey key : keys) {
            NftElement before = emptied ? null : content.element(key);
            NftElement after = desired.element(key);
            if (before != null && after == null) {
                removed.remove(before.key());
            } else if (after != null && !after.equals(before)) {
                changed.replace(before, after);
            }
        }
        changed.end();
        removed.end();
    }

    /** All chains are emptied before one is removed, because they lead to one another. */
    private void removeChainsAndSets() {
        for (String name : touched.chains()) {
            NftTableState.Chain before = content.chain(name);
            if (before != null && desired.chain(name) == null) {
                steps.add(List.of(new NftChange.FlushChain(before.chain())));
                removals.add(new NftChange.DeleteChain(before.chain()));
            }
        }
        for (String name : touched.sets()) {
            NftSet before = content.set(name);
            if (before != null && desired.set(name) == null) {
                removals.add(new NftChange.DeleteSet(before));
            }
        }
    }
}
