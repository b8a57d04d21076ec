package dev.nodepath.linux.nftables.apply;

import dev.nodepath.linux.nftables.NftValue;

/** An element's place: the name of its set, and its key there. */
record ElementKey(String set, NftValue key) {}
