package dev.nodepath.linux.nftables;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Puts a table together, and keeps the order in which its parts are to be made. */
final class TableBuilder {
    private final NftTable table;
    private final String comment;
    private final Map<String, NftTableState.Elements> sets = new LinkedHashMap<>();
    private final Map<String, NftTableState.Chain> chains = new LinkedHashMap<>();

    TableBuilder(NftTable table, String comment) {
        this.table = table;
        this.comment = comment;
    }

    TableBuilder set(NftSet set, NftElement... elements) {
        sets.put(
                set.name(),
                new NftTableState.Elements(
                        set,
                        Stream.of(elements)
                                .collect(Collectors.toMap(
                                        NftElement::key, element -> element, (first, same) -> first))));
        return this;
    }

    TableBuilder chain(NftChain chain, NftRule... rules) {
        chains.put(chain.name(), new NftTableState.Chain(chain, List.of(rules)));
        return this;
    }

    NftTableState build() {
        return new NftTableState(table, comment, new TreeMap<>(chains), new TreeMap<>(sets));
    }

    /** The changes that make the table where there is none, in the order in which its parts were added. */
    NftTransaction creation() {
        NftTransaction transaction = new NftTransaction();
        transaction.add(new NftChange.AddTable(table, comment));
        sets.values().forEach(set -> transaction.add(new NftChange.AddSet(set.set())));
        chains.values().forEach(chain -> transaction.add(new NftChange.AddChain(chain.chain())));
        sets.values().stream()
                .filter(set -> !set.elements().isEmpty())
                .forEach(set -> transaction.add(new NftChange.AddElements(
                        set.set(), List.copyOf(set.elements().values()))));
        chains.values()
                .forEach(chain ->
                        chain.rules().forEach(rule -> transaction.add(new NftChange.AddRule(chain.chain(), rule))));
        return transaction;
    }
}
