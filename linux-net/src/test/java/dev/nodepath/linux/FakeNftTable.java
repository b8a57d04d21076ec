package dev.nodepath.linux;

import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftElement;
import dev.nodepath.linux.nftables.NftRule;
import dev.nodepath.linux.nftables.NftSet;
import dev.nodepath.linux.nftables.NftStatement;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftText;
import dev.nodepath.linux.nftables.NftValue;
import dev.nodepath.linux.nftables.NftVerdict;
import dev.nodepath.linux.syscall.Errno;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** A table of the fake nf_tables with its content. It refuses the same changes as the kernel. */
final class FakeNftTable {
    private final NftTable table;
    private final String comment;
    private final Map<String, Chain> chains = new LinkedHashMap<>();
    private final Map<String, Content> sets = new LinkedHashMap<>();
    /** How many rules and elements lead to each chain. */
    private final Map<String, Integer> leading = new HashMap<>();
    /** How many statements use each set. */
    private final Map<String, Integer> using = new HashMap<>();

    FakeNftTable(NftTable table, String comment) {
        this.table = table;
        this.comment = comment;
    }

    /** A rule with its number. */
    record Entry(long handle, NftRule rule) {}

    private record Chain(NftChain chain, List<Entry> rules) {}

    private record Content(NftSet set, Map<NftValue, NftElement> elements) {}

    FakeNftTable copy() {
        FakeNftTable copy = new FakeNftTable(table, comment);
        chains.forEach((name, chain) -> copy.chains.put(name, new Chain(chain.chain, new ArrayList<>(chain.rules))));
        sets.forEach((name, set) -> copy.sets.put(name, new Content(set.set, new HashMap<>(set.elements))));
        copy.leading.putAll(leading);
        copy.using.putAll(using);
        return copy;
    }

    NftTableState state() {
        Map<String, NftTableState.Chain> listed = new TreeMap<>();
        chains.forEach((name, chain) -> listed.put(
                name,
                new NftTableState.Chain(
                        chain.chain, chain.rules.stream().map(Entry::rule).toList())));
        Map<String, NftTableState.Elements> elements = new TreeMap<>();
        sets.forEach((name, set) ->
                elements.put(name, new NftTableState.Elements(set.set, set.set.isDynamic() ? Map.of() : set.elements)));
        return new NftTableState(table, comment, new TreeMap<>(listed), new TreeMap<>(elements));
    }

    /** The chains in the order of their addition. */
    List<String> chains() {
        return List.copyOf(chains.keySet());
    }

    /** The rules of a chain; none if there is no such chain. */
    List<Entry> rules(String chain) {
        Chain found = chains.get(chain);
        return found == null ? List.of() : found.rules;
    }

    /** The elements of a set; none if there is no such set. */
    List<NftElement> elements(String set) {
        Content found = sets.get(set);
        return found == null ? List.of() : List.copyOf(found.elements.values());
    }

    /** Each element behind the name of its set, in order. */
    List<String> elementLines() {
        return sets.values().stream()
                .flatMap(content -> content.elements.values().stream()
                        .map(element -> content.set.name() + " " + NftText.element(content.set, element)))
                .sorted()
                .toList();
    }

    void add(NftChain chain) throws FakeRefusal {
        Chain there = chains.putIfAbsent(chain.name(), new Chain(chain, new ArrayList<>()));
        if (there != null && !there.chain.hook().equals(chain.hook())) {
            throw new FakeRefusal(Errno.EOPNOTSUPP);
        }
    }

    void flush(NftChain chain) throws FakeRefusal {
        Chain there = chain(chain.name());
        there.rules.forEach(entry -> count(entry.rule, -1));
        there.rules.clear();
    }

    void delete(NftChain chain) throws FakeRefusal {
        flush(chain);
        if (leading.getOrDefault(chain.name(), 0) > 0) {
            throw new FakeRefusal(Errno.EBUSY);
        }
        chains.remove(chain.name());
    }

    void add(NftChain chain, NftRule rule, long handle) throws FakeRefusal {
        Chain there = chain(chain.name());
        for (String target : targets(rule).toList()) {
            chain(target);
        }
        for (String name : lookups(rule).toList()) {
            set(name);
        }
        there.rules.add(new Entry(handle, rule));
        count(rule, 1);
    }

    void deleteRule(NftChain chain, long handle) throws FakeRefusal {
        Chain there = chain(chain.name());
        Entry found = there.rules.stream()
                .filter(entry -> entry.handle == handle)
                .findFirst()
                .orElseThrow(() -> new FakeRefusal(Errno.ENOENT));
        there.rules.remove(found);
        count(found.rule, -1);
    }

    void add(NftSet set) throws FakeRefusal {
        Content there = sets.putIfAbsent(set.name(), new Content(set, new HashMap<>()));
        boolean same = there == null
                || (there.set.key().equals(set.key())
                        && there.set.data().equals(set.data())
                        && there.set.isDynamic() == set.isDynamic());
        if (!same) {
            throw new FakeRefusal(Errno.EEXIST);
        }
    }

    void delete(NftSet set) throws FakeRefusal {
        flush(set);
        if (using.getOrDefault(set.name(), 0) > 0) {
            throw new FakeRefusal(Errno.EBUSY);
        }
        sets.remove(set.name());
    }

    void flush(NftSet set) throws FakeRefusal {
        Content there = set(set.name());
        there.elements.values().forEach(element -> count(element, -1));
        there.elements.clear();
    }

    void add(NftSet set, List<NftElement> elements) throws FakeRefusal {
        Content there = set(set.name());
        for (NftElement element : elements) {
            check(there.set, element);
            NftElement before = there.elements.putIfAbsent(element.key(), element);
            if (before == null) {
                count(element, 1);
            } else if (!before.data().equals(element.data())) {
                throw new FakeRefusal(Errno.EEXIST);
            }
        }
    }

    void delete(NftSet set, List<NftValue> keys) throws FakeRefusal {
        Content there = set(set.name());
        for (NftValue key : keys) {
            NftElement removed = there.elements.remove(key);
            if (removed == null) {
                throw new FakeRefusal(Errno.ENOENT);
            }
            count(removed, -1);
        }
    }

    private void check(NftSet set, NftElement element) throws FakeRefusal {
        if (set.isMap() == element.data().isEmpty()) {
            throw new FakeRefusal(Errno.EINVAL);
        }
        if (element.data().orElse(null) instanceof NftVerdict verdict
                && !verdict.chain().isEmpty()) {
            chain(verdict.chain());
        }
    }

    private Chain chain(String name) throws FakeRefusal {
        Chain chain = chains.get(name);
        if (chain == null) {
            throw new FakeRefusal(Errno.ENOENT);
        }
        return chain;
    }

    private Content set(String name) throws FakeRefusal {
        Content set = sets.get(name);
        if (set == null) {
            throw new FakeRefusal(Errno.ENOENT);
        }
        return set;
    }

    private void count(NftRule rule, int by) {
        targets(rule).forEach(target -> leading.merge(target, by, Integer::sum));
        lookups(rule).forEach(name -> using.merge(name, by, Integer::sum));
    }

    private void count(NftElement element, int by) {
        if (element.data().orElse(null) instanceof NftVerdict verdict) {
            leading.merge(verdict.chain(), by, Integer::sum);
        }
    }

    private static Stream<String> targets(NftRule rule) {
        return rule.statements().stream()
                .flatMap(statement -> statement instanceof NftVerdict verdict
                        ? Stream.of(verdict)
                        : statement instanceof NftStatement.RandomVerdict choice
                                ? choice.verdicts().stream()
                                : Stream.<NftVerdict>of())
                .map(NftVerdict::chain)
                .filter(chain -> !chain.isEmpty());
    }

    private static Stream<String> lookups(NftRule rule) {
        return rule.statements().stream().flatMap(FakeNftTable::lookup);
    }

    private static Stream<String> lookup(NftStatement statement) {
        if (statement instanceof NftStatement.InSet match) {
            return Stream.of(match.set());
        } else if (statement instanceof NftStatement.VerdictOf choice) {
            return Stream.of(choice.map());
        } else if (statement instanceof NftStatement.RandomDnatOf choice) {
            return Stream.of(choice.map());
        } else if (statement instanceof NftStatement.Remember action) {
            return Stream.of(action.set());
        } else {
            return Stream.of();
        }
    }
}
