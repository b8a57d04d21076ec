package dev.nodepath.linux.nftables;

import java.util.HashSet;
import java.util.Set;

/**
 * The names of chains and sets, and the keys of elements, that may differ between the desired content and the content
 * in force.
 */
final class TableKeys {
    private final Set<String> chains = new HashSet<>();
    private final Set<String> sets = new HashSet<>();
    private final Set<ElementKey> elements = new HashSet<>();

    void add(TableGroup group) {
        for (NftTableState.Chain chain : group.chains()) {
            chains.add(chain.chain().name());
        }
        for (NftSet set : group.sets()) {
            sets.add(set.name());
        }
        for (TableGroup.Element element : group.elements()) {
            elements.add(new ElementKey(element.set(), element.element().key()));
        }
    }

    void addAll(NftTableState table) {
        chains.addAll(table.chains().keySet());
        table.sets().forEach((name, content) -> {
            sets.add(name);
            for (NftElement element : content.elements().values()) {
                elements.add(new ElementKey(name, element.key()));
            }
        });
    }

    Set<String> chains() {
        return chains;
    }

    Set<String> sets() {
        return sets;
    }

    Set<ElementKey> elements() {
        return elements;
    }
}
