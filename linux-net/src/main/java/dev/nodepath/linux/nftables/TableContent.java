package dev.nodepath.linux.nftables;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The content of a table in the kernel, as far as we know. One thread uses it. */
final class TableContent {
    private boolean exists;
    private boolean dormant;
    private final Map<String, NftTableState.Chain> chains = new HashMap<>();
    private final Map<String, NftSet> sets = new HashMap<>();
    private final Map<ElementKey, NftElement> elements = new HashMap<>();

    /** The content of a table that was read; empty if there is no such table. */
    TableContent(Optional<NftTableState> read) {
        this.exists = read.isPresent();
        this.dormant = read.isPresent() && read.get().dormant();
        read.ifPresent(state -> {
            chains.putAll(state.chains());
            state.sets().forEach((name, content) -> {
                sets.put(name, content.set());
                content.elements().forEach((key, element) -> elements.put(new ElementKey(name, key), element));
            });
        });
    }

    /** Whether both have the same content. */
    boolean isEqualTo(TableContent other) {
        return seesPackets() == other.seesPackets()
                && chains.equals(other.chains)
                && sets.equals(other.sets)
                && elements.equals(other.elements);
    }

    /** Whether there is such a table, and no program has made it dormant. */
    boolean seesPackets() {
        return exists && !dormant;
    }

    NftTableState.@Nullable Chain chain(String name) {
        return chains.get(name);
    }

    @Nullable
    NftSet set(String name) {
        return sets.get(name);
    }

    @Nullable
    NftElement element(ElementKey key) {
        return elements.get(key);
    }

    /** The number of chains. */
    int chainCount() {
        return chains.size();
    }

    /** The number of elements. */
    int elementCount() {
        return elements.size();
    }

    /** The desired content of these keys is now in force. */
    void take(DesiredTable<?> desired, TableKeys touched) {
        exists = true;
        dormant = false;
        touched.chains().forEach(name -> put(chains, name, desired.chain(name)));
        touched.sets().forEach(name -> put(sets, name, desired.set(name)));
        touched.elements()
                .forEach(key -> put(elements, key, desired.set(key.set()) == null ? null : desired.element(key)));
    }

    private static <K, V> void put(Map<K, V> map, K key, @Nullable V value) {
        if (value == null) {
            map.remove(key);
        } else {
            map.put(key, value);
        }
    }

    /** Adds the keys of everything. */
    void addKeys(TableKeys keys) {
        keys.chains().addAll(chains.keySet());
        keys.sets().addAll(sets.keySet());
        keys.elements().addAll(elements.keySet());
    }
}
