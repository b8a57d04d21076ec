package dev.nodepath.linux.iptables;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The changes of one table.
 *
 * @param written chains to create or flush, with their new rules. Sorted by name, because the commands are faster then.
 * @param lines commands for single rules in other chains, in this order
 * @param removed chains to flush and delete. After the other changes no rule refers to them.
 */
record TableChange(Table table, Map<String, List<Rule>> written, List<String> lines, Set<String> removed) {
    /** An estimate for rules without comments. A large cluster has none. Longer rules cost one copy. */
    private static final int CHARS_PER_RULE = 128;

    /** The length of a declaration. A chain name has at most 28 characters. */
    private static final int CHARS_PER_CHAIN = 40;

    /** About 20 kB of text, so that threads share the work evenly and need few buffers. */
    private static final int CHAINS_PER_PIECE = 100;

    /** Whether it changes nothing. */
    boolean isEmpty() {
        return written.isEmpty() && removed.isEmpty() && lines.isEmpty();
    }

    /** How many rules are written. */
    int ruleCount() {
        int count = 0;
        for (List<Rule> rules : written.values()) {
            count += rules.size();
        }
        for (String line : lines) {
            count += line.startsWith("-D") ? 0 : 1;
        }
        return count;
    }

    /**
     * Splits the change into parts that name at most this many chains. After each part all jumps are valid: a chain is
     * written after the chains that it jumps to, and chains are deleted after all of them are flushed.
     */
    List<TableChange> parts(int chainsMax) {
        if (written.size() + removed.size() <= chainsMax) {
            return List.of(this);
        }
        List<TableChange> parts = new ArrayList<>();
        SortedMap<String, List<Rule>> part = new TreeMap<>();
        for (Map.Entry<String, List<Rule>> chain : jumpedToFirst().entrySet()) {
            part.put(chain.getKey(), chain.getValue());
            if (part.size() == chainsMax) {
                parts.add(new TableChange(table, part, List.of(), Set.of()));
                part = new TreeMap<>();
            }
        }
        parts.add(new TableChange(table, part, lines, Set.of()));
        addRemoval(parts, chainsMax);
        return parts;
    }

    private void addRemoval(List<TableChange> parts, int chainsMax) {
        List<String> names = new ArrayList<>(removed);
        for (int start = 0; start < names.size(); start += chainsMax) {
            SortedMap<String, List<Rule>> emptied = new TreeMap<>();
            names.subList(start, Math.min(start + chainsMax, names.size()))
                    .forEach(chain -> emptied.put(chain, List.of()));
            parts.add(new TableChange(table, emptied, List.of(), Set.of()));
        }
        for (int start = 0; start < names.size(); start += chainsMax) {
            Set<String> deleted = new TreeSet<>(names.subList(start, Math.min(start + chainsMax, names.size())));
            parts.add(new TableChange(table, new TreeMap<>(), List.of(), deleted));
        }
    }

    private Map<String, List<Rule>> jumpedToFirst() {
        Map<String, List<Rule>> ordered = new LinkedHashMap<>();
        Set<String> visited = new HashSet<>();
        written.keySet().forEach(chain -> addAfterTargets(chain, ordered, visited));
        return ordered;
    }

    private void addAfterTargets(String chain, Map<String, List<Rule>> ordered, Set<String> visited) {
        List<Rule> rules = written.get(chain);
        if (rules == null || !visited.add(chain)) {
            return;
        }
        for (Rule rule : rules) {
            if (rule.target() instanceof Target.Jump jump) {
                addAfterTargets(jump.chain(), ordered, visited);
            }
        }
        ordered.put(chain, rules);
    }

    /**
     * The text in pieces, each generated on request. It declares, and so flushes, every chain before any rule. So the
     * order of chains does not matter.
     */
    Stream<String> text() {
        List<Map.Entry<String, List<Rule>>> chains = List.copyOf(written.entrySet());
        // A range of numbers splits evenly for parallel threads.
        Stream<String> rules = IntStream.range(0, (chains.size() + CHAINS_PER_PIECE - 1) / CHAINS_PER_PIECE)
                .map(piece -> piece * CHAINS_PER_PIECE)
                .mapToObj(from -> rules(chains.subList(from, Math.min(from + CHAINS_PER_PIECE, chains.size()))));
        return Stream.concat(Stream.concat(Stream.of(declarations()), rules), Stream.of(lastLines()));
    }

    private String declarations() {
        StringBuilder text = new StringBuilder(CHARS_PER_CHAIN * (written.size() + removed.size() + 1));
        text.append('*').append(table).append('\n');
        written.keySet().forEach(chain -> declare(text, chain));
        removed.forEach(chain -> declare(text, chain));
        return text.toString();
    }

    private static void declare(StringBuilder text, String chain) {
        text.append(':').append(chain).append(" - [0:0]\n");
    }

    private static String rules(List<Map.Entry<String, List<Rule>>> chains) {
        int count = 0;
        for (Map.Entry<String, List<Rule>> chain : chains) {
            count += chain.getValue().size();
        }
        StringBuilder text = new StringBuilder(CHARS_PER_RULE * count);
        for (Map.Entry<String, List<Rule>> chain : chains) {
            for (Rule rule : chain.getValue()) {
                text.append("-A ").append(chain.getKey()).append(' ');
                rule.appendTo(text);
                text.append('\n');
            }
        }
        return text.toString();
    }

    private String lastLines() {
        StringBuilder text = new StringBuilder();
        lines.forEach(line -> text.append(line).append('\n'));
        removed.forEach(chain -> text.append("-X ").append(chain).append('\n'));
        return text.append("COMMIT\n").toString();
    }
}
