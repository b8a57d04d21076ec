package dev.nodepath.linux.nftables;

import java.util.Optional;

/**
 * An element of a set or map.
 *
 * @param key its key
 * @param data a map's content for the key; empty in a set
 * @param comment shown in listings, at most 127 bytes; empty for none
 */
public record NftElement(NftValue key, Optional<NftData> data, String comment) {
    /** An element of a set. */
    public static NftElement of(NftValue key) {
        return new NftElement(key, Optional.empty(), "");
    }

    /** An element of a map. */
    public static NftElement of(NftValue key, NftData data) {
        return new NftElement(key, Optional.of(data), "");
    }
}
