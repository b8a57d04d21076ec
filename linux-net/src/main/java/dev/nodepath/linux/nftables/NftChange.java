package dev.nodepath.linux.nftables;

import java.util.List;

/** A change to nf_tables. */
public sealed interface NftChange {

    /**
     * Adds a table. An existing one is no error, and keeps its comment.
     *
     * @param comment shown in listings, at most 127 bytes; empty for none
     */
    record AddTable(NftTable table, String comment) implements NftChange {
        /** Without a comment. */
        public AddTable(NftTable table) {
            this(table, "");
        }
    }

    /** Removes a table with its content. */
    record DeleteTable(NftTable table) implements NftChange {}

    /** Adds a chain. An equal one is no error. */
    record AddChain(NftChain chain) implements NftChange {}

    /** Removes all rules of a chain. */
    record FlushChain(NftChain chain) implements NftChange {}

    /** Removes a chain, with its rules, that no rule and no element leads to. */
    record DeleteChain(NftChain chain) implements NftChange {}

    /** Appends a rule to its chain. */
    record AddRule(NftChain chain, NftRule rule) implements NftChange {}

    /** Removes a rule. */
    record DeleteRule(NftChain chain, long handle) implements NftChange {}

    /** Adds a set or map. An equal one is no error. */
    record AddSet(NftSet set) implements NftChange {}

    /** Removes a set or map, with its elements, that no rule uses. */
    record DeleteSet(NftSet set) implements NftChange {}

    /**
     * Adds elements. An equal element is no error; one with the same key and other data is (EEXIST).
     *
     * @param elements in any number; they are divided among as many messages as they need
     */
    record AddElements(NftSet set, List<NftElement> elements) implements NftChange {
        public AddElements {
            elements = List.copyOf(elements);
        }
    }

    /** Removes elements. A missing one is an error (ENOENT). */
    record DeleteElements(NftSet set, List<NftValue> keys) implements NftChange {
        public DeleteElements {
            keys = List.copyOf(keys);
        }
    }

    /** Removes all elements of a set. */
    record FlushSet(NftSet set) implements NftChange {}
}
