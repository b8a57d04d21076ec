package dev.nodepath.linux.nftables;

/** A change to nf_tables. */
public sealed interface NftChange {

    /** The chain that changes. */
    NftChain chain();

    /** Adds a chain, and its table. An existing one is no error. */
    record AddChain(NftChain chain) implements NftChange {}

    /** Removes all rules of a chain. */
    record FlushChain(NftChain chain) implements NftChange {}

    /** Removes an empty chain that no rule jumps to. */
    record DeleteChain(NftChain chain) implements NftChange {}

    /** Removes the table of a chain with its content. */
    record DeleteTable(NftChain chain) implements NftChange {}

    /** Appends a rule to its chain. */
    record AddRule(NftChain chain, NftRule rule) implements NftChange {}

    /** Removes a rule. */
    record DeleteRule(NftChain chain, long handle) implements NftChange {}
}
