package dev.nodepath.linux.iptables;

import dev.nodepath.linux.address.IpFamily;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Computes the changes from tables with any content to a rule set. Correct rules stay untouched, from whatever
 * program. Missing rules are added. Other owned chains, and other rules in owned chains, are removed. Chains shared
 * with other programs only get missing rules.
 */
final class Adoption {
    /** A shared chain with more changes than this is rewritten. */
    private static final int LINES_MAX = 100;

    /** The length of most lines. */
    private static final int LINE_CHARS = 256;

    private final RuleSet desired;
    private final OwnedChains owned;
    private final SavedSpelling spelling;

    /** The changes that lead from listed tables to these rules. */
    Adoption(RuleSet desired, OwnedChains owned, IpFamily family) {
        this.desired = desired;
        this.owned = owned;
        this.spelling = new SavedSpelling(family);
    }

    /** The changes of all tables, given their listing. */
    List<TableChange> tables(Map<Table, SavedTable> found) {
        List<TableChange> changes = new ArrayList<>();
        for (Table table : Table.values()) {
            changes.add(change(table, found.getOrDefault(table, SavedTable.EMPTY)));
        }
        return changes;
    }

    private TableChange change(Table table, SavedTable found) {
        TableChange change = new TableChange(table, new LinkedHashMap<>(), new ArrayList<>(), new TreeSet<>());
        Map<String, List<Rule>> chains = desired.unsortedChains(table);
        // In parallel, because it takes most of a restart's time apart from the listing.
        List<String> different = chains.entrySet().parallelStream()
                .filter(chain -> !isRight(chain.getKey(), found.rules().get(chain.getKey()), chain.getValue()))
                .map(Map.Entry::getKey)
                .toList();
        for (String chain : AbbreviatedKey.sorted(different)) {
            addChain(change, found.rules().get(chain), chain, chains.getOrDefault(chain, List.of()));
        }
        for (String chain : found.rules().keySet()) {
            if (!chains.containsKey(chain) && owned.contains(chain)) {
                change.removed().add(chain);
            }
        }
        // A chain that a chain of another program jumps to cannot be deleted, so it is emptied.
        if (!change.removed().isEmpty()) {
            for (String chain : jumpedToByOthers(found, change.removed())) {
                if (change.removed().remove(chain) && !found.rules(chain).isEmpty()) {
                    change.written().put(chain, List.of());
                }
            }
        }
        addHooks(change, found);
        return change;
    }

    private boolean isRight(String chain, @Nullable List<String> found, List<Rule> rules) {
        return found != null && owned.contains(chain) && areSame(found, rules);
    }

    private void addChain(TableChange change, @Nullable List<String> found, String chain, List<Rule> rules) {
        if (found == null) {
            change.written().put(chain, rules);
        } else if (!owned.contains(chain)) {
            rules.stream()
                    .filter(rule -> found.stream().noneMatch(line -> isSame(line, rule)))
                    .forEach(rule -> change.lines().add("-A " + chain + " " + rule));
        } else {
            List<Rule> last = desired.frame(change.table()).get(chain);
            if (last == null || !addLines(change, found, chain, rules, last.size())) {
                change.written().put(chain, rules);
            }
        }
    }

    private boolean areSame(List<String> found, List<Rule> rules) {
        if (found.size() != rules.size()) {
            return false;
        }
        StringBuilder expected = new StringBuilder(LINE_CHARS);
        for (int i = 0; i < rules.size(); i++) {
            expected.setLength(0);
            spelling.appendTo(rules.get(i), expected);
            if (!found.get(i).contentEquals(expected) && !isSame(found.get(i), rules.get(i))) {
                return false;
            }
        }
        return true;
    }

    /** Some versions print options in another order. */
    private boolean isSame(String found, Rule rule) {
        String expected = spelling.of(rule);
        return found.equals(expected)
                || found.equals(rule.toString())
                || SavedRule.normalised(found).equals(SavedRule.normalised(expected));
    }

    /**
     * Repairs a shared chain by single lines. Groups may be in any order. The entries of one group must be in order,
     * and the chain's own rules must be last.
     *
     * @return false if that is not possible or takes too many lines
     */
    private boolean addLines(TableChange change, List<String> found, String chain, List<Rule> rules, int lastCount) {
        int foundEntries = found.size() - lastCount;
        int entries = rules.size() - lastCount;
        if (foundEntries < 0
                || !areSame(found.subList(foundEntries, found.size()), rules.subList(entries, rules.size()))) {
            return false;
        }
        Map<List<String>, Integer> wanted = new HashMap<>();
        for (Rule rule : rules.subList(0, entries)) {
            wanted.merge(SavedRule.normalised(spelling.of(rule)), 1, Integer::sum);
        }
        List<String> lines = new ArrayList<>();
        Set<List<String>> unordered = unordered(change.table(), chain, found.subList(0, foundEntries));
        for (String line : found.subList(0, foundEntries)) {
            List<String> key = SavedRule.normalised(line);
            if (wanted.getOrDefault(key, 0) > 0 && !unordered.contains(key)) {
                wanted.merge(key, -1, Integer::sum);
            } else {
                lines.add("-D " + chain + " " + line);
            }
        }
        for (int i = entries - 1; i >= 0; i--) {
            List<String> key = SavedRule.normalised(spelling.of(rules.get(i)));
            if (wanted.getOrDefault(key, 0) > 0) {
                wanted.merge(key, -1, Integer::sum);
                lines.add("-I " + chain + " " + rules.get(i));
            }
        }
        if (lines.size() > LINES_MAX) {
            return false;
        }
        change.lines().addAll(lines);
        return true;
    }

    /**
     * The entries of groups that are incomplete or out of order. All of them are written again, because single lines
     * are inserted at the front. The order matters if two entries of a Service match the same packet: an address can be
     * an external IP and a load balancer IP with source ranges.
     */
    private Set<List<String>> unordered(Table table, String chain, List<String> found) {
        Map<List<String>, Integer> positions = new HashMap<>();
        for (int i = 0; i < found.size(); i++) {
            positions.putIfAbsent(SavedRule.normalised(found.get(i)), i);
        }
        Set<List<String>> unordered = new HashSet<>();
        for (RuleGroup group : desired.groups().values()) {
            List<List<String>> entries = group.entries(table, chain).stream()
                    .map(rule -> SavedRule.normalised(spelling.of(rule)))
                    .toList();
            List<Integer> there = entries.stream()
                    .map(positions::get)
                    .filter(Objects::nonNull)
                    .toList();
            if (there.size() < entries.size()
                    || !there.equals(there.stream().sorted().toList())) {
                unordered.addAll(entries);
            }
        }
        return unordered;
    }

    private void addHooks(TableChange change, SavedTable found) {
        List<Hook> ofTable = desired.hooks().stream()
                .filter(hook -> hook.table() == change.table())
                .toList();
        Set<String> builtins = new LinkedHashSet<>(found.builtins());
        ofTable.forEach(hook -> builtins.add(hook.builtin()));
        for (String builtin : builtins) {
            List<Hook> wanted = ofTable.stream()
                    .filter(hook -> hook.builtin().equals(builtin))
                    .toList();
            change.lines().addAll(HookChange.lines(builtin, found.rules(builtin), wanted, owned));
        }
    }

    private Set<String> jumpedToByOthers(SavedTable found, Set<String> removed) {
        Set<String> targets = new LinkedHashSet<>();
        for (String chain : found.userChains()) {
            if (!owned.contains(chain)) {
                found.rules(chain).stream()
                        .filter(rule -> mayLeadTo(removed, rule))
                        .forEach(rule -> SavedRule.target(rule).ifPresent(targets::add));
            }
        }
        targets.retainAll(removed);
        return targets;
    }

    /**
     * Searches the text without splitting it, because others may have 100 000 rules. A comment may look like a jump.
     */
    private static boolean mayLeadTo(Set<String> chains, String rule) {
        for (int at = rule.indexOf('-'); at >= 0; at = rule.indexOf('-', at + 1)) {
            if (rule.startsWith("j ", at + 1) || rule.startsWith("g ", at + 1)) {
                int from = at + "-j ".length();
                int end = rule.indexOf(' ', from);
                if (chains.contains(rule.substring(from, end < 0 ? rule.length() : end))) {
                    return true;
                }
            }
        }
        return false;
    }
}
