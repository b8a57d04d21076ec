package dev.nodepath.linux.nftables;

/** An element's place: the name of its set, and its key there. */
record ElementKey(String set, NftValue key) {}
