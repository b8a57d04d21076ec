package dev.nodepath.linux.nftables;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The desired content of a table: the frame, and the part of each group. One thread uses it.
 *
 * @param <O> the name of a group; its order decides between groups with the same key
 */
public final class DesiredTable<O extends Comparable<? super O>> {
    private final NftTableState frame;
    private final Map<O, TableGroup> groups = new HashMap<>();
    private final Claims<String, O, NftTableState.Chain> chains = new Claims<>();
    private final Claims<String, O, NftSet> sets = new Claims<>();
    private final Claims<ElementKey, O, NftElement> elements = new Claims<>();

    /** A table without groups. */
    public DesiredTable(NftTableState frame) {
        this.frame = frame;
    }

    /** Adds a group. */
    public void add(O name, TableGroup group) {
        replace(name, Optional.of(group), new TableKeys());
    }

    /** Replaces a group, and adds the keys that may differ now. */
    void replace(O name, Optional<TableGroup> group, TableKeys touched) {
        TableGroup before = group.isPresent() ? groups.put(name, group.get()) : groups.remove(name);
        if (before != null) {
            touched.add(before);
            remove(name, before);
        }
        group.ifPresent(added -> {
            touched.add(added);
            claim(name, added);
        });
    }

    private void remove(O name, TableGroup group) {
        group.chains().forEach(chain -> chains.remove(chain.chain().name(), name));
        group.sets().forEach(set -> sets.remove(set.name(), name));
        group.elements().forEach(element -> elements.remove(key(element), name));
    }

    private void claim(O name, TableGroup group) {
        group.chains().forEach(chain -> chains.add(chain.chain().name(), name, chain));
        group.sets().forEach(set -> sets.add(set.name(), name, set));
        group.elements().forEach(element -> elements.add(key(element), name, element.element()));
    }

    private static ElementKey key(TableGroup.Element element) {
        return new ElementKey(element.set(), element.element().key());
    }

    /** The whole content as one value. */
    public NftTableState state() {
        TableKeys keys = new TableKeys();
        addKeys(keys);
        SortedMap<String, NftTableState.Chain> allChains = new TreeMap<>();
        keys.chains().forEach(name -> allChains.put(name, Objects.requireNonNull(chain(name))));
        Map<String, Map<NftValue, NftElement>> bySet = new HashMap<>();
        keys.elements()
                .forEach(key -> bySet.computeIfAbsent(key.set(), set -> new HashMap<>())
                        .put(key.key(), Objects.requireNonNull(element(key))));
        SortedMap<String, NftTableState.Elements> allSets = new TreeMap<>();
        keys.sets()
                .forEach(name -> allSets.put(
                        name,
                        new NftTableState.Elements(
                                Objects.requireNonNull(set(name)), bySet.getOrDefault(name, Map.of()))));
        return new NftTableState(frame.table(), frame.comment(), allChains, allSets);
    }

    /** The parts that no group brings. */
    NftTableState frame() {
        return frame;
    }

    NftTableState.@Nullable Chain chain(String name) {
        NftTableState.Chain chain = frame.chains().get(name);
        return chain == null ? chains.get(name) : chain;
    }

    @Nullable
    NftSet set(String name) {
        NftTableState.Elements ofFrame = frame.sets().get(name);
        return ofFrame == null ? sets.get(name) : ofFrame.set();
    }

    @Nullable
    NftElement element(ElementKey key) {
        NftTableState.Elements ofFrame = frame.sets().get(key.set());
        NftElement element = ofFrame == null ? null : ofFrame.elements().get(key.key());
        return element == null ? elements.get(key) : element;
    }

    /** The part of a group; empty if there is no such group. */
    Optional<TableGroup> group(O name) {
        return Optional.ofNullable(groups.get(name));
    }

    /** The groups that have a chain; none if it is one of the frame. */
    List<O> ownersOfChain(String name) {
        return chains.owners(name);
    }

    /** The groups that have a set; none if it is one of the frame. */
    List<O> ownersOfSet(String name) {
        return sets.owners(name);
    }

    /** The group that has its way with an element; none if it is one of the frame. */
    List<O> ownerOfElement(ElementKey key) {
        return elements.owners(key).stream().limit(1).toList();
    }

    /** Adds the keys of everything. */
    void addKeys(TableKeys keys) {
        keys.addAll(frame);
        chains.addKeys(keys.chains());
        sets.addKeys(keys.sets());
        elements.addKeys(keys.elements());
    }
}
