package dev.nodepath.linux.nftables;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Values by key, each claimed by one or more owners. The claim of the first owner in order is in force. When it goes,
 * the next one's is. Most keys have one claim; some have as many as there are Services.
 */
final class Claims<K, O extends Comparable<? super O>, V> {
    private final Map<K, Claim<O, V>> single = new HashMap<>();
    private final Map<K, TreeMap<O, V>> several = new HashMap<>();

    private record Claim<O, V>(O owner, V value) {}

    /** Adds a claim. An owner that claims a key twice keeps its first value. */
    void add(K key, O owner, V value) {
        TreeMap<O, V> claims = several.get(key);
        if (claims != null) {
            claims.putIfAbsent(owner, value);
            return;
        }
        Claim<O, V> other = single.putIfAbsent(key, new Claim<>(owner, value));
        if (other != null && other.owner.compareTo(owner) != 0) {
            single.remove(key);
            TreeMap<O, V> both = new TreeMap<>();
            both.put(other.owner, other.value);
            both.put(owner, value);
            several.put(key, both);
        }
    }

    /** Removes an owner's claim, if there is one. */
    void remove(K key, O owner) {
        TreeMap<O, V> claims = several.get(key);
        if (claims == null) {
            single.computeIfPresent(key, (same, claim) -> claim.owner.compareTo(owner) == 0 ? null : claim);
            return;
        }
        claims.remove(owner);
        if (claims.size() == 1) {
            several.remove(key);
            claims.forEach((last, value) -> single.put(key, new Claim<>(last, value)));
        }
    }

    /** The value in force; null if the key has no claim. */
    @Nullable
    V get(K key) {
        Claim<O, V> only = single.get(key);
        if (only != null) {
            return only.value;
        }
        TreeMap<O, V> claims = several.get(key);
        return claims == null ? null : claims.firstEntry().getValue();
    }

    /** The owners of a key's claims, in order. */
    List<O> owners(K key) {
        Claim<O, V> only = single.get(key);
        if (only != null) {
            return List.of(only.owner);
        }
        TreeMap<O, V> claims = several.get(key);
        return claims == null ? List.of() : List.copyOf(claims.keySet());
    }

    void addKeys(Set<K> keys) {
        keys.addAll(single.keySet());
        keys.addAll(several.keySet());
    }
}
