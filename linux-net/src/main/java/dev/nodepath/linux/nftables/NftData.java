package dev.nodepath.linux.nftables;

/** What a map holds for a key: a value, or a verdict. */
public sealed interface NftData permits NftValue, NftVerdict {}
