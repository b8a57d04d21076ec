package dev.nodepath.linux.nftables;

/** A change to nf_tables. */
public sealed interface NftChange {

    /** The chain that changes. */
    NftChain chain();

    /** Makes a chain, and its table before it; one that is there is fine. */
    record AddChain(NftChain chain) implements NftChange {}

    /** Removes all rules of a chain. */
    record FlushChain(NftChain chain) implements NftChange {}

    /** Removes a chain without rules that no rule leads to. */
    record DeleteChain(NftChain chain) implements NftChange {}

    /** Removes the table that a chain belongs to, with all that is in it. */
    record DeleteTable(NftChain chain) implements NftChange {}

    /** Adds a rule behind those of its chain. */
    record AddRule(NftChain chain, NftRule rule) implements NftChange {}

    /** Removes a rule. */
    record DeleteRule(NftChain chain, long handle) implements NftChange {}
}
