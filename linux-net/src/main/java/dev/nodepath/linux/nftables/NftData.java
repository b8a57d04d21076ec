package dev.nodepath.linux.nftables;

/** A map's content for a key: a value, or a verdict. */
public sealed interface NftData permits NftValue, NftVerdict {}
