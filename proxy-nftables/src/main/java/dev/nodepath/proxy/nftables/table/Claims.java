package dev.nodepath.proxy.nftables.table;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Values by key, each claimed by one or more owners. The claim of the first owner in order is in force. When it goes,
 * the next one's is.
 */
final class Claims<K, O extends Comparable<? super O>, V> {
    /** A list of claims, in the order of their owners. Most keys have one. */
    private record Claim<O, V>(O owner, V value, @Nullable Claim<O, V> next) {}

    private final Map<K, Claim<O, V>> claims = new HashMap<>();

    /** Adds a claim. An owner that claims a key twice keeps its first value. */
    void add(K key, O owner, V value) {
        claims.put(key, with(claims.get(key), owner, value));
    }

    private static <O extends Comparable<? super O>, V> Claim<O, V> with(@Nullable Claim<O, V> list, O owner, V value) {
        int order = list == null ? -1 : owner.compareTo(list.owner);
        if (list == null || order < 0) {
            return new Claim<>(owner, value, list);
        }
        return order == 0 ? list : new Claim<>(list.owner, list.value, with(list.next, owner, value));
    }

    /** Removes an owner's claim, if there is one. */
    void remove(K key, O owner) {
        claims.computeIfPresent(key, (same, list) -> without(list, owner));
    }

    private static <O extends Comparable<? super O>, V> @Nullable Claim<O, V> without(
            @Nullable Claim<O, V> list, O owner) {
        if (list == null) {
            return null;
        }
        return list.owner.compareTo(owner) == 0
                ? list.next
                : new Claim<>(list.owner, list.value, without(list.next, owner));
    }

    /** The value in force; null if nobody claims the key. */
    @Nullable
    V get(K key) {
        Claim<O, V> first = claims.get(key);
        return first == null ? null : first.value;
    }

    /** The owners of a key's claims, in order. */
    List<O> owners(K key) {
        List<O> owners = new ArrayList<>();
        for (Claim<O, V> claim = claims.get(key); claim != null; claim = claim.next) {
            owners.add(claim.owner);
        }
        return owners;
    }

    /** The claimed keys. */
    Iterable<K> keys() {
        return claims.keySet();
    }
}
